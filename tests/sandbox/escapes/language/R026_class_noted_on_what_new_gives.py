from typing import Generic, TypeVar

T = TypeVar("T")


class Box(Generic[T]):
    def __new__(cls):
        return application.lamp


try:
    Box[int]()
except TypeError as error:
    return str(error)
