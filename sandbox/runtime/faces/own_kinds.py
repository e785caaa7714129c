"""Own kinds: what a script has of its own where it shares its process with an application, in place of the library's.

Kinds whose instances may be changed, so that those are what the script made; and tables that the library reads.
"""

import calendar
import csv
import decimal
import textwrap
import types
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.runtime.remade import remade


class OwnKinds:
    """The parts of one run."""

    def __init__(self) -> None:
        self.text_wrapper = remade(textwrap.TextWrapper, {})
        self.context = type("Context", (decimal.Context,), {"copy": _copied, "__copy__": _copied})
        self.simple_namespace = type("SimpleNamespace", (types.SimpleNamespace,), {"__repr__": _shown})
        for kind in (self.context, self.simple_namespace):
            kind.__module__ = kind.__base__.__module__

    def kinds(self) -> tuple[type, ...]:
        """Give the classes that count as the script's own."""
        return self.text_wrapper, self.context, self.simple_namespace

    def names(self, module: str) -> Mapping[str, Any]:
        """Give the replacements in *module*, made when it is imported."""
        makers: dict[str, Callable[[], Mapping[str, Any]]] = {
            "calendar": lambda: {"HTMLCalendar": remade(calendar.HTMLCalendar, {})},
            "csv": lambda: Dialects().names(),
            "decimal": self._decimal,
            "textwrap": lambda: {"TextWrapper": self.text_wrapper},
            "types": lambda: {"SimpleNamespace": self.simple_namespace},
        }
        return makers[module]() if module in makers else {}

    def _decimal(self) -> dict[str, Any]:
        contexts = ("DefaultContext", "BasicContext", "ExtendedContext")
        return {"Context": self.context} | {name: _copied(getattr(decimal, name), self.context) for name in contexts}


class Dialects:
    """The parts of `csv` that know dialects by name."""

    def __init__(self) -> None:
        self._known = {name: csv.get_dialect(name) for name in csv.list_dialects()}
        self._make: Any = type(csv.get_dialect("excel"))

    def __repr__(self) -> str:
        return "<csv>"

    def names(self) -> dict[str, Any]:
        """Give them by name."""
        names = ("get_dialect", "list_dialects", "register_dialect", "unregister_dialect", "reader", "writer")
        table: dict[str, Any] = {name: getattr(self, name) for name in names}
        found: dict[str, Any] = {**vars(csv), "reader": self.reader, "writer": self.writer}
        return table | {name: remade(getattr(csv, name), {}, found=found) for name in ("DictReader", "DictWriter")}

    def get_dialect(self, name: Any) -> Any:
        """`csv.get_dialect`."""
        known = self._known.get(str.__str__(name)) if isinstance(name, str) else None
        if known is None:
            raise csv.Error("unknown dialect")
        return known

    def list_dialects(self) -> list[str]:
        """`csv.list_dialects`."""
        return list(self._known)

    def register_dialect(self, name: Any, dialect: Any = "excel", **options: Any) -> None:
        """`csv.register_dialect`, for this run."""
        if not isinstance(name, str):
            raise TypeError("dialect name must be a string")
        self._known[str.__str__(name)] = self._make(self._found(dialect), **options)

    def unregister_dialect(self, name: Any) -> None:
        """`csv.unregister_dialect`, for this run."""
        self.get_dialect(name)
        del self._known[str.__str__(name)]

    def reader(self, iterable: Any, dialect: Any = "excel", **options: Any) -> Any:
        """`csv.reader`."""
        return csv.reader(iterable, self._found(dialect), **options)

    def writer(self, file: Any, dialect: Any = "excel", **options: Any) -> Any:
        """`csv.writer`."""
        return csv.writer(file, self._found(dialect), **options)

    def _found(self, dialect: Any) -> Any:
        return self.get_dialect(dialect) if isinstance(dialect, str) else dialect


def _copied(context: decimal.Context, kind: Any = None) -> decimal.Context:
    """`decimal.Context.copy`: a context of the run's own."""
    made: decimal.Context = (kind or type(context))(
        context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp
    )
    for signal in context.flags:
        made.flags[signal], made.traps[signal] = context.flags[signal], context.traps[signal]
    return made


def _shown(namespace: Any) -> str:
    """What `repr` tells of a SimpleNamespace."""
    return "namespace" + types.SimpleNamespace.__repr__(namespace).removeprefix(type(namespace).__name__)
