"""The `type` of scripts: says what class an object has, makes no class, and never hands out a metaclass."""

import types
from typing import Any


class _SafeTypeType(type):
    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        if len(arguments) != 1 or named:
            raise TypeError("type() takes one argument in a script; write a class statement")
        return type_of(arguments[0])

    def __instancecheck__(cls, candidate: Any) -> bool:
        return issubclass(type(candidate), type)

    def __subclasscheck__(cls, candidate: Any) -> bool:
        return issubclass(candidate, type)

    def __repr__(cls) -> str:
        return "<class 'type'>"


class SafeType(metaclass=_SafeTypeType):
    """type(object) -> the object's type"""

    def __class_getitem__(cls, item: Any) -> types.GenericAlias:
        # Calling an alias of the real type would make a class.
        return types.GenericAlias(cls, item)


SafeType.__name__ = SafeType.__qualname__ = "type"
SafeType.__module__ = "builtins"


def type_of(target: Any) -> Any:
    """Give the class of *target*; the class of a class is `type`, whatever its metaclass."""
    cls = type(target)
    return SafeType if issubclass(cls, type) else cls
