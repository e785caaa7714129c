"""Hooks: special methods of a script's classes through which library code meets what is not as it seems.

The library asks an object for its `__class__` or `__origin__` and believes the answer; it writes into whatever
`__new__` gives, in C without a look at what that is.
"""

import abc
import enum
import typing
from collections.abc import Callable, MutableMapping
from types import FunctionType
from typing import Any

from sandbox.language.names import CLOSED_NAMES
from sandbox.runtime.ownership import Ownership, running

_mro_of = type.__dict__["__mro__"].__get__

_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset})
"""Kinds whose instances have no attributes that anybody could write."""

_SLOTS = ("__dict__", "__weakref__")
"""Names that mean something to Python, and may be slots for that."""

_EMPTY_BASES: frozenset[Any] = frozenset({object, abc.ABC, typing.Generic, typing.Protocol})
"""Classes of others that keep nothing in their instances."""


class Hooks:
    """Puts the hooks of a class that is being made behind checks; judges by what is *own*."""

    def __init__(self, own: Ownership) -> None:
        self._own = own

    def check(self, namespace: MutableMapping[str, Any], metaclass: type) -> None:
        """Replace the hooks in the *namespace* that the body of a class has left."""
        if "__slots__" in namespace:
            namespace["__slots__"] = _slots(namespace["__slots__"])
        checks = {
            "__getattribute__": _answers_native_names,
            "__getattr__": _finds_native_names,
            "__del__": self._ends_with_its_script,
        }
        if not issubclass(metaclass, enum.EnumType):  # `sandbox.runtime.enums` does it where a member is made
            checks["__new__"] = self._makes_its_own
        for name, checked in checks.items():
            if name in namespace:
                namespace[name] = _named_as(namespace[name], name, checked(namespace[name]))

    def _makes_its_own(self, value: Any) -> Callable[..., Any]:
        make = value.__func__ if type(value) is staticmethod else value

        def new(cls: Any, /, *arguments: Any, **named: Any) -> Any:
            made = make(cls, *arguments, **named)
            if type(made) is cls or cls in _mro_of(type(made)) or self._is_harmless(made, cls):
                return made
            raise TypeError("__new__ of a class must give an object of that class")

        return new

    def _ends_with_its_script(self, value: Any) -> Callable[..., Any]:
        """Let a destructor run where its script does: an object is freed on any thread, and at any time."""

        def end(self_: Any, /) -> None:
            if running.own is self._own:
                value(self_)

        return end

    def _is_harmless(self, made: Any, cls: type) -> bool:
        """Say whether no code of the library would write on *made*, taking it for an instance of *cls*."""
        if not all(base in _EMPTY_BASES or base in self._own.classes for base in _mro_of(cls)[1:]):
            return False
        return type(made) in _PLAIN or self._own.has_instance(made)


def _slots(given: Any) -> tuple[str, ...]:
    """Give the names in `__slots__` as they stay; raise TypeError for one that means something to Python."""
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if type(name) is not str or (name not in _SLOTS and name in CLOSED_NAMES):
            raise TypeError("__slots__ holds a name that is not available in a script")
    return names


def _answers_native_names(value: Any) -> Callable[..., Any]:
    ask = _bound_when_asked(value)

    def answer(self: Any, name: str, /) -> Any:
        return object.__getattribute__(self, name) if name in CLOSED_NAMES else ask(self, name)

    return answer


def _finds_native_names(value: Any) -> Callable[..., Any]:
    ask = _bound_when_asked(value)

    def find(self: Any, name: str, /) -> Any:
        if name in CLOSED_NAMES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return ask(self, name)

    return find


def _bound_when_asked(value: Any) -> Callable[[Any, str], Any]:
    """Give a function of object and name that calls *value* as Python calls what stands in a class."""
    if type(value) is FunctionType:
        return value
    if not hasattr(type(value), "__get__"):
        return lambda _, name: value(name)
    return lambda target, name: type(value).__get__(value, target, type(target))(name)


def _named_as(value: Any, name: str, checked: Callable[..., Any]) -> Callable[..., Any]:
    """Give *checked* the names and docstring of the function *value* that it stands for."""
    checked.__name__, checked.__qualname__ = name, name
    if type(value) is FunctionType:
        checked.__qualname__, checked.__doc__ = value.__qualname__, value.__doc__
    return checked
