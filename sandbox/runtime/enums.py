"""Enums of a script: the functional form, `Enum("Colour", "RED GREEN")`, is held to what a class statement may do.

It takes names and bases at run time, past every check that a class statement goes through. And whatever `__new__` of an
enum gives, the library sets attributes of it.
"""

import contextlib
import enum
import sys
from collections.abc import Iterator
from types import FrameType, FunctionType
from typing import Any

from sandbox.language.names import kind
from sandbox.runtime.ownership import Ownership, running

_PLAIN_TYPES = (None, str, int, float)

_create: Any = vars(enum.EnumType)["_create_"]
_find_new: Any = vars(enum.EnumType)["_find_new_"].__func__


@contextlib.contextmanager
def checked_for(own: Ownership) -> Iterator[None]:
    """Check every enum that this thread makes, and count those made at run time among the script's *own* classes."""
    if vars(enum.EnumType)["_create_"] is not _create_checked:
        # The metaclass is shared with library enums; a subclass of it would not make the same enums in all versions.
        # typeshed leaves its private methods out.
        enum.EnumType._create_ = _create_checked  # type: ignore[attr-defined]  # private, see above
        enum.EnumType._find_new_ = classmethod(_find_new_checked)  # type: ignore[attr-defined]  # as well
    before, running.own = running.own, own
    try:
        yield
    finally:
        running.own = before


def _create_checked(cls: Any, class_name: Any, names: Any, **named: Any) -> Any:
    own, caller = running.own, sys._getframe(2)
    if named.get("module") is None:
        named["module"] = caller.f_globals.get("__name__")  # the library would take the name of this function's caller
    if own is None:
        return _create(cls, class_name, names, **named)
    if not any(named.get("type") is plain for plain in _PLAIN_TYPES):
        raise TypeError("the functional form of an enum takes type=str, int or float")
    is_own = not _is_in_application(caller, own)
    if is_own:
        # The class is the script's, whatever module= says: library code looks a class's globals up by it.
        named |= {"module": "script", "qualname": None}
    made = _create(cls, str(class_name), _members(names), **named)
    if is_own:
        own.classes.add(made)
    return made


def _is_in_application(frame: FrameType | None, own: Ownership) -> bool:
    """Say whether what *frame* does, in the library or outside, is the doing of an application that the script called.

    It may be on the script's behalf all the same, as a callback: what it makes is checked, but not the script's own.
    """
    while frame is not None and not own.has_namespace(frame.f_globals):
        module = str(frame.f_globals.get("__name__")).partition(".")[0]
        if module not in sys.stdlib_module_names:
            return module != "sandbox"
        frame = frame.f_back
    return False


def _find_new_checked(metacls: Any, classdict: Any, member_type: Any, first_enum: Any) -> Any:
    new, *rest = _find_new(metacls, classdict, member_type, first_enum)
    own = running.own
    if own is None:
        return new, *rest
    of_script = own.has_function(new) or own.has_function(_init_of(classdict, first_enum, member_type))
    if new is object.__new__ and not of_script:
        return new, *rest

    def new_member(cls: type, *arguments: Any, **named: Any) -> Any:
        if of_script:
            own.classes.add(cls)  # its members are made before the class statement is over
        made = new(cls, *arguments, **named)
        if not issubclass(type(made), cls):
            raise TypeError("__new__ of an enum must give an object of that enum")
        return made

    return new_member, *rest


def _init_of(classdict: Any, *above: Any) -> Any:
    """Give the `__init__` that the members of an enum will be handed to."""
    inits = [classdict.get("__init__"), *(getattr(one, "__init__", None) for one in above)]
    return next((init for init in inits if isinstance(init, FunctionType)), None)


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
