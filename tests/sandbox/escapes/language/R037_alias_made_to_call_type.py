import copy
import enum
import typing


class Error(Exception):
    def __new__(cls, *args):
        return target if target is not None else super().__new__(cls)


class Colour(enum.Enum):
    RED = 1


target = None
error = Error()
error.__dict__["_inst"] = True
target = alias = typing.Type[int]
copy.copy(error)
meta = alias(Colour)
return "PWNED " + repr(meta) if meta is not type(Colour) else "no"
