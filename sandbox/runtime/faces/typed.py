"""`typing` and `abc` for scripts: what marks or looks into objects of others is a mark without effect here."""

import abc
import typing
from typing import Any

from sandbox.runtime.class_statement import ABCMeta
from sandbox.runtime.ownership import Ownership
from sandbox.runtime.safe_type import SafeType

_DESCRIPTORS = (property, classmethod, staticmethod)


def unchanged(decorated: Any) -> Any:
    """`final`, `override` and `runtime_checkable`: say something to type checkers, change nothing."""
    return decorated


def overload(function: Any) -> Any:  # noqa: ARG001 - the implementation follows it under the same name
    """`typing.overload`: what it decorates is not to be called."""
    return _uncallable


def _uncallable(*_arguments: Any, **_named: Any) -> Any:
    raise NotImplementedError("You should not call an overloaded function; an implementation must follow the overloads")


def get_origin(annotation: Any) -> Any:
    """`typing.get_origin`; for `Type[X]` that is the `type` of scripts."""
    return _without_metaclass(typing.get_origin(annotation))


def get_args(annotation: Any) -> tuple[Any, ...]:
    """`typing.get_args`."""
    return tuple(_without_metaclass(argument) for argument in typing.get_args(annotation))


def _without_metaclass(value: Any) -> Any:
    return SafeType if issubclass(type(value), type) and issubclass(value, type) else value


class Abstract:
    """The parts of `abc` that change what they are given, for one run."""

    def __init__(self, own: Ownership) -> None:
        self._own = own

    def __repr__(self) -> str:
        return "<abc>"

    def abstractmethod(self, function: Any) -> Any:
        """`abc.abstractmethod` for functions of the script's own."""
        if self._own.has_function(function) or type(function) in _DESCRIPTORS:
            return abc.abstractmethod(function)
        return function


def _type_alias() -> Any:
    """`typing.Type` as an alias of the `type` of scripts: an alias compares what it stands for with anything."""
    return typing._alias(SafeType, 1, inst=False, name="Type")  # type: ignore[attr-defined]  # as the library makes it


TYPING: dict[str, Any] = {
    "Type": _type_alias(),
    "final": unchanged,
    "override": unchanged,
    "runtime_checkable": unchanged,
    "overload": overload,
    "get_origin": get_origin,
    "get_args": get_args,
}
ABC: dict[str, Any] = {"ABCMeta": ABCMeta}
