"""The grammar table: every kind of statement and expression means in the sandbox what it means to CPython."""

import __future__

import ast
import asyncio
from typing import Any

import pytest

from tests.sandbox.scripts import run
from tests.sandbox.sections import read_sections


def words(text: str) -> set[str]:
    return set(text.split())


TABLE = read_sections("grammar.txt")

TOP_LEVEL_ONLY = {
    "global": "a global is no local",
    "global at the top": "a global is no local",
    "future import": "must begin a file",
    "builtin read before it is bound": "a function does not look among builtins for its locals",
    "body rebinds args": "a function does not look among builtins for its locals",
    "class reads a name it binds": "a class does not look into functions for a name it binds",
    "class changes a name it reads from outside": "a class does not look into functions for a name it binds",
}

FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | __future__.annotations.compiler_flag
"""The sandbox never evaluates annotations, so CPython is asked not to."""

REFUSED = {"TryStar", "TemplateStr", "Interpolation"}
"""Node classes that no script may use; each has a named rule in test_policy."""

NOT_IN_SOURCE = words("FunctionType Interactive Expression TypeIgnore Suite Param AugLoad AugStore AST")
DEPRECATED = words("Num Str Bytes NameConstant Ellipsis Index ExtSlice slice")
ABSTRACT = words(
    "mod stmt expr expr_context boolop operator unaryop cmpop excepthandler pattern type_ignore type_param"
)


def plain(text: str) -> Any:
    """Run a script under CPython itself: all but its last statement as a module, then the value it returns."""
    tree = ast.parse(text)
    last = tree.body.pop()
    assert isinstance(last, ast.Return) and last.value is not None
    tree.body.append(ast.Assign([ast.Name("returned!", ast.Store())], last.value))
    code = compile(ast.fix_missing_locations(tree), "plain", "exec", FLAGS)
    namespace: dict[str, Any] = {"__name__": "script", "args": {}}
    awaited = eval(code, namespace)
    if awaited is not None:
        asyncio.run(awaited)
    return namespace["returned!"]


def as_json(value: Any) -> Any:
    """Give a value as the sandbox hands it on."""
    if isinstance(value, (list, tuple)):
        return [as_json(one) for one in value]
    return {key: as_json(one) for key, one in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", TABLE)
def test_a_construct_gives_the_value_that_cpython_gives(name: str) -> None:
    text = TABLE[name]

    assert run(text).value == as_json(plain(text))


@pytest.mark.parametrize("name", [name for name in TABLE if name not in TOP_LEVEL_ONLY])
def test_a_construct_gives_the_same_value_inside_a_function(name: str) -> None:
    text = TABLE[name]
    lines = "\n".join(f"    {line}" for line in text.splitlines())

    assert run(f"async def main():\n{lines}").value == as_json(plain(text))


def test_the_table_uses_every_node_class_of_the_grammar() -> None:
    used = {type(node).__name__ for text in TABLE.values() for node in ast.walk(ast.parse(text))}
    grammar = {
        name for name, cls in vars(ast).items() if name[0] != "_" and isinstance(cls, type) and issubclass(cls, ast.AST)
    }

    assert grammar - used - ABSTRACT - DEPRECATED - NOT_IN_SOURCE - REFUSED == set()
