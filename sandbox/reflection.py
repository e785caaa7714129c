"""getattr and its kin for scripts: they reach what syntax reaches, no more."""

import sys
import types
from collections.abc import Callable
from typing import Any

from sandbox.guards import Guards, readable_name, writable_name
from sandbox.names import SYNTAX_DUNDERS, is_dunder, kind
from sandbox.ownership import Ownership

_MISSING = object()


class Reflection:
    """The reflecting builtins of one run."""

    def __init__(self, own: Ownership, guards: Guards) -> None:
        self._own = own
        self._guards = guards

    def builtins(self) -> dict[str, Any]:
        """Give them by the names scripts know; like CPython's they do not bind when they stand in a class."""
        functions: dict[str, Callable[..., Any]] = {
            "getattr": self.getattr,
            "hasattr": self.hasattr,
            "setattr": self.setattr,
            "delattr": self.delattr,
            "vars": self.vars,
            "dir": self.dir,
            "globals": self.globals,
            "locals": self.locals,
        }
        return functions  # bound methods do not bind again

    def getattr(self, target: Any, name: Any, default: Any = _MISSING, /) -> Any:
        """Read an attribute as syntax would; *default* stands in for one that is not there or not accessible."""
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
        judged = kind(name)
        if judged == "power" or name in SYNTAX_DUNDERS or judged == "class":
            return hasattr(target, name)
        return self.getattr(target, name, _MISSING) is not _MISSING if judged != "dict" else self._has_dict(target)

    def setattr(self, target: Any, name: Any, value: Any, /) -> None:
        """Set an attribute as an assignment would."""
        setattr(self._guards.write(target), writable_name(name), value)

    def delattr(self, target: Any, name: Any, /) -> None:
        """Delete an attribute as a `del` statement would."""
        delattr(self._guards.write(target), writable_name(name))

    def vars(self, *target: Any) -> dict[str, Any]:
        """Give the attributes of an own object, or the local variables."""
        if not target:
            return self._names(sys._getframe(1), local=True)
        (owner,) = target
        try:
            return self._guards.dict_of(owner)
        except AttributeError:
            raise TypeError("vars() takes an instance of one of the script's own classes") from None

    def dir(self, *target: Any) -> list[str]:
        """Give the names that can be read from an object, or the local variables."""
        if not target:
            return sorted(self._names(sys._getframe(1), local=True))
        (owner,) = target
        return [name for name in dir(owner) if not (is_dunder(name) and kind(name) == "refused") and "!" not in name]

    def globals(self) -> dict[str, Any]:
        """Give a copy of the module's names: what is written to it stays there."""
        return self._names(sys._getframe(1), local=False)

    def locals(self) -> dict[str, Any]:
        """Give a copy of the local names."""
        return self._names(sys._getframe(1), local=True)

    def _read(self, target: Any, name: str) -> Any:
        judged = kind(name)
        if judged == "native":
            return getattr(target, name)
        if judged == "guarded":
            return self._guards.guarded(target, name)
        if judged in ("power", "access"):
            return self._guards.power(target, name)
        return getattr(self._guards.private(target), name)

    def _has_dict(self, target: Any) -> bool:
        return self._own.has_instance(target) and hasattr(target, "__dict__")

    def _names(self, frame: types.FrameType, *, local: bool) -> dict[str, Any]:
        # A function of the library may be the one that calls: its names are not the script's to see.
        if not self._own.has_namespace(frame.f_globals):
            raise RuntimeError("names can only be listed from the script itself")
        names = frame.f_locals if local else frame.f_globals
        return {name: value for name, value in names.items() if "!" not in name and name != "__builtins__"}
