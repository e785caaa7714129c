"""Generics: `typing` looks in caches for what its subscripts were given, and compares that with what others gave.

An object of a script's own, looked for there by a hash of its choice, would be handed what it is compared with, such as
`type`. So no subscript of a script is looked for.
"""

import functools
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

from sandbox.runtime.ownership import running

_Cached = type(functools.lru_cache(len))


@functools.cache
def look_for_nothing() -> None:
    """From now on, let no script's subscripts reach the caches; those of others do as before."""
    table: dict[Any, Any] = getattr(typing, "_caches", {})  # from Python 3.12 on
    table.update({function: _passed_by(cache) for function, cache in table.items()})
    for cell in _cells():
        if type(cell.cell_contents) is _Cached:
            cell.cell_contents = _passed_by(cell.cell_contents)


def _cells() -> Iterator[Any]:
    """Give what the functions of `typing` have closed over."""
    parts = list(vars(typing).values())
    parts += [part for one in parts if isinstance(one, type) for part in vars(one).values()]
    parts += [part for one in parts if (part := getattr(one, "_getitem", None)) is not None]
    for part in parts:
        function = part.__func__ if type(part) in (classmethod, staticmethod) else part
        if type(function) is types.FunctionType:
            yield from function.__closure__ or ()


def _passed_by(cached: Any) -> Callable[..., Any]:
    def subscript(*arguments: Any, **named: Any) -> Any:
        return (cached if running.own is None else cached.__wrapped__)(*arguments, **named)

    return subscript
