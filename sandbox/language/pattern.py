"""Patterns of `match`: CPython itself reads the attributes they name, so the names are judged at compile time."""

import ast

from sandbox.language.diagnostic import Diagnostics
from sandbox.language.names import kind


def check_value_pattern(node: ast.expr, diagnostics: Diagnostics) -> ast.Name | None:
    """Check a constant or dotted name that a pattern compares with; give the name it starts with, if it has one."""
    while isinstance(node, ast.Attribute):
        _check_attribute(node, node.attr, diagnostics)
        node = node.value
    return node if isinstance(node, ast.Name) else None


def check_class_pattern(node: ast.MatchClass, diagnostics: Diagnostics) -> ast.Name | None:
    """Check the class and the keywords of a class pattern; give the name the class starts with."""
    for name in node.kwd_attrs:
        _check_attribute(node, name, diagnostics)
    return check_value_pattern(node.cls, diagnostics)


def check_match_args(node: ast.ClassDef, diagnostics: Diagnostics) -> None:
    """Check that a class sets `__match_args__`, if at all, to a literal tuple of names that any text may read."""
    literal: set[ast.AST] = set()
    for statement in node.body:
        target = _single_target(statement)
        if _is_match_args(target) and _is_literal(getattr(statement, "value", None)):
            literal.add(target)  # type: ignore[arg-type]  # a Name, by the test above
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if statement.name == "__match_args__":
                _refuse(statement, diagnostics)
            continue
        for inner in ast.walk(statement):
            if (_is_match_args(inner) and inner not in literal) or _binds_otherwise(inner):
                _refuse(inner, diagnostics)


def guard_positions(tree: ast.Module) -> None:
    """Put `shown!(...)` around the class patterns of *tree* that go by position: see `sandbox.runtime.shown`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.MatchClass) and node.patterns:
            at = {
                "lineno": node.lineno,
                "col_offset": node.col_offset,
                "end_lineno": node.end_lineno,
                "end_col_offset": node.end_col_offset,
            }
            inner = ast.MatchClass(node.cls, node.patterns, node.kwd_attrs, node.kwd_patterns, **at)
            node.cls, node.patterns = ast.Name("shown!", ast.Load(), **at), [inner]
            node.kwd_attrs, node.kwd_patterns = [], []


def _check_attribute(node: ast.expr | ast.pattern, name: str, diagnostics: Diagnostics) -> None:
    if kind(name) != "native":
        diagnostics.add("pattern", node, f"A pattern may not read the attribute {name}.", name=name)


def _single_target(statement: ast.stmt) -> ast.AST | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.targets[0]
    return statement.target if isinstance(statement, ast.AnnAssign) else None


def _is_match_args(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Name) and node.id == "__match_args__" and not isinstance(node.ctx, ast.Load)


def _is_literal(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Tuple) and all(
        isinstance(one, ast.Constant) and type(one.value) is str and kind(one.value) == "native" for one in value.elts
    )


def _binds_otherwise(node: ast.AST) -> bool:
    """Say whether a statement that is no assignment binds `__match_args__`."""
    names: list[str | None]
    if isinstance(node, ast.alias):
        names = [node.asname or node.name]
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        names = list(node.names)
    else:
        names = [getattr(node, "name", None), getattr(node, "rest", None)]
    return "__match_args__" in names


def _refuse(node: ast.AST, diagnostics: Diagnostics) -> None:
    diagnostics.add(
        "match-args", node, "__match_args__ must be a literal tuple of public names.", name="__match_args__"
    )
