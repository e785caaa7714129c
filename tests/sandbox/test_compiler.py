"""Bytes become code or diagnostics, whatever they are, and every place is the one in the author's file."""

import ast
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.language.compiler import Refused, compile_module
from tests.sandbox.scripts import run

HOLES = b"return \xc3\xa4 + )"


def refusal(source: bytes, **options: Any) -> dict[str, Any]:
    with pytest.raises(Refused) as caught:
        compile_module(source, **options)
    assert len(caught.value.diagnostics) == 1
    return caught.value.diagnostics[0]


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from codes(one)


@pytest.mark.parametrize(
    ("source", "line", "column", "end_column", "message"),
    [
        (b"x = 1\nprint 'hi'", 2, 1, 11, "Missing parentheses in call to 'print'. Did you mean print(...)?"),
        ("x = 1\nx = \u201chi\u201d".encode(), 2, 5, 6, "invalid character '\u201c' (U+201C)"),
        (b"if 1:\n    x = 1\n\ty = 2", 3, 1, 2, "inconsistent use of tabs and spaces in indentation"),
        (b"\xef\xbb\xbf" + HOLES, 1, 12, 13, "unmatched ')'"),
        (b"# coding: latin-1\nx = '\xe4' + )", 2, 11, 12, "unmatched ')'"),
        (b"x = 1\r\ny = (\r\n", 2, 5, 6, "'(' was never closed"),
        (b"x = 1\ry = )", 2, 5, 6, "unmatched ')'"),
        (b"def f(\xc3\xa4, \xc3\xa4): pass", 1, 10, 11, "duplicate argument '\xe4' in function definition"),
        (b"break", 1, 1, 6, "'break' outside loop"),
        (b"return 1\nx = 2; yield 3", 2, 8, 15, "'yield' outside function"),
        (b"class C:\n    return 2", 2, 5, 13, "'return' outside function"),
        (b"try:\n    pass\nexcept A, e:\n    pass", 3, 8, 12, "multiple exception types must be parenthesized"),
        ("x = 1\n\u00a0y = 2".encode(), 2, 1, 2, "invalid non-printable character U+00A0"),
    ],
)
def test_a_syntax_error_is_cpythons_own_at_the_place_in_the_file(
    source: bytes, line: int, column: int, end_column: int, message: str
) -> None:
    found = refusal(source)

    assert (found["rule"], found["line"], found["column"], found["end_column"]) == ("syntax", line, column, end_column)
    assert found["message"] == message
    assert found["hint"]


def test_a_syntax_error_in_an_f_string_is_at_the_place_in_the_file() -> None:
    found = refusal("x = 1\nreturn 'ä' + f'{x} {a b}'".encode())

    assert (found["line"], found["column"], found["end_column"]) == (2, 21, 24)


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        (b"x = 1\ny = '\xff'", 2, 6, "The byte 0xff is not utf-8 text: invalid start byte."),
        (b"\xef\xbb\xbfy = '\xff'", 1, 6, "The byte 0xff is not utf-8 text: invalid start byte."),
        ("\n\nä = '".encode() + b"\xe4'", 3, 6, "The byte 0xe4 is not utf-8 text: invalid continuation byte."),
        (b"x = 1\ny\0 = 2", 2, 2, "The file holds a NUL character."),
        ("x = 1".encode("utf-16"), 1, 1, "The file is UTF-16 or UTF-32, which Python does not read."),
        ("x = 1".encode("utf-16-le"), 1, 2, "The file holds a NUL character. The file looks like UTF-16."),
        (b"# coding: nonsense\nx", 1, 1, "Unknown encoding: nonsense."),
        (b"# coding: ascii\nx = '\xff'", 2, 6, "The byte 0xff is not ascii text: ordinal not in range(128)."),
    ],
)
def test_bytes_that_are_no_text_are_an_encoding_error_at_their_place(
    source: bytes, line: int, column: int, message: str
) -> None:
    found = refusal(source)

    assert (found["rule"], found["line"], found["column"]) == ("encoding", line, column)
    assert found["message"] == message


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (b"\xef\xbb\xbfreturn '\xc3\xa4'", "ä"),
        (b"# -*- coding: latin-1 -*-\nreturn '\xe4'", "ä"),
        (b"x = '''a\r\nb'''\r\nif x:\r\n\treturn x\r\n", "a\nb"),
        (b"'''doc'''\nfrom __future__ import annotations\nreturn __doc__", "doc"),
        (b"return 1", 1),
        (b"# only a comment", None),
        (b"", None),
        (b"\xef\xbb\xbf", None),
        (b"\n\n  # x\n\x0c\nreturn 2", 2),
        (b"def main():\n\treturn 3", 3),
        (b"import asyncio\nx = await asyncio.sleep(0, 4)\ndef main(): return x", 4),
        (b"import asyncio\nawait asyncio.sleep(0)", None),
        (b"if True:\n    async def main(): return 5", 5),
    ],
)
def test_every_form_of_file_runs(source: bytes, value: Any) -> None:
    assert run(source).value == value


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("return 1", "body"),
        ("if args:\n    return 1\ndef main(): pass", "body"),
        ("def main(): return 1", "function"),
        ("async def main(): return 1", "function"),
        ("try:\n    pass\nfinally:\n    def main(): pass", "function"),
        ("await x", "body"),
        ("[x async for x in y]", "body"),
        ("def f():\n    return 1\nclass C:\n    def main(self): pass", "none"),
        ("", "none"),
    ],
)
def test_the_form_is_told_by_what_stands_outside_functions(text: str, form: str) -> None:
    assert compile_module(text.encode()).outline["form"] == form


def test_a_file_without_a_result_is_warned_of_with_the_functions_it_has() -> None:
    found = compile_module(b"def area(): pass\ndef total(): pass").warnings

    assert [one["rule"] for one in found] == ["no-result"]
    assert found[0]["message"] == (
        "The file neither returns nor defines main, so its result is null. It defines area, total."
    )


def test_a_helper_is_a_module_and_returns_nothing() -> None:
    assert compile_module(b"def area(): pass", helper=True).warnings == []
    assert refusal(b"x = 1\nreturn x", helper=True)["message"] == "'return' outside function"
    assert refusal(b"x = 1\nawait x", helper=True)["message"] == "'await' outside function"


def test_every_code_object_says_the_file_it_is_told() -> None:
    code = compile_module(b"def f():\n    return [lambda: 1 for x in f]\nreturn f", filename="<lib.x>").code

    assert {one.co_filename for one in codes(code)} == {"<lib.x>"}


def test_no_name_of_the_wrapper_is_seen_by_the_script() -> None:
    text = b"class C:\n    class D:\n        def f(self): pass\ndef g(): return lambda: 1\n"
    text += b"return [C.D.f.__qualname__, g().__qualname__]"
    code = compile_module(text).code

    assert run(text).value == ["C.D.f", "g.<locals>.<lambda>"]
    assert [one.co_qualname for one in codes(code) if "!" in one.co_qualname] == []


def test_lines_and_columns_of_produced_code_are_the_authors() -> None:
    text = "def main():\n    x = {'a': C()}\n    x['a'].b = 1; x['a']._c\n    return '{}'.format(x)\n"
    text += "class C: pass\nC().__dict__"
    code = compile_module(text.encode()).code
    lines = text.split("\n")

    for one in codes(code):
        for line, end_line, column, end_column in one.co_positions():
            if line is None or end_line is None or column is None or end_column is None or line == 0:
                continue
            assert 1 <= line <= end_line <= len(lines)
            assert column <= len(lines[line - 1])
            assert end_column <= len(lines[end_line - 1])


def test_what_cpython_warns_of_is_a_warning() -> None:
    found = compile_module(b"x = '\\d'\nreturn x is 1").warnings

    assert [(one["rule"], one["line"]) for one in found] == [("python-warning", 1), ("python-warning", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "x = " + "[" * 10_000 + "]" * 10_000,
        "x = '''" + "(" * 200 + "'''\n" + "[" * 151 + "]" * 151,
        "x = " + "-" * 100_000 + "1",
        "x = " + "not " * 50_000 + "1",
        "x = a" + ".b" * 50_000,
        "x = a" + ".b()" * 2_000,
        "x = a" + "()" * 50_000,
        "x = " + "lambda: " * 20_000 + "1",
        "x = " + "1 if a else " * 20_000 + "1",
        "x = 1" + "**1" * 20_000,
        "x = 1" + " + 1" * 50_000,
        "if a:\n pass\n" + "elif a:\n pass\n" * 20_000,
        "x = " + "[i for i in " * 140 + "a" + "]" * 140,
        "x = a" + "[0]" * 20_000,
        "import a" + ".b" * 100_000,
        "if 1: import json, a" + "\\\n . b" * 50_000,
        "from a" + ".b" * 100_000 + " import c",
    ],
    ids=lambda text: text[:20],
)
def test_a_text_that_is_too_deep_is_refused_and_nothing_crashes(text: str) -> None:
    assert refusal(text.encode())["rule"] == "too-deep"


@pytest.mark.parametrize("text", ["a" + ".b" * 5_000, "int" + " | int" * 5_000, "a[" * 140 + "1" + "]" * 140])
def test_an_annotation_of_any_length_is_read_or_refused(text: str) -> None:
    try:
        outline = compile_module(f"def main(x: {text}): pass".encode()).outline
    except Refused as refused:
        assert [one["rule"] for one in refused.diagnostics] == ["too-deep"]
    else:
        assert len(json.dumps(outline)) < 200_000


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 149 + "1" + ")" * 149,
        "x = '" + "(" * 1000 + "' # " + "[" * 1000,
        'x = """' + "{" * 1000 + '"""',
        "x = 1" + " + 1" * (1_000 if sys.version_info[:2] == (3, 12) else 2_500),  # 3.12 bears no more of a tree
        "x = 'import " + "a." * 1_000 + "b' # " + "a." * 1_000,
        "a = 1\nif a == 0:\n    x = 1\n" + "elif a:\n    x = 2\n" * 300,
        "x = [" + "[1], " * 5_000 + "]",
        "x = " + "'a' " * 5_000,
        "a = 0\nx = a" + " or a" * 5_000,
        "x = 1" + " < 1" * 5_000,
        "x = " + "9" * 4_000,
        "\n".join("  " * depth + "if 1:" for depth in range(90)) + " x = 1",
    ],
    ids=lambda text: text[:20],
)
def test_long_is_not_deep(text: str) -> None:
    assert compile_module(text.encode()).warnings[-1]["rule"] == "no-result"


def test_a_message_is_short_however_long_a_name_is() -> None:
    found = refusal(b"import " + b"a" * 100_000)

    assert len(found["message"]) < 600
    assert len(found["source"]) == 1000


def test_a_file_with_a_thousand_refusals_tells_two_hundred() -> None:
    with pytest.raises(Refused) as caught:
        compile_module(b"x.__globals__\n" * 1000)

    assert [one["line"] for one in caught.value.diagnostics] == list(range(1, 201))


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_code_or_diagnostics(source: bytes) -> None:
    try:
        compile_module(source)
    except Refused as refused:
        assert all(one["line"] >= 1 and one["column"] >= 1 and one["message"] for one in refused.diagnostics)


TOKENS = (
    "x self _y __z__ ( ) [ ] { } : . , @ * ** = := += pass int json 1 t! def f class C return yield await async for in"
    " if else try: except with as match case lambda global del import from type super() .format .__init__ .__class__"
    " f'{ }' '{0.__class__}' ''' # ä \\"
)
FRAGMENTS = [*TOKENS.split(), "\n", "\n    ", "\t", "\r", "\0", " "]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(" ".join))
def test_any_mix_of_python_gives_code_or_diagnostics_and_refuses_what_cpython_refuses(text: str) -> None:
    try:
        compile_module(text.encode())
    except Refused as refused:
        assert all(one["hint"] for one in refused.diagnostics)
        return
    ast.parse(text.replace("\r\n", "\n").replace("\r", "\n"))


def test_what_cpython_compiles_is_compiled_or_refused_by_a_rule_of_the_policy() -> None:
    files = sorted(Path(ast.__file__).parent.glob("*.py"))[::3]
    by_the_parser = {"syntax", "encoding", "too-deep", "node"}

    for file in files:
        try:
            compile_module(file.read_bytes())
        except Refused as refused:
            assert [one for one in refused.diagnostics if one["rule"] in by_the_parser] == [], file


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in 3.12")
def test_a_type_parameter_leaves_no_code_behind() -> None:
    code = compile_module(b"def f[T: print(1)](x: T): pass\ntype X = print(2)\nclass C[T: print(3)]: pass").code

    assert [name for one in codes(code) for name in one.co_names if name == "print"] == []
