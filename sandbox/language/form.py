"""The form of a file: a `return` outside functions makes it the body of a function; else it is an ordinary module.

Wrapping is done on the syntax tree, so every place stays the author's.
"""

import ast
import builtins
import types
from typing import Any, Literal

from sandbox.language.diagnostic import Diagnostics
from sandbox.language.scope import Survey

Form = Literal["body", "function", "none"]

BODY = "body!"
"""The global name under which the function lies that a file in the body form becomes."""

_INJECTED = frozenset({"args", "ctx", "ToolError", "open", "httpx", "requests", "__file__", "__name__", "__doc__"})
_BUILTINS = frozenset(dir(builtins)) | _INJECTED
_PREFIX = f"{BODY}.<locals>."


def form_of(tree: ast.Module, survey: Survey, *, helper: bool) -> Form:
    """Say which form the file has; a helper is always a module."""
    if helper:
        return "none"
    if survey.returns:
        return "body"
    if main_function(tree) is not None:
        return "function"
    return "body" if survey.awaits else "none"


def main_function(tree: ast.Module) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Give the last definition of `main` outside functions and classes."""
    found = [node for node in top_statements(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return next((node for node in reversed(found) if node.name == "main"), None)


def top_statements(tree: ast.Module) -> list[ast.stmt]:
    """Give the statements outside functions and classes, those in blocks too, in the order of the text."""
    statements: list[ast.stmt] = []
    todo: list[ast.AST] = list(reversed(tree.body))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            statements.append(node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
        inner = [
            one for name in ("body", "handlers", "cases", "orelse", "finalbody") for one in getattr(node, name, ())
        ]
        todo += reversed(inner)
    return statements


def real_globals(survey: Survey) -> frozenset[str]:
    """Names of a body that must be real globals for it to mean what a module means.

    Declared `global` somewhere; also a builtin's name (`max = max(a, b)` reads the builtin first), as locals are not
    looked for among builtins; and names that a class body both reads and binds, as it looks past enclosing functions.
    """
    names = set(survey.declared_global)
    names |= survey.module.bound & _BUILTINS
    for scope in survey.scopes.values():
        if scope.is_class:
            names |= scope.bound & scope.loaded & survey.module.bound
    return frozenset(names)


def check_body(survey: Survey, diagnostics: Diagnostics) -> None:
    """Refuse what the body of a function may hold and a file may not."""
    for node in survey.yields:
        diagnostics.add("syntax", node, "'yield' outside function", "Collect the values in a list and return it.")


def wrap(tree: ast.Module, survey: Survey, names: frozenset[str]) -> ast.Module:
    """Make the file a function whose real globals are *names*; async if it awaits."""
    at = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
    body: list[ast.stmt] = list(tree.body) or [ast.Pass(**at)]
    doc = body[:1] if ast.get_docstring(tree, clean=False) is not None else []
    if names:
        body.insert(len(doc), ast.Global(sorted(names), **at))
    cls: Any = ast.AsyncFunctionDef if survey.awaits else ast.FunctionDef
    arguments = ast.arguments(
        posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )
    function = cls(name=BODY, args=arguments, body=body, decorator_list=[], returns=None, type_comment=None, **at)
    if "type_params" in cls._fields:
        function.type_params = []
    return ast.Module([*doc, function], [])


def hide_body(code: types.CodeType) -> types.CodeType:
    """Give *code* with the wrapping function's name gone from what functions and classes call themselves."""
    name = code.co_qualname.removeprefix(_PREFIX)
    constants = tuple(
        hide_body(one) if isinstance(one, types.CodeType) else name if one == code.co_qualname else one
        for one in code.co_consts
    )
    if code.co_name == BODY:
        return code.replace(co_consts=constants, co_name="<module>", co_qualname="<module>")
    return code.replace(co_consts=constants, co_qualname=name)
