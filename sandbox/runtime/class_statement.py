"""The `class` statement of a script: which bases and metaclass it may name, and that what it makes is its own."""

import abc
import enum
import types
import typing
from typing import Any

from sandbox.runtime.bases import OPEN_BASES
from sandbox.runtime.fields import check_fields, check_names
from sandbox.runtime.hooks import Hooks
from sandbox.runtime.ownership import Ownership
from sandbox.runtime.safe_type import SafeType

_mro_of = type.__dict__["__mro__"].__get__
_ALIASES = (type(typing.List[int]), types.GenericAlias)  # noqa: UP006 - the class of typing's own aliases
_MAKERS = (typing.NamedTuple, typing.TypedDict)


class ABCMeta:
    """Stands for abc.ABCMeta in `metaclass=ABCMeta`: a real metaclass would make classes that nobody has checked."""


ABCMeta.__module__ = "abc"

CLASS_OF = property(type)
"""Tells an object's class, and cannot be set: what is proven of an object would no longer hold."""

_PLAIN_METACLASSES = {type(base) for base in OPEN_BASES}
"""Those that take a namespace as it is."""

_METACLASSES: dict[Any, type] = {ABCMeta: abc.ABCMeta, SafeType: type}


class ClassStatement:
    """What runs where a script says `class`; each class it makes joins *own*."""

    def __init__(self, own: Ownership) -> None:
        self._own = own
        self._hooks = Hooks(own)

    def __call__(self, body: Any, name: str, /, *bases: Any, **named: Any) -> Any:
        """Make the class, as `builtins.__build_class__` does. Raises TypeError for a base that is not open."""
        check_names(named)
        resolved = tuple(cls for base in bases for cls in self._resolved(base, bases))
        check_fields(self._own, resolved)
        if "metaclass" in named:
            named["metaclass"] = _metaclass(named["metaclass"])
        metaclass, namespace, options = types.prepare_class(name, resolved, named)
        if issubclass(metaclass, enum.EnumType) and "_simple" in options:
            raise TypeError("an enum of a script has tables of its own")
        # Between its body and the class, so that no code of the script meets the class with unchecked hooks.
        exec(body.__code__, body.__globals__, namespace, closure=body.__closure__)
        self._hooks.check(namespace, metaclass)
        if metaclass in _PLAIN_METACLASSES:
            namespace["__class__"] = CLASS_OF
        if resolved != bases:
            namespace["__orig_bases__"] = bases
        cls = metaclass(name, resolved, namespace, **options)
        self._own.classes.add(cls)
        return cls

    def _resolved(self, base: Any, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """Give the classes that *base* stands for in a class statement, once they were found to be open.

        They are what the class is made of: an alias that is asked again could give others.
        """
        if any(base is maker for maker in _MAKERS):
            return tuple(base.__mro_entries__(bases))
        resolved = tuple(base.__mro_entries__(bases)) if type(base) in _ALIASES else (base,)
        for cls in resolved:
            if not issubclass(type(cls), type):
                raise TypeError(f"a class is made of classes, not of a {type(cls).__name__}")
            if not self.may_be_base(cls):
                raise TypeError(f"{cls.__name__} may not be a base class in a script")
        return resolved

    def may_be_base(self, cls: type) -> bool:
        """Say whether the script may derive from *cls*."""
        return cls in OPEN_BASES or self._own.has_class(cls) or _is_namedtuple(cls)


def _metaclass(metaclass: Any) -> type:
    for offered, real in _METACLASSES.items():
        if metaclass is offered:
            return real
    raise TypeError("a script may name ABCMeta as metaclass, no other")


def _is_namedtuple(cls: type) -> bool:
    mro = _mro_of(cls)
    return type(cls) is type and len(mro) == 3 and mro[1] is tuple and type(cls.__dict__.get("_fields")) is tuple
