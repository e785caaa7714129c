"""Shown: whether a class pattern may look into an object by position, where an application's own may be among them.

`case Light(a, b)` reads the attributes that `Light.__match_args__` names, and those of a class of the application may
be private. Compiled for such a process it reads `case shown!(Light(a, b))`, where `shown!` is a class that has as
instances what may be looked into.
"""

from typing import Any

from sandbox.language.names import kind
from sandbox.runtime.ownership import Ownership

_mro_of = type.__dict__["__mro__"].__get__


class _ShownType(type):
    own: Ownership

    def __instancecheck__(cls, subject: Any) -> bool:
        return not any(_hides(one) for one in _mro_of(type(subject)) if not cls.own.has_class(one))


def shown(own: Ownership) -> type:
    """Give that class for a run. It derives from one whose patterns take the object itself by position."""
    made = _ShownType("shown!", (int,), {})
    made.own = own
    return made


def _hides(cls: type) -> bool:
    names = cls.__dict__.get("__match_args__")
    return type(names) is tuple and any(type(name) is str and kind(name) != "native" for name in names)
