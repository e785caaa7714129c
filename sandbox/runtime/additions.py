"""Additions: modules that an operator lets scripts import beside those of the language, at his own risk.

A face of one holds its public functions, classes and plain values; no submodule that was not added itself.
"""

import importlib
import types
from collections.abc import Iterable
from typing import Any

from sandbox.language.modules import LANGUAGE, allow

_PLAIN = (str, bytes, int, float, complex, bool, type(None))


def check_additions(names: Iterable[str]) -> None:
    """Raise ValueError unless all of *names* are dotted names of modules that may be added."""
    for name in names:
        if not all(part.isidentifier() and not part.startswith("_") for part in name.split(".")):
            raise ValueError(f"{name!r} is no name of a public module")
        if name in LANGUAGE or name.partition(".")[0] == "lib":
            raise ValueError(f"scripts have a module {name} already")


def add(names: Iterable[str]) -> None:
    """Import the modules *names* and let scripts of this process import them. Raises whatever an import raises."""
    for name in names:
        allow(name, _public_names(importlib.import_module(name)))


def _public_names(module: types.ModuleType) -> frozenset[str]:
    """Give the names of what the module itself defines, or says it offers."""
    stated = getattr(module, "__all__", None)
    top = module.__name__.partition(".")[0]
    return frozenset(
        name
        for name in (vars(module) if stated is None else stated)
        if not name.startswith("_")
        and _may_be_offered(getattr(module, name, None))
        and (stated is not None or _is_of(top, getattr(module, name)))
    )


def _may_be_offered(value: Any) -> bool:
    if isinstance(value, type):
        return not issubclass(value, type)  # a metaclass makes classes that no check has seen
    return callable(value) or type(value) in _PLAIN


def _is_of(top: str, value: Any) -> bool:
    """Say whether *value* was not just imported by the module from elsewhere; a plain value does not tell."""
    where = getattr(value, "__module__", None)
    return where is None or where.partition(".")[0] == top
