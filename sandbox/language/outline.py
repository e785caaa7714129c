"""The outline: what a file says of itself as a tool, as JSON, without running it."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.language.annotation import Annotations
from sandbox.language.classes import Classes, docstring
from sandbox.language.form import Form, main_function, top_statements

Function = ast.FunctionDef | ast.AsyncFunctionDef


def read_outline(tree: ast.Module, form: Form, aliases: Mapping[str, str], lines: Sequence[str]) -> dict[str, Any]:
    """Give the outline of *tree* but for its helper imports; *aliases* is what the imports bind."""
    statements = top_statements(tree)
    annotations = Annotations(aliases, lines, _type_aliases(statements))
    main = main_function(tree) if form == "function" else None
    parameters = _parameters(main, annotations) if main is not None else []
    returns = annotations.read(main.returns) if main is not None else None
    classes = Classes(statements, annotations, aliases)
    return {
        "form": form,
        "doc": (docstring(main) if main is not None else None) or docstring(tree),
        "takes_args": len(parameters) == 1
        and parameters[0]["name"] == "args"
        and parameters[0]["kind"] in ("positional_only", "normal"),
        "parameters": parameters,
        "returns": returns,
        "classes": classes.reached([parameter["annotation"] for parameter in parameters] + [returns]),
        "functions": [node.name for node in statements if isinstance(node, Function)],
        "imports": [],
        "optional_imports": [],
        "block": None,
    }


def _parameters(main: Function, annotations: Annotations) -> list[dict[str, Any]]:
    arguments = main.args
    positional = arguments.posonlyargs + arguments.args
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    kinds = ["positional_only"] * len(arguments.posonlyargs) + ["normal"] * len(arguments.args)
    rows = list(zip(positional, kinds, defaults, strict=True))
    if arguments.vararg is not None:
        rows.append((arguments.vararg, "var_positional", None))
    rows += [
        (argument, "keyword_only", default)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg is not None:
        rows.append((arguments.kwarg, "var_keyword", None))
    return [_parameter(argument, kind, default, annotations) for argument, kind, default in rows]


def _parameter(argument: ast.arg, kind: str, default: ast.expr | None, annotations: Annotations) -> dict[str, Any]:
    parameter = {
        "name": argument.arg,
        "kind": kind,
        "annotation": annotations.read(argument.annotation),
        "line": argument.lineno,
        "column": annotations.column(argument),
    }
    return parameter if default is None else parameter | {"default": annotations.default(default)}


def _type_aliases(statements: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """Give the names that stand for a type expression; one that is bound twice stands for nothing certain."""
    found: dict[str, ast.expr] = {}
    seen: set[str] = set()
    for statement in statements:
        name, value = _type_alias(statement)
        if name is None:
            continue
        if name in seen or value is None:
            found.pop(name, None)
        else:
            found[name] = value
        seen.add(name)
    return found


def _type_alias(statement: Any) -> tuple[str | None, ast.expr | None]:
    if type(statement).__name__ == "TypeAlias":
        return statement.name.id, None if statement.type_params else statement.value
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id, statement.value
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        is_type = isinstance(statement.value, (ast.Subscript, ast.BinOp, ast.Name, ast.Attribute))
        return statement.targets[0].id, statement.value if is_type else None
    return None, None
