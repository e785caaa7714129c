"""Fields: what a class annotates ends in `__match_args__`, and patterns and dataclasses read that past every guard."""

from collections.abc import Iterable, Mapping
from typing import Any

from sandbox.language.names import kind
from sandbox.runtime.ownership import Ownership

_mro_of = type.__dict__["__mro__"].__get__


def check_fields(own: Ownership, bases: Iterable[type], names: Iterable[str] = ()) -> None:
    """Raise TypeError if a class made of *bases*, with fields *names* besides theirs, would read a guarded name.

    On a class of the script alone `format` is a field like any other; one that also derives from str has its method.
    """
    lineage = {cls for base in bases for cls in _mro_of(base)}
    script = {cls for cls in lineage if own.has_class(cls)}
    guarded = {name for name in names if kind(name) == "guarded"}
    for cls in script:
        for where in ("__annotations__", "__match_args__"):
            guarded |= {name for name in cls.__dict__.get(where, ()) if type(name) is str and kind(name) == "guarded"}
    for name in guarded:
        for cls in lineage - script:
            if name in cls.__dict__:
                raise TypeError(f"a class that derives from {cls.__name__} cannot have a field called {name}")


def check_names(named: Mapping[str, Any]) -> None:
    """Raise TypeError unless all names of keyword arguments are plain: others may equal a name or not, by turns."""
    if any(type(name) is not str for name in named):
        raise TypeError("keywords must be plain strings")
