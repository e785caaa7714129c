"""What the running script made itself: its classes, their instances, its functions and its modules may be changed."""

import threading
import types
import typing
from typing import Any, Final

from sandbox.runtime.bases import OPEN_BASES

_mro_of = type.__dict__["__mro__"].__get__
_globals_of = types.FunctionType.__dict__["__globals__"].__get__

_LINEAGE = frozenset(cls for base in OPEN_BASES for cls in _mro_of(base))
"""The open bases and what they derive from; a class of the script has nothing else beside its own, and namedtuples."""

_TYPED_DICT: type = type(types.new_class("TypedDict", (typing.TypedDict,)))

_METACLASSES = frozenset({type(base) for base in OPEN_BASES} | {_TYPED_DICT})
"""What the classes of a script are made by. A metaclass of the script's own would answer for what it makes."""


class Ownership:
    """The classes and namespaces of one run. Questions are answered by exact types; no code of the script is called.

    A class never leaves: what was once own stays own, so a check holds for as long as the object lives.
    """

    def __init__(self) -> None:
        self.classes: Final[set[type]] = set()
        self.tuples: Final[set[type]] = set()
        """The namedtuples it made at run time: the library's, but for the names of their fields."""
        self._namespaces: list[dict[str, Any]] = []
        self._modules: list[types.ModuleType] = []

    def forget(self) -> None:
        """Begin anew: nothing is own."""
        self.classes.clear()
        self.tuples.clear()
        self._namespaces.clear()
        self._modules.clear()

    def let_go(self) -> None:
        """Keep nothing alive that the script made; its functions are known for its own still."""
        self.classes.clear()
        self.tuples.clear()
        self._modules.clear()
        for namespace in self._namespaces:
            namespace.clear()

    def add_namespace(self, namespace: dict[str, Any]) -> None:
        """Functions whose globals are *namespace* are the script's."""
        self._namespaces.append(namespace)

    def add_module(self, module: types.ModuleType) -> None:
        """*module* was made from the script's own text, and so were the functions in it."""
        self._modules.append(module)
        self._namespaces.append(module.__dict__)

    def has_class(self, candidate: Any) -> bool:
        """Say whether *candidate* is a class of the script; a class that is just being made counts by its bases."""
        return type(candidate) in _METACLASSES and self._made(candidate)

    def has_instance(self, candidate: Any) -> bool:
        """Say whether *candidate* is an instance of a class of the script."""
        return self._made(type(candidate))

    def has_function(self, candidate: Any) -> bool:
        """Say whether *candidate* is a function written in the script."""
        return type(candidate) is types.FunctionType and self.has_namespace(_globals_of(candidate))

    def has_namespace(self, namespace: dict[str, Any]) -> bool:
        """Say whether *namespace* is the globals of the script or of one of its helpers."""
        return any(namespace is own for own in self._namespaces)

    def has_module(self, candidate: Any) -> bool:
        """Say whether *candidate* is a helper module."""
        return any(candidate is module for module in self._modules)

    def has(self, candidate: Any) -> bool:
        """Say whether *candidate* is a class of the script or an instance of one."""
        return self.has_instance(candidate) or self.has_class(candidate)

    def _made(self, kind: type) -> bool:
        if kind in self.classes:
            return True
        above = _mro_of(kind)[1:]
        return (
            any(base in self.classes for base in above)
            and type(kind) in _METACLASSES
            and all(base in self.classes or base in _LINEAGE or issubclass(base, tuple) for base in above)
        )


class _Running(threading.local):
    own: Ownership | None = None


running = _Running()
"""What is own to the script that runs on this thread, for rules that act in functions of the library."""
