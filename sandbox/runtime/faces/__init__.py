"""Faces: what `import` gives a script instead of modules. Each holds the chosen names of one module, nothing else."""

import importlib
import types
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sandbox.language.modules import ALIASES, NAMES
from sandbox.runtime.deputies import hold
from sandbox.runtime.safe_type import offer

_WITHOUT_LIBRARY = frozenset(
    {"httpx", "requests", "requests.auth", "requests.exceptions", "scriptool", "logging", "warnings", "traceback"}
)
"""Modules whose face is all our own; the library's is not even imported."""

_BEHIND: Mapping[str, str] = {"datetime": "_strptime", "time": "_strptime"}
"""Modules that C code of a face imports by itself, where it can only come from those already imported."""


class Faces:
    """The faces of one run; *replacements* has, by module, the names that are not the library's own."""

    def __init__(
        self,
        replacements: Mapping[str, Mapping[str, Any]],
        more: Callable[[str], Mapping[str, Any]] = lambda _: {},
        *,
        shares_process: bool = False,
    ) -> None:
        """*more* gives further ones of a module, when its face is made."""
        self._shares_process = shares_process
        self._replacements = replacements
        self._more = more
        self._faces: dict[str, types.ModuleType] = {}

    def face(self, module: str) -> types.ModuleType:
        """Give the face of an allowed module; raises KeyError for others."""
        module = ALIASES.get(module, module)
        face = self._faces.get(module)
        if face is None:
            face = self._faces[module] = self._made(module, NAMES[module])
        return face

    def make_all(self) -> None:
        """Make every face now, so that none is made while a script runs."""
        for module in NAMES:
            self.face(module)

    def _made(self, module: str, names: frozenset[str]) -> types.ModuleType:
        # The name is no real module's: `from face import x` would fall back to sys.modules["json.x"].
        face = types.ModuleType(f"<{module}>")
        library = None if module in _WITHOUT_LIBRARY else importlib.import_module(module)
        if module in _BEHIND:
            importlib.import_module(_BEHIND[module])
        face.__doc__ = library.__doc__ if library is not None else None
        more = self._more(module)
        replacements = {**self._replacements.get(module, {}), **more}
        for name in names:
            if name in replacements:
                setattr(face, name, _renamed(replacements[name], name, module))
            elif f"{module}.{name}" in NAMES:
                setattr(face, name, self.face(f"{module}.{name}"))
            elif hasattr(library, name):
                setattr(face, name, _frozen(getattr(library, name)))
        for name, value in vars(face).items():
            hold(value, writers=self._shares_process)
            if name not in more:  # those are of one run
                offer(value)
        return face


def _renamed(value: Any, name: str, module: str) -> Any:
    """A replacement under the name that scripts know: Python's own messages tell it."""
    if type(value) is types.MethodType and value.__func__.__module__.startswith("sandbox."):
        value.__func__.__qualname__ = name
    elif type(value) is types.FunctionType:
        value.__qualname__ = name
    elif isinstance(value, type) and value.__module__.startswith("sandbox."):
        value.__module__ = module
    return value


def _frozen(value: Any) -> Any:
    """A library's table as a copy that cannot be changed: the library itself looks things up in the original."""
    if type(value) in _FREEZERS:
        return _FREEZERS[type(value)](value)
    if type(value) is types.ModuleType:
        raise TypeError(f"a face may not hold the module {value.__name__}")
    return value


_FREEZERS: dict[type, Callable[[Any], Any]] = {
    dict: lambda table: MappingProxyType(dict(table)),
    list: tuple,
    set: frozenset,
}
