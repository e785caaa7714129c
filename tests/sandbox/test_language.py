"""Ordinary Python means in a script what it means in CPython: each program leaves the same `result` in both."""

from pathlib import Path
from typing import Any

import pytest

from sandbox.values import to_json
from tests.sandbox.scripts import run

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


def plain_result(text: str) -> Any:
    """Give the `result` that *text* leaves under CPython."""
    names: dict[str, Any] = {"__name__": "plain"}
    exec(compile(text, "plain", "exec"), names)
    return to_json(names["result"])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_gives_what_it_gives_under_cpython(program: Path) -> None:
    text = program.read_text()
    expected = plain_result(text)

    assert run(f"{text}\nreturn result").value == expected  # body form
    assert run(f"{text}\ndef main(): return result").value == expected  # function form


@pytest.mark.parametrize(
    "text",
    [
        "[].x",
        "{}['a']",
        "1 / 0",
        "int('x')",
        "undefined",
        "len(1)",
        "'a' + 1",
        "next(iter([]))",
        "[1][5]",
        "getattr(1, 'x')",
        "getattr(1, 2)",
        "(lambda a: a)()",
        "raise ValueError('x') from KeyError('y')",
        "import math; math.sqrt(-1)",
        "assert False",
        "a, b = 1",
        "'{0.nothing}'.format(1)",
        "class A:\n    __slots__ = ('x',)\nA().y = 1",
    ],
)
def test_a_failing_text_raises_the_same_exception(text: str) -> None:
    with pytest.raises(Exception) as caught:
        exec(text, {})

    expected = type(caught.value).__name__
    error = run(f"{text}\nreturn 1").error
    assert (error["code"], error["type"]) == ("script_runtime_error", expected)
