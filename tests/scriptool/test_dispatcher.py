"""The one path of a call, with real scripts."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from scriptool.app import App
from scriptool.call import Call, Caller
from tests.secrecy import secret

PASSWORD = secret("s3cr3t-VALUE-99")

WriteTool = Callable[[str, str], Path]


def definition(name: str, **more: Any) -> str:
    """Give the text of a definition of NAME.py, or of another kind."""
    fields: dict[str, Any] = {"name": name, "description": f"{name}.", "kind": "script"}
    fields |= {"file": f"{name}.py"} if more.get("kind", "script") == "script" else {}
    return json.dumps(fields | more)


async def test_unknown_tool_is_told_with_the_nearest_names(call: Any, write_tool: WriteTool) -> None:
    write_tool("price.py", "return 1")
    assert (await call("prize")).error == {
        "code": "tool_not_found",
        "message": "There is no tool named 'prize'.",
        "hint": 'Did you mean "price"?',
        "close": ["price"],
    }


async def test_fault_of_loading_comes_before_any_complaint_about_arguments(call: Any, write_tool: WriteTool) -> None:
    write_tool("bad.py", "def main(a: int):\n    return a +\n")
    assert (await call("bad", wrong=1)).error["code"] == "script_compile_error"


async def test_arguments_are_judged_by_the_text_of_this_call(call: Any, write_tool: WriteTool) -> None:
    write_tool("f.py", "def main(a: int):\n    return a\n")
    assert (await call("f", a=1)).value == 1
    write_tool("f.py", "def main(b: int = 5):\n    return b\n")
    assert (await call("f", a=1)).error["problems"][0]["path"] == "/a"
    assert (await call("f")).value == 5


async def test_destructive_tool_wants_to_be_confirmed_and_shows_a_dry_run(call: Any, write_tool: WriteTool) -> None:
    write_tool("wipe.py", "def main(path: str):\n    return args\n")
    write_tool("wipe.json", definition("wipe", destructive=True))
    assert (await call("wipe", path="a")).error["code"] == "confirmation_required"
    assert (await call("wipe", path="a", dry_run="true")).value == {
        "dry_run": True,
        "tool": "wipe",
        "would_execute": True,
        "arguments": {"path": "a"},
    }
    assert (await call("wipe", dry_run=True)).error["code"] == "invalid_params"
    assert (await call("wipe", path="a", confirm=True)).value == {"path": "a"}


async def test_undeclared_switches_are_dropped_but_a_dry_run_is_never_silently_executed(
    call: Any, write_tool: WriteTool
) -> None:
    write_tool("open.py", "return args")
    write_tool("own.py", "def main(confirm: str, dry_run: bool = False):\n    return [confirm, dry_run]\n")
    assert (await call("open", a=1, confirm=True, dry_run=False)).value == {"a": 1}
    assert (await call("open", dry_run=True)).error["problems"][0]["path"] == "/dry_run"
    assert (await call("own", confirm="word", dry_run=True)).value == ["word", True]


async def test_written_output_schema_is_a_promise_and_an_inferred_one_a_warning(
    call: Any, write_tool: WriteTool
) -> None:
    write_tool("guess.py", "def main() -> int:\n    return 'x'\n")
    write_tool("sworn.py", "return {'n': 'x'}")
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    write_tool("sworn.json", definition("sworn", outputSchema=schema))
    guessed = await call("guess")
    assert (guessed.value, len(guessed.warnings)) == ("x", 1)
    error = (await call("sworn")).error
    assert (error["code"], error["path"]) == ("invalid_result", "/n")


async def test_result_over_its_cap_is_refused_never_cut_and_says_what_could_narrow_it(
    call: Any, write_tool: WriteTool
) -> None:
    write_tool("rows.py", "return 'x' * args['n']")
    inputs = {"n": {"type": "integer", "required": True}}
    write_tool("rows.json", definition("rows", inputs=inputs, maxResultSizeChars=10))
    assert (await call("rows", n=8)).value == "x" * 8
    error = (await call("rows", n=9)).error
    assert (error["code"], error["limit"], error["size"], error["hint"]) == (
        "result_too_large",
        10,
        11,
        "Ask for less with n.",
    )


async def test_secret_arguments_are_masked_in_errors_output_and_history(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("login.py", 'print("key is", args["key"])\nraise RuntimeError("failed with " + args["key"])')
    inputs = {"key": {"type": "string", "format": "password"}}
    write_tool("login.json", definition("login", inputs=inputs))
    result = await call("login", key=PASSWORD)
    assert result.output == "key is ***\n"
    assert result.error["message"] == "RuntimeError: failed with ***"
    assert PASSWORD not in json.dumps([result.to_json(), app.history.recent()])


async def test_sequence_hands_values_on_and_stops_at_the_first_failure(call: Any, write_tool: WriteTool) -> None:
    write_tool("make.py", "return {'rows': [{'n': args['n']}]}")
    write_tool("twice.py", "def main(n: int):\n    return n * 2\n")
    steps = [
        {"id": "made", "tool": "make", "arguments": {"n": "{start}"}},
        {"id": "doubled", "tool": "twice", "arguments": {"n": "{{made.rows[0].n}}"}},
    ]
    inputs = {"start": {"type": "integer", "required": True}}
    write_tool("both.json", definition("both", kind="sequence", steps=steps, inputs=inputs))
    assert (await call("both", start=4)).value == {
        "steps": [
            {"id": "made", "tool": "make", "ok": True, "result": {"rows": [{"n": "4"}]}},
            {"id": "doubled", "tool": "twice", "ok": True, "result": 8},
        ]
    }
    write_tool("twice.py", "def main(n: int):\n    raise ToolError('no', n=n)\n")
    error = (await call("both", start=4)).error
    assert (error["code"], error["step"], error["cause"]["code"]) == ("step_failed", "doubled", "tool_error")
    assert [one["ok"] for one in error["steps"]] == [True, False]


async def test_failed_step_that_may_fail_lets_the_sequence_go_on(call: Any, write_tool: WriteTool) -> None:
    write_tool("fail.py", "raise ToolError('no')")
    write_tool("fine.py", "return 1")
    steps = [
        {"id": "a", "tool": "fail", "continue_on_error": True},
        {"id": "b", "tool": "fine"},
        {"id": "c", "tool": "fine", "arguments": {"x": "{{a.x}}"}, "continue_on_error": True},
    ]
    write_tool("s.json", definition("s", kind="sequence", steps=steps))
    value = (await call("s")).value
    assert [one["ok"] for one in value["steps"]] == [False, True, False]
    assert value["steps"][2]["error"]["code"] == "invalid_params"


async def test_destructive_step_is_confirmed_with_its_sequence_and_rehearsed_in_a_dry_run(
    call: Any, write_tool: WriteTool
) -> None:
    write_tool("wipe.py", "def main(path: str):\n    return 'wiped ' + path\n")
    write_tool("wipe.json", definition("wipe", destructive=True))
    steps = [
        {"id": "one", "tool": "wipe", "arguments": {"path": "{where}"}},
        {"id": "two", "tool": "wipe", "arguments": {"path": "{{one}}"}},
    ]
    inputs = {"where": {"type": "string", "required": True}}
    write_tool("all.json", definition("all", kind="sequence", steps=steps, inputs=inputs))
    assert (await call("all", where="a")).error["code"] == "confirmation_required"
    dry = (await call("all", where="a", dry_run=True)).value
    assert dry["steps"] == [
        {"id": "one", "tool": "wipe", "arguments": {"path": "a"}},
        {"id": "two", "tool": "wipe", "arguments": {"path": "{{one}}"}},
    ]
    done = (await call("all", where="a", confirm=True)).value
    assert [one["result"] for one in done["steps"]] == ["wiped a", "wiped wiped a"]


async def test_steps_have_history_entries_of_their_own_linked_to_their_caller(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("fine.py", "return 1")
    write_tool("s.json", definition("s", kind="sequence", steps=[{"id": "a", "tool": "fine"}]))
    result = await call("s")
    assert [(one["tool"], one["parent"]) for one in app.history.recent()] == [("s", None), ("fine", result.call_id)]


async def test_call_whose_caller_goes_away_is_recorded_as_cancelled_and_its_process_ends(
    app: App, write_tool: WriteTool
) -> None:
    write_tool("wait.py", "print('started')\nwhile True:\n    pass\n")
    started = asyncio.Event()
    with anyio.fail_after(15):
        running = asyncio.create_task(
            app.dispatcher.call(Call("wait", {}, Caller("test")), lambda _kind, _payload: started.set())
        )
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    entry = app.history.recent()[0]
    assert (entry["error"]["code"], entry["output"]) == ("cancelled", "started\n")
    assert app.sandbox.report()["running"] == 0


async def test_history_is_bounded_and_long_values_are_cut(app: App, call: Any, write_tool: WriteTool) -> None:
    write_tool("echo.py", "return len(args['text'])")
    await call("echo", text="x" * 100_000)
    entry = app.history.recent()[0]
    assert entry["args"]["characters"] > 100_000 and len(entry["args"]["truncated"]) == 4000
    assert app.history.get(entry["call_id"]) == entry
    assert app.history.get("none") is None


async def test_definitions_list_says_what_is_loaded_what_is_not_and_why(call: Any, write_tool: WriteTool) -> None:
    write_tool("good.py", "return 1")
    write_tool("bad.json", "{")
    value = (await call("definitions_list")).value
    loaded = {one["name"]: one["file"] for one in value["loaded"]}
    assert loaded == {"definitions_list": None, "job_cancel": None, "job_status": None, "good": "good.py"}
    assert [(one["name"], one["error"]["code"]) for one in value["not_loaded"]] == [("bad", "definition_error")]
    assert (await call("definitions_list", x=1)).error["code"] == "invalid_params"


DECIDED = [
    {"allOf": [{"properties": {"confirm": {"default": True}}}]},
    {"anyOf": [{"properties": {"confirm": {"type": "boolean", "default": True}}}]},
    {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"confirm": {"default": True}}}}},
]


@pytest.mark.parametrize("schema", DECIDED)
async def test_no_default_confirms_a_destructive_tool(call: Any, write_tool: WriteTool, schema: dict[str, Any]) -> None:
    write_tool("wipe.py", "# /// tool\n# destructive = true\n# ///\nreturn 'wiped'")
    step = {"id": "one", "tool": "wipe"}
    write_tool("both.json", definition("both", kind="sequence", steps=[step], inputSchema={"type": "object"} | schema))
    assert (await call("both")).error["code"] == "confirmation_required"
    assert (await call("both", confirm="true")).ok
    assert (await call("both", confirm="perhaps")).error["code"] == "invalid_params"
