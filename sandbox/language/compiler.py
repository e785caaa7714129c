"""The compiler: bytes of source become a code object and an outline, or diagnostics; nothing of the text is run."""

import ast
import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sandbox.language.diagnostic import Diagnostics, Refused
from sandbox.language.form import Form, check_body, form_of, hide_body, real_globals, wrap
from sandbox.language.imports import Imports
from sandbox.language.outline import read_outline
from sandbox.language.pattern import guard_positions
from sandbox.language.policy import Policy
from sandbox.language.rules import FOREIGN_NAMES, MISSING_BUILTINS, REFUSED_BUILTINS
from sandbox.language.scope import Survey, survey
from sandbox.language.source import add_python_warnings, add_syntax_error, decode, parse

__all__ = ["WRAPPER_VERSION", "Compiled", "Refused", "compile_module"]

WRAPPER_VERSION = 1
"""Changes when the shape of produced code does."""

_TREE_RECURSION = 4000
"""More levels than any tree has that CPython's parser gives, which stops at three thousand."""


@dataclass(frozen=True)
class Compiled:
    """What a text becomes: `exec(code, globals)` runs the module; *lines* are its decoded lines, for excerpts."""

    code: types.CodeType
    outline: dict[str, Any]
    warnings: list[dict[str, Any]]
    lines: list[str]


def compile_module(
    source: bytes, *, helper: bool = False, filename: str = "<script>", shares_process: bool = False
) -> Compiled:
    """Compile one file; *filename* is what its code objects say they come from. Raise Refused, and nothing else.

    With *shares_process* the code is for a process that is not the script's alone.
    """
    text = decode(source)
    diagnostics = Diagnostics(text.split("\n"))
    try:
        return _compile(text, diagnostics, helper=helper, filename=filename, shares_process=shares_process)
    except (RecursionError, MemoryError):
        diagnostics.add_at("too-deep", "The text is nested too deeply to be compiled.", (1, 1))
        raise diagnostics.refusal() from None


def _compile(
    text: str, diagnostics: Diagnostics, *, helper: bool, filename: str, shares_process: bool = False
) -> Compiled:
    tree = parse(text, diagnostics)
    facts = survey(tree, diagnostics)
    form = form_of(tree, facts, helper=helper)
    imports = Imports(facts.imports, diagnostics)
    outline = read_outline(tree, form, imports.aliases, diagnostics.lines)
    names = real_globals(facts) if form == "body" else None
    Policy(facts, diagnostics, imports, body=names).visit(tree)
    if shares_process:
        guard_positions(tree)
    _check_undefined(facts, diagnostics)
    if names is not None:
        check_body(facts, diagnostics)
        tree = wrap(tree, facts, names)
    code = _code(tree, filename, diagnostics, may_await=not helper)
    _warn_of_no_result(outline, form, helper, diagnostics)
    outline["imports"] = sorted(imports.helpers)
    outline["optional_imports"] = sorted(imports.optional - imports.helpers)
    return Compiled(hide_body(code) if form == "body" else code, outline, diagnostics.warnings, diagnostics.lines)


def _code(tree: ast.Module, filename: str, diagnostics: Diagnostics, *, may_await: bool) -> types.CodeType:
    """Let CPython compile the tree; its own refusals join those of the policy."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if may_await else 0
    code: types.CodeType | None = None
    try:
        with warnings.catch_warnings(record=True) as caught, _room_for_chains():
            warnings.simplefilter("always")
            code = compile(tree, filename, "exec", flags=flags, dont_inherit=True)
        add_python_warnings(caught, diagnostics)
    except SyntaxError as error:
        add_syntax_error(error, diagnostics, in_bytes=True)
    except ValueError as error:
        diagnostics.add_at("syntax", f"The text cannot be compiled: {error}.", (1, 1))
    diagnostics.raise_refusals()
    assert code is not None, "compile either gives code or raises"
    return code


@contextmanager
def _room_for_chains() -> Iterator[None]:
    """Let Python 3.11 take back what its parser made of a long chain of operators: it counts each as a level."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _TREE_RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _check_undefined(facts: Survey, diagnostics: Diagnostics) -> None:
    """Refuse or warn of names that the file reads, never binds, and that other places define."""
    undefined = facts.loads.keys() - facts.bound
    for name in sorted(undefined & REFUSED_BUILTINS.keys() - {"__import__"}):
        for node in facts.loads[name]:
            diagnostics.add("builtin", node, f"{name} is not available.", REFUSED_BUILTINS[name])
    for name in sorted(undefined & MISSING_BUILTINS.keys()):
        diagnostics.add("missing-builtin", facts.loads[name][-1], f"{name} is not defined.", MISSING_BUILTINS[name])
    for name in sorted(undefined & FOREIGN_NAMES.keys()):
        diagnostics.add("foreign-name", facts.loads[name][-1], f"{name} is not defined here.", FOREIGN_NAMES[name])


def _warn_of_no_result(outline: dict[str, Any], form: Form, helper: bool, diagnostics: Diagnostics) -> None:
    if form != "none" or helper:
        return
    functions = outline["functions"]
    defined = f" It defines {', '.join(functions)}." if functions else ""
    message = f"The file neither returns nor defines main, so its result is null.{defined}"
    diagnostics.add_at("no-result", message, (1, 1))
