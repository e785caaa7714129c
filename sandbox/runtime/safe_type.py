"""The `type` of scripts: says what class an object has, makes no class, and never hands out a metaclass.

Nor a class that no face offers: its instances were made by what checks how, and calling it would go round that.
"""

import types
import weakref
from typing import Any

from sandbox.runtime.bases import EXCEPTIONS, OPEN_BASES
from sandbox.runtime.ownership import running

_mro_of = type.__dict__["__mro__"].__get__

_offered: set[type] = {*OPEN_BASES, *EXCEPTIONS, type(None), type(NotImplemented), type(...)}


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


def offer(value: Any) -> None:
    """Let `type()` show *value*, if it is a class that makes no classes: scripts have it already."""
    if isinstance(value, type) and not issubclass(value, type):
        _offered.add(value)


def type_of(target: Any) -> Any:
    """Give the class of *target*, or what stands for it; the class of a class is `type`, whatever its metaclass."""
    cls = type(target)
    if cls in _offered or (running.own is not None and cls in running.own.classes):
        return cls
    if issubclass(cls, type):
        return SafeType
    if issubclass(cls, BaseException) or _is_of_script(cls):
        return cls
    return _stand_in(cls)


def class_meant(cls: Any) -> Any:
    """Give the class that *cls* stands for, or *cls* itself."""
    return _stood_for(cls) if type(cls) is _StandInType else cls


def _is_of_script(cls: type) -> bool:
    return running.own is not None and (running.own.has_class(cls) or cls in running.own.tuples)


class _StandInType(type):
    def __call__(cls, *_arguments: Any, **_named: Any) -> Any:
        raise TypeError(f"cannot create {cls.__name__!r} instances in a script")

    def __instancecheck__(cls, candidate: Any) -> bool:
        return _stood_for(cls) in _mro_of(type(candidate))

    def __subclasscheck__(cls, candidate: Any) -> bool:
        return issubclass(class_meant(candidate), _stood_for(cls))

    def __repr__(cls) -> str:
        return f"<class {_spelling(cls)!r}>"


_stand_ins: "weakref.WeakKeyDictionary[type, type]" = weakref.WeakKeyDictionary()
_originals: "weakref.WeakKeyDictionary[type, weakref.ref[type]]" = weakref.WeakKeyDictionary()


def _stand_in(cls: type) -> type:
    """Give the one class that scripts see for *cls*: it has its name and its instances, and makes none."""
    known = _stand_ins.get(cls)
    if known is None:
        names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
        known = _stand_ins[cls] = _StandInType(cls.__name__, (), names)
        _originals[known] = weakref.ref(cls)
    return known


def _stood_for(stand_in: type) -> type:
    return _originals[stand_in]() or type(None)


def _spelling(cls: type) -> str:
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
