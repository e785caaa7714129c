"""The functional form of enums, `Enum("Colour", "RED GREEN")`, held to what a class statement may do.

It takes names and bases at run time, past every check that a class statement goes through.
"""

import contextlib
import enum
import threading
from collections.abc import Iterator
from typing import Any

from sandbox.language.names import kind
from sandbox.runtime.ownership import Ownership

_PLAIN_TYPES = (None, str, int, float)

_create: Any = vars(enum.EnumType)["_create_"]


class _Running(threading.local):
    own: Ownership | None = None


_running = _Running()


@contextlib.contextmanager
def checked_for(own: Ownership) -> Iterator[None]:
    """Check every enum that this thread makes at run time, and count it among the script's *own* classes."""
    if vars(enum.EnumType)["_create_"] is not _create_checked:
        # The metaclass is shared with library enums; a subclass of it would not make the same enums in all versions.
        enum.EnumType._create_ = _create_checked  # type: ignore[attr-defined]
    before, _running.own = _running.own, own
    try:
        yield
    finally:
        _running.own = before


def _create_checked(cls: Any, class_name: Any, names: Any, **named: Any) -> Any:
    own = _running.own
    if own is None:
        return _create(cls, class_name, names, **named)
    if named.get("type") not in _PLAIN_TYPES:
        raise TypeError("the functional form of an enum takes type=str, int or float")
    # The class is the script's, whatever module= says: library code looks a class's globals up by it.
    named |= {"module": "script", "qualname": None}
    made = _create(cls, str(class_name), _members(names), **named)
    own.classes.add(made)
    return made


def _members(names: Any) -> list[Any]:
    """The members as exact texts and pairs: nothing in them can answer differently a second time."""
    if isinstance(names, str):
        names = str.__str__(names).replace(",", " ").split()
    elif isinstance(names, dict):
        names = list(dict.items(names))
    members = [name if type(name) is str else tuple(name) for name in names]
    for member in members:
        name = member if type(member) is str else member[0]
        if type(name) is not str or kind(name) != "native":
            raise ValueError("the members of an enum made at run time need public names")
    return members
