"""getattr and its kin for scripts: they reach what syntax reaches, no more."""

from typing import Any

from sandbox.language.names import NAMED_TUPLE_NAMES, SYNTAX_DUNDERS, kind
from sandbox.runtime.guards import Guards, readable_name
from sandbox.runtime.ownership import Ownership

_MISSING = object()
_MAX_NATIVE = 10_000
_BUILTINS = ("getattr", "hasattr", "setattr", "delattr", "vars", "dir")


class Reflection:
    """The reflecting builtins of one run."""

    def __init__(self, own: Ownership, guards: Guards) -> None:
        self._own = own
        self._guards = guards
        self._native: set[str] = set()
        """Names that were judged to be read as they are: these reads are to cost little."""

    def __repr__(self) -> str:
        return "<builtins>"

    def builtins(self) -> dict[str, Any]:
        """Give them by the names scripts know; like CPython's they do not bind when they stand in a class."""
        return {name: getattr(self, name) for name in _BUILTINS}

    def getattr(self, target: Any, name: Any, default: Any = _MISSING, /) -> Any:
        """Read an attribute as syntax would; *default* stands in for one that is not there or not accessible."""
        if type(name) is str and name in self._native:
            return getattr(target, name) if default is _MISSING else getattr(target, name, default)
        try:
            return self._read(target, readable_name(name))
        except AttributeError:
            if default is _MISSING:
                raise
            return default

    def hasattr(self, target: Any, name: Any, /) -> bool:
        """Say whether getattr would succeed, or a special method is there that syntax would call."""
        if type(name) is not str:
            raise TypeError("attribute name must be string")
        if name in self._native:
            return hasattr(target, name)
        judged = kind(name)
        if judged in ("power", "class") or name in SYNTAX_DUNDERS:
            return hasattr(target, name)
        if judged == "dict":
            return self._own.has_instance(target) and hasattr(target, name)
        try:
            self._read(target, readable_name(name))
        except AttributeError:
            return False
        return True

    def setattr(self, target: Any, name: Any, value: Any, /) -> None:
        """Set an attribute as an assignment would."""
        setattr(self._guards.write_named(target, name), name, value)

    def delattr(self, target: Any, name: Any, /) -> None:
        """Delete an attribute as a `del` statement would."""
        delattr(self._guards.write_named(target, name), name)

    def vars(self, target: Any, /) -> dict[str, Any]:
        """Give the attributes of an object of the script's own classes."""
        try:
            return self._guards.dict_of(target)
        except AttributeError:
            raise TypeError("vars() takes an instance of one of the script's own classes") from None

    def dir(self, target: Any, /) -> list[str]:
        """Give the names that can be read from an object."""
        return [name for name in dir(target) if kind(name) != "refused"]

    def _read(self, target: Any, name: str) -> Any:
        judged = kind(name)
        if judged == "native":
            if len(self._native) < _MAX_NATIVE:
                self._native.add(name)
            return getattr(target, name)
        if judged == "guarded":
            return self._guards.guarded(target, name)
        if judged in ("power", "access"):
            return self._guards.power(target, name)
        judge = self._guards.fields if name in NAMED_TUPLE_NAMES else self._guards.private
        return getattr(judge(target), name)


for _name in _BUILTINS:
    getattr(Reflection, _name).__qualname__ = _name  # what Python's own messages call it
