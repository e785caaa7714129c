"""Typing: protocols, generics, named tuples, typed dicts."""

from typing import Generic, NamedTuple, Protocol, TypedDict, TypeVar, get_args, get_origin, Optional
from collections import namedtuple
T = TypeVar("T")
class Stack(Generic[T]):
    def __init__(self) -> None: self.items: list[T] = []
    def push(self, item: T) -> None: self.items.append(item)
class Speaks(Protocol):
    def speak(self) -> str: ...
class Dog:
    def speak(self) -> str: return "wuff"
class Point(NamedTuple):
    x: int
    y: int = 2
class Movie(TypedDict, total=False):
    title: str
Pair = namedtuple("Pair", "left right", defaults=[0])
stack = Stack[int](); stack.push(3)
movie: Movie = {"title": "M"}
result = [stack.items, Dog().speak(), Point(1), Point(1)._replace(y=5), Point(1)._asdict(), movie, Pair(1),
          Pair._fields, str(get_origin(list[int])), get_args(Optional[int])[0].__name__]
