"""Deputies: functions of classes that scripts are offered, each of which they can take off its class and call at will.

With a class as `self`, `self.__class__(...)` calls its metaclass; on an object of the script's own, what a method keeps
in private is there to be read. So those that could are held to objects of their class.
"""

import dis
import functools
import weakref
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from sandbox.language.names import kind
from sandbox.runtime.bases import OPEN_BASES
from sandbox.runtime.ownership import running

_mro_of = type.__dict__["__mro__"].__get__
_Cached = type(functools.lru_cache(len))

_MISLED = frozenset({"__class__", "type", "get_running_loop", "_get_running_loop", "get_event_loop", "_get_event_loop"})
"""Names by which a function reaches the class of its `self`, or what it may keep in it and a script must not have."""

_ASKED_OF_CLASSES = frozenset({"__new__", "_new_member_", "__init_subclass__", "__subclasshook__", "__class_getitem__"})
"""Functions whose first argument is a class."""

_COMPUTING = frozenset({"_parse_doctype_subset"})
"""Functions that read an attribute whose name they make of what methods of a script's class give."""

_OURS = "sandbox."
"""Where objects are from that keep in private what leads to the server."""

_WRITES = frozenset({dis.opmap["STORE_ATTR"], dis.opmap["DELETE_ATTR"]})

_OPEN = frozenset(cls for base in OPEN_BASES for cls in _mro_of(base))
"""Classes whose private functions a script has in classes of its own."""

_Judge = Callable[[FunctionType], bool]


def hold(cls: Any, *, writers: bool = False) -> None:
    """Hold the functions of *cls*, if it is a class, and of what it derives from, to objects of their class.

    With *writers* also those that write attributes: where an application has objects of its own, on those.
    """
    if not isinstance(cls, type):
        return
    judge = _may_mislead_or_write if writers else _may_mislead
    for base in _mro_of(cls):
        if base not in _guarded[judge]:
            _guarded[judge].add(base)
            for name, value in list(vars(base).items()):
                held = _held(base, value, judge) if _is_in_reach(base, name) else value
                if held is not value:
                    setattr(base, name, held)


def _is_in_reach(base: type, name: str) -> bool:
    """Say whether a script can take what *base* has under *name* off it: guards are before the others."""
    if name in _ASKED_OF_CLASSES:
        return False
    how = kind(name)
    return how in ("native", "guarded") or (how == "private" and base in _OPEN)


def _held(base: type, value: Any, judge: _Judge) -> Any:
    if type(value) is FunctionType and value.__name__ not in _ASKED_OF_CLASSES:  # an enum has some by other names too
        if value.__name__ in _COMPUTING:
            return value if value in _holding else _not_for_scripts(value)
        return _for_its_objects(base, value) if value not in _holding and judge(value) else value
    if type(value) is property:
        parts = [part and _held_part(base, part, judge) for part in (value.fget, value.fset, value.fdel)]
        changed = parts != [value.fget, value.fset, value.fdel]
        return property(parts[0], parts[1], parts[2], value.__doc__) if changed else value
    if type(value) is functools.cached_property:
        value.func = _held_part(base, value.func, judge)
    return value


def _held_part(base: type, part: Any, judge: _Judge) -> Any:
    # A property with a cache would keep whatever it was asked of.
    return _for_its_objects(base, part) if type(part) is _Cached else _held(base, part, judge)


def _may_mislead_or_write(function: FunctionType) -> bool:
    return _may_mislead(function) or not _WRITES.isdisjoint(function.__code__.co_code[::2])


def _may_mislead(function: FunctionType) -> bool:
    return (function.__module__ or "").startswith(_OURS) or not _MISLED.isdisjoint(_names(function.__code__))


_holding: "weakref.WeakSet[Any]" = weakref.WeakSet()
"""The functions that hold others."""

_guarded: dict[_Judge, "weakref.WeakSet[type]"] = {
    _may_mislead: weakref.WeakSet(),
    _may_mislead_or_write: weakref.WeakSet(),
}


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            names |= _names(constant)
    return names


def _not_for_scripts(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def refused(*arguments: Any, **named: Any) -> Any:
        if running.own is not None:
            raise TypeError(f"{function.__name__} is not available in a script")
        return function(*arguments, **named)

    _holding.add(refused)
    return refused


def _for_its_objects(base: type, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def held(self: Any, /, *arguments: Any, **named: Any) -> Any:
        # Whoever asks: code of a script may run on any thread, when its garbage is collected.
        if base not in type(self).__mro__:
            raise TypeError(f"{base.__name__}.{function.__name__} takes an object of {base.__name__}")
        return function(self, *arguments, **named)

    _holding.add(held)
    return held
