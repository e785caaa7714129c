"""Imports: which modules and names a file may import, which helpers it needs, and what its imports bind."""

import __future__

import ast
import difflib
from collections.abc import Iterable, Sequence

from sandbox.language.diagnostic import Diagnostics
from sandbox.language.modules import ALIASES, NAMES
from sandbox.language.rules import MODULE_HINTS
from sandbox.language.scope import Scope

HELPERS = "lib"
"""The package whose modules are the helper files of a tools folder."""

_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


class Imports:
    """Checks the imports of one file, in the order of its text."""

    def __init__(self, statements: Sequence[ast.Import | ast.ImportFrom], diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.helpers: set[str] = set()
        """Dotted names of the modules of `lib` the file imports."""
        self.optional: set[str] = set()
        """Further such names that may not be there: the file handles that, or they may be names in a module."""
        self.aliases: dict[str, str] = {}
        """Name that an import binds to the dotted name of what it is."""
        self.handled = 0
        """How many statements around the present one see to it that a failing import does no harm."""
        self._modules: dict[str, str] = {}
        """Name that stands for a module's face, to the module."""
        for statement in statements:
            self._note_names(statement)

    def visit_import(self, node: ast.Import) -> ast.Import:
        """Check `import a.b as c`."""
        for alias in node.names:
            self._check_module(alias, alias.name)
            self._note_helper(alias, alias.name)
        return node

    def visit_import_from(self, node: ast.ImportFrom) -> ast.stmt | None:
        """Check `from a.b import c`; give None for one that is for the compiler alone."""
        module = node.module or ""
        if node.level:
            hint = f"Write `from {HELPERS}.{module} import ...`." if module else ""
            self.diagnostics.add("import-relative", node, "Relative imports are not available.", hint)
            return node
        if module == "__future__":
            self._check_features(node)
            return None
        is_known = self._check_module(node, module)
        for alias in node.names:
            if alias.name == "*":
                self.diagnostics.add("import-star", node, f"`from {module} import *` is not available.")
                continue
            if module == HELPERS:
                self._note_helper(alias, f"{HELPERS}.{alias.name}")
            elif is_known:
                self._check_name(alias, module, alias.name)
            elif alias.name.startswith("__"):
                message = f"The name {alias.name} of {module} is private."
                self.diagnostics.add("import-private", alias, message, name=alias.name)
            if module.startswith(f"{HELPERS}.") and not alias.name.startswith("_"):
                self.optional.add(f"{module}.{alias.name}")
        if module != HELPERS:
            self._note_helper(node, module)
        return node

    def check_attribute(self, node: ast.Attribute, scope: Scope) -> None:
        """Warn where *node* reads a name that the face of an imported module does not have."""
        name = node.value.id if isinstance(node.value, ast.Name) else None
        module = self._modules.get(name) if name is not None else None
        if module is None or name is None or node.attr in _names_of(module) or f"{module}.{node.attr}" in NAMES:
            return
        if self.handled or _is_hidden(name, scope) or node.attr[:1] == "_" or module.partition(".")[0] == HELPERS:
            return
        message = f"{module}.{node.attr} is not available."
        self.diagnostics.add("module-attribute", node, message, self._nearest(node.attr, _names_of(module)))

    def _note_names(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.ImportFrom):
                self.aliases[alias.asname or alias.name] = f"{statement.module}.{alias.name}"
                continue
            top = alias.name.partition(".")[0]
            self.aliases[alias.asname or top] = alias.name if alias.asname else top
            self._modules[alias.asname or top] = alias.name if alias.asname else top

    def _check_module(self, node: ast.AST, module: str) -> bool:
        """Refuse a module that is not importable; say whether its names are known."""
        parts = module.split(".")
        if any(part.startswith("_") for part in parts):
            self.diagnostics.add("import-private", node, f"The module {module} is private.", name=module)
            return False
        if parts[0] == HELPERS or module in NAMES or module in ALIASES:
            return parts[0] != HELPERS
        if self.handled:
            self.diagnostics.add("unavailable-import", node, f"The module {module} is not available.", name=module)
            return False
        hint = MODULE_HINTS.get(module) or MODULE_HINTS.get(parts[0]) or self._nearest(module, NAMES)
        self.diagnostics.add("import-module", node, f"The module {module} is not available.", hint, name=module)
        return False

    def _check_name(self, node: ast.alias, module: str, name: str) -> None:
        if name in _names_of(module) or f"{module}.{name}" in NAMES:
            return
        if name.startswith("_"):
            self.diagnostics.add("import-private", node, f"The name {name} of {module} is private.", name=name)
        elif self.handled:
            self.diagnostics.add("unavailable-import", node, f"{module} offers no {name} here.", name=name)
        else:
            hint = self._nearest(name, _names_of(module))
            self.diagnostics.add("import-name", node, f"{module} offers no {name} here.", hint, name=name)

    def _note_helper(self, node: ast.AST, module: str) -> None:
        if module == HELPERS:
            hint = f"Name the file: `import {HELPERS}.NAME`, or `from {HELPERS}.NAME import ...`."
            self.diagnostics.add(
                "import-module", node, f"{HELPERS} is a folder of helpers, not a module.", hint, name=module
            )
        elif module.startswith(f"{HELPERS}."):
            if "._" in module:
                self.diagnostics.add("import-private", node, f"The module {module} is private.", name=module)
            (self.optional if self.handled else self.helpers).add(module)

    def _nearest(self, name: str, names: Iterable[str]) -> str:
        """Say which of *names* may have been meant; comparing takes time, by the square of the length."""
        if len(name) > 50 or self.diagnostics.full:
            return ""
        close = difflib.get_close_matches(name, names, n=1)
        return f"Did you mean {close[0]}?" if close else ""

    def _check_features(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name not in __future__.all_feature_names:
                self.diagnostics.add("future", alias, f"Python has no feature called {alias.name}.")


def handles_import_errors(handlers: Iterable[ast.AST]) -> bool:
    """Say whether one of the `except` clauses or `with suppress(...)` items catches a failing import."""
    for handler in handlers:
        if isinstance(handler, ast.ExceptHandler):
            caught = [handler.type] if handler.type is not None else []
            if not caught:
                return True
        elif isinstance(handler, ast.withitem) and isinstance(handler.context_expr, ast.Call):
            caught = handler.context_expr.args if _ends_in(handler.context_expr.func, "suppress") else []
        else:
            continue
        types = [one for kind in caught for one in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
        if any(isinstance(one, ast.Name) and one.id in _IMPORT_ERRORS for one in types):
            return True
    return False


def never_runs(test: ast.expr) -> bool:
    """Say whether an `if` with this *test* guards what only a type checker or a terminal sees."""
    if isinstance(test, ast.Compare):
        left = test.left
        return isinstance(left, ast.Name) and left.id == "__name__" and isinstance(test.ops[0], ast.Eq)
    return _ends_in(test, "TYPE_CHECKING")


def _ends_in(node: ast.expr, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)


def _names_of(module: str) -> frozenset[str]:
    return NAMES.get(ALIASES.get(module, module), frozenset())


def _is_hidden(name: str, scope: Scope) -> bool:
    """Say whether *name* means something else than the module in *scope*, or may."""
    inner: Scope | None = scope
    while inner is not None and inner.parent is not None:
        if name in inner.hides():
            return True
        inner = inner.parent
    return False
