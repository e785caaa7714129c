"""Exceptions of scripts are told with the script's own frames, places and words, and with nothing of ours."""

import json
from typing import Any

import pytest

from sandbox.limits import Limits
from sandbox.runtime.report import MAX_CHAIN, MAX_FRAMES, MAX_TEXT
from tests.sandbox.scripts import run

NESTED = """\
def price(item):
    return item["cost"] * 2

def total(items):
    s = 0
    for i in items:
        s = s + price(i)
    return s

return total(args["items"])
"""


def test_a_failure_is_told_with_type_message_frames_and_place() -> None:
    error = run(NESTED, {"items": [{"cost": 1}, {}]}, name="inv.py").error

    assert error == {
        "code": "script_runtime_error",
        "type": "KeyError",
        "message": "KeyError: 'cost'",
        "frames": [
            {
                "file": "inv.py",
                "line": 10,
                "column": 8,
                "function": "<module>",
                "source": 'return total(args["items"])',
            },
            {"file": "inv.py", "line": 7, "column": 17, "function": "total", "source": "        s = s + price(i)"},
            {"file": "inv.py", "line": 2, "column": 12, "function": "price", "source": '    return item["cost"] * 2'},
        ],
        "diagnostics": [
            {
                "file": "inv.py",
                "rule": "runtime",
                "severity": "error",
                "message": "KeyError: 'cost'",
                "line": 2,
                "column": 12,
                "end_line": 2,
                "end_column": 24,
                "source": '    return item["cost"] * 2',
                "hint": "",
            }
        ],
    }


def test_columns_count_characters_not_bytes() -> None:
    error = run('x = "üüü"; {}["ä"]\nreturn x').error

    assert (error["frames"][0]["column"], error["diagnostics"][0]["end_column"]) == (12, 19)


def test_a_method_and_a_lambda_are_named_as_their_author_named_them() -> None:
    error = run("class A:\n    def f(self):\n        return (lambda: 1 / 0)()\nreturn A().f()").error

    assert [frame["function"] for frame in error["frames"]] == ["<module>", "A.f", "A.f.<lambda>"]


def test_frames_of_the_library_are_left_out() -> None:
    error = run("import json\nreturn json.loads('[1', object_hook=None)").error

    assert (error["type"], [frame["line"] for frame in error["frames"]]) == ("JSONDecodeError", [2])


def test_a_deep_stack_is_told_by_its_two_ends() -> None:
    error = run("def f(n):\n    return f(n + 1)\nreturn f(0)").error

    assert (error["type"], len(error["frames"])) == ("RecursionError", MAX_FRAMES)
    assert error["hint"] == "Write it as a loop, or keep a list of what is still to do."


CHAIN = """\
try:
    {}["a"]
except KeyError as e:
    try:
        raise ValueError("bad") from e
    except ValueError as v:
        v.add_note("first note")
        int("x")
"""


def test_causes_contexts_and_notes_are_told() -> None:
    error = run(CHAIN + "return 1").error

    chain = [(link["relation"], link["type"], link["message"], link["frames"][0]["line"]) for link in error["chain"]]
    assert chain == [("context", "ValueError", "bad", 5), ("cause", "KeyError", "'a'", 2)]

    error = run("e = ValueError('x')\ne.add_note('see line 3')\nraise e\nreturn").error
    assert error["notes"] == ["see line 3"]


def test_a_chain_that_is_long_or_turns_back_on_itself_is_cut() -> None:
    text = """\
e = None
for i in range(50):
    try:
        raise ValueError(i) from e
    except ValueError as x:
        e = x
raise e
return
"""
    assert len(run(text).error["chain"]) == MAX_CHAIN


def test_members_of_an_exception_group_are_told_each_with_its_place() -> None:
    text = """\
import asyncio
async def bad():
    raise ValueError("in a task")
async with asyncio.TaskGroup() as group:
    group.create_task(bad())
return 1
"""
    error = run(text).error

    assert (error["type"], [member["type"] for member in error["exceptions"]]) == ("ExceptionGroup", ["ValueError"])
    assert [diagnostic["line"] for diagnostic in error["diagnostics"]] == [4, 3]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("raise SystemExit(3)", "SystemExit", "SystemExit: 3"),
        ("import sys\nsys.exit('done')", "SystemExit", "SystemExit: done"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit", "GeneratorExit"),
        ("raise StopIteration(1)", "StopIteration", "StopIteration: 1"),
        ("raise BaseException('b')", "BaseException", "BaseException: b"),
        ("import asyncio\nraise asyncio.CancelledError", "CancelledError", "CancelledError"),
        (
            "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
            "E",
            "E: <its message could not be read>",
        ),
        ("class E(Exception):\n    def __str__(self): return 5\nraise E", "E", "E: <its message could not be read>"),
        ("raise ValueError('\\ud800')", "ValueError", "ValueError: \\ud800"),
    ],
)
def test_whatever_is_raised_ends_the_call_with_an_error(text: str, kind: str, message: str) -> None:
    for form in (f"{text}\nreturn 1", f"import asyncio\nasync def main():\n    pass\n{text}"):
        error = run(form).error

        assert (error["code"], error["type"], error["message"]) == ("script_runtime_error", kind, message)
        json.dumps(error).encode()


def test_a_long_message_is_cut() -> None:
    assert len(run("raise ValueError('x' * 10 ** 6)\nreturn").error["message"]) == len("ValueError: ") + MAX_TEXT


@pytest.mark.parametrize(
    "text",
    [
        "raise MemoryError",
        "x = [0] * 10 ** 15",
        "raise SystemError('<built-in function x> returned NULL without setting an exception')",
        "import asyncio\nasync def f(): raise MemoryError\nasync with asyncio.TaskGroup() as g: g.create_task(f())",
        "class Mine(MemoryError): pass\nraise Mine",
    ],
)
def test_the_end_of_memory_is_told_as_such_whatever_it_looks_like(text: str) -> None:
    error = run(f"{text}\nreturn 1", limits=Limits(memory_mb=64)).error

    assert (error["code"], error["limit"]) == ("memory_limit", 64)
    assert error["message"] == "The script needed more than 64 MB of memory"
    assert error["diagnostics"]


def test_a_tool_error_carries_its_details() -> None:
    text = "import datetime\nraise ToolError('No such order', order=7, day=datetime.date(2024, 4, 1))\nreturn"

    assert run(text).error == {
        "code": "tool_error",
        "message": "No such order",
        "details": {"order": 7, "day": "2024-04-01"},
    }


def test_a_subclass_of_tool_error_is_one_and_odd_details_do_not_hide_it() -> None:
    text = "class Gone(ToolError): pass\nraise Gone('gone', thing=object())\nreturn"

    assert run(text).error == {
        "code": "tool_error",
        "message": "gone",
        "details": {"not_serializable": "$.thing is an object, which is not JSON"},
    }


def test_open_is_refused_with_the_place_and_what_the_parent_says_of_it() -> None:
    error = run('a = 1\nreturn open("data/prices.csv").read()', name="f.py").error

    assert error["code"] == "permission_denied"
    assert (error["permission"], error["hint"]) == ("files", "Grant it.")
    assert json.loads(error["value"]) == {"do": "read", "path": "data/prices.csv"}
    assert (error["frames"][0]["line"], error["diagnostics"][0]["line"]) == (2, 2)
    assert error["message"] == "open('data/prices.csv', 'r'): files is not granted"


def test_a_refused_open_can_be_handled() -> None:
    text = "try:\n    open('x', 'w')\nexcept PermissionError as error:\n    return type(error).__name__"

    assert run(text).value == "PermissionDenied"


@pytest.mark.parametrize("module", ["httpx", "requests"])
def test_a_request_is_refused_in_the_words_of_the_parent(module: str) -> None:
    error = run(f"import {module}\nreturn {module}.get('https://api.example.com/x').json()").error

    assert (error["code"], error["message"]) == ("permission_denied", "http is not granted")
    assert json.loads(error["value"])["url"] == "https://api.example.com/x"


FORMATTED = """\
import traceback
def fail():
    return 1 / 0
try:
    fail()
except ZeroDivisionError:
    return [traceback.format_exc(), traceback.format_exc().count("sandbox")]
"""


def test_format_exc_shows_the_scripts_own_frames() -> None:
    expected = (
        "Traceback (most recent call last):\n"
        '  File "script.py", line 5, in <module>\n    fail()\n'
        '  File "script.py", line 3, in fail\n    return 1 / 0\n'
        "ZeroDivisionError: division by zero\n"
    )

    assert run(FORMATTED).value == [expected, 0]


def test_errors_of_a_helper_name_its_file() -> None:
    helpers = {"lib.geometry": "def area(side):\n    return side['x']\n"}
    error = run("from lib.geometry import area\nreturn area({})", helpers=helpers).error

    assert [(frame["file"], frame["line"]) for frame in error["frames"]] == [("script.py", 2), ("lib/geometry.py", 2)]


def hint_of(text: str) -> Any:
    """Give the hint of the error that *text* ends with."""
    return run(f"{text}\nreturn 1").error.get("hint", "")


def test_names_of_other_hosts_and_exits_get_a_hint() -> None:
    assert "args" in hint_of("x = _input")
    assert "ToolError" in hint_of("raise SystemExit")


def test_paths_of_the_host_are_not_told() -> None:
    text = "import asyncio\nasync def f(): raise ValueError(repr(asyncio.current_task()))\n"

    message = run(f"{text}await asyncio.wait_for(f(), 1)\nreturn 1").error["message"]
    assert "asyncio/" in message
    assert "/asyncio/" not in message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "from typing import Protocol\nclass P(Protocol):\n    def f(self): ...\nreturn isinstance(1, P)",
            "No protocol can be checked here while a script runs, decorated or not: ask with hasattr or callable.",
        ),
        (
            "class A:\n    def f(self):\n        self.a = 1\nA.f([])\nreturn 1",
            "Only what the script made can be changed: lists, dicts and objects of its own classes.",
        ),
    ],
)
def test_what_cannot_be_done_here_says_what_can(text: str, hint: str) -> None:
    error = run(text).error
    assert error["hint"] == error["diagnostics"][0]["hint"] == hint


def test_a_variable_that_is_not_granted_is_told_as_a_sentence() -> None:
    error = run("import os\nreturn os.environ['HOME']").error
    assert error["message"] == "KeyError: os.environ has no HOME: secret is not granted Grant it."
