"""Remade: a class of the library made once more, with other parts. A subclass would lead to what it leaves out."""

import types
from collections.abc import Callable, Iterable
from typing import Any

_LEFT_OUT = ("__dict__", "__weakref__", "_abc_impl")
_COPIES: dict[type, Callable[[Any], Any]] = {dict: dict, list: list, set: set}


def remade(
    library: type, parts: dict[str, Any], *, without: Iterable[str] = (), found: dict[str, Any] | None = None
) -> Any:
    """Give a class of its own with what *library* defines but *without* some names, and with other *parts*.

    Its tables are copies. Its functions find their global names in *found*, if that is given.
    """
    left_out = {*_LEFT_OUT, *without}
    body = {name: _own(value, found) for name, value in vars(library).items() if name not in left_out}
    for name, part in parts.items():
        if type(part) is types.FunctionType:
            part.__name__, part.__qualname__ = name, f"{library.__name__}.{name}"
        body[name] = part
    return type(library)(library.__name__, library.__bases__, body)


def _own(value: Any, found: dict[str, Any] | None) -> Any:
    if type(value) in _COPIES:
        return _COPIES[type(value)](value)
    if found is None:
        return value
    if type(value) is classmethod:
        return classmethod(_own(value.__func__, found))
    if type(value) is not types.FunctionType:
        return value
    moved = types.FunctionType(value.__code__, found, value.__name__, value.__defaults__, value.__closure__)
    moved.__qualname__, moved.__doc__, moved.__kwdefaults__ = value.__qualname__, value.__doc__, value.__kwdefaults__
    return moved
