"""Sequences, judged at load and run step by step."""

import json
from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.deadline import Deadline
from scriptool.fields import SequenceDefinition
from scriptool.kinds.sequence import linked, sequence_tool
from scriptool.questions import Question
from scriptool.standard import Standard
from scriptool.tool import Tool
from tests.conftest import CallTool, WriteTool


def sequence(name: str, *steps: dict[str, Any], **more: Any) -> SequenceDefinition:
    """Give the definition of a sequence."""
    fields = {"name": name, "description": "Steps.", "kind": "sequence", "steps": list(steps)}
    return SequenceDefinition.model_validate(fields | more)


def step(tool: str, id: str = "one", **more: Any) -> dict[str, Any]:
    """Give one step."""
    return {"id": id, "tool": tool} | more


def written(name: str, *steps: dict[str, Any], **more: Any) -> str:
    """Give the text of a definition."""
    return json.dumps({"name": name, "description": "Steps.", "kind": "sequence", "steps": list(steps)} | more)


def judged(*definitions: SequenceDefinition, tools: tuple[Tool, ...] = ()) -> dict[str, Tool]:
    """Give the tools of some sequences, judged beside *tools*."""
    every = {tool.name: tool for tool in tools}
    every |= {one.name: sequence_tool(one, f"{one.name}.json", Standard()) for one in definitions}
    return linked({one.name: one for one in definitions}, every)


def problems(tool: Tool) -> list[tuple[str, str]]:
    """Give what blocks a tool: paths and messages."""
    assert tool.blocked is not None
    return [(one["path"], one["message"]) for one in tool.blocked.details["problems"]]


ADD = Tool("add", "Adds.", "script")
WIPE = Tool("wipe", "Wipes.", "script", destructive=True)

REFUSED: list[tuple[Any, str, str]] = [
    ("see {{one.x}}", "/steps/1/arguments/a", "{{one.x}} stands inside a longer text; a reference is the whole string"),
    ("{{two.x}}", "/steps/1/arguments/a", "'two' is a later step or this one"),
    ("{{none.x}}", "/steps/1/arguments/a", "'none' is no step"),
    ("{{one..x}}", "/steps/1/arguments/a", "{{one..x}} is not a reference"),
    ("{colour}", "/steps/1/arguments/a", "{colour} names no input"),
    ({"deep": ["{colour}"]}, "/steps/1/arguments/a/deep/0", "{colour} names no input"),
]


@pytest.mark.parametrize(("argument", "path", "message"), REFUSED)
def test_bad_reference_is_a_load_error_with_its_place(argument: Any, path: str, message: str) -> None:
    inputs = {"color": {"type": "string"}}
    definition = sequence("s", step("add"), step("add", "two", arguments={"a": argument}), inputs=inputs)
    assert problems(judged(definition, tools=(ADD,))["s"]) == [(path, message)]


def test_unknown_tool_is_named_with_the_nearest() -> None:
    found = judged(sequence("s", step("ad")), tools=(ADD,))["s"]
    assert problems(found) == [("/steps/0/tool", "there is no tool 'ad'")]
    assert found.blocked is not None and found.blocked.hint == 'Did you mean "add"?'


def test_circle_is_named_from_where_each_member_stands_and_who_calls_it_is_blocked_too() -> None:
    found = judged(
        sequence("a", step("b")), sequence("b", step("a")), sequence("c", step("a")), sequence("d", step("d"))
    )
    assert problems(found["a"]) == [("/steps", "the steps go in a circle: a -> b -> a")]
    assert problems(found["b"]) == [("/steps", "the steps go in a circle: b -> a -> b")]
    assert problems(found["c"]) == [("/steps/0/tool", "'a' cannot be loaded")]
    assert problems(found["d"]) == [("/steps", "the steps go in a circle: d -> d")]


def test_destructive_and_main_thread_are_inherited_through_nested_sequences() -> None:
    screen = Tool("screen", "Draws.", "script", main_thread=True)
    found = judged(
        sequence("outer", step("inner")), sequence("inner", step("wipe"), step("screen", "two")), tools=(WIPE, screen)
    )
    for name in ("inner", "outer"):
        assert (found[name].destructive, found[name].main_thread) == (True, True)
        assert {"confirm", "dry_run"} <= set(found[name].input.document["properties"])


def test_saying_false_to_what_a_step_is_is_an_error_naming_the_step() -> None:
    found = judged(sequence("s", step("wipe"), destructive=False), tools=(WIPE,))["s"]
    assert problems(found) == [
        ("/destructive", "is false, but step 'one' calls wipe, which is destructive"),
    ]


def test_sequences_nest_up_to_a_bound() -> None:
    chain = [sequence(f"s{index}", step(f"s{index + 1}")) for index in range(9)]
    found = judged(*chain, sequence("s9", step("add")), tools=(ADD,))
    assert [name for name, tool in found.items() if tool.blocked is not None] == ["s0", "s1"]
    assert problems(found["s1"]) == [("/steps", "sequences nest deeper than 8")]


def test_the_calls_a_sequence_comes_to_are_bounded() -> None:
    tens = [step("add", f"s{number}") for number in range(10)]
    chain = [sequence("s0", *tens)]
    chain += [sequence(f"s{deep}", *(one | {"tool": f"s{deep - 1}"} for one in tens)) for deep in (1, 2, 3)]
    found = judged(*chain, tools=(ADD,))
    assert found["s2"].blocked is None
    assert problems(found["s3"]) == [("/steps", "the steps come to 10000 calls in all, more than 1000")]


def test_limits_and_permissions_that_bound_and_allow_nothing_are_warned_of() -> None:
    limits = {"seconds": 2, "result_kb": 10, "memory_mb": 64}
    found = judged(sequence("s", step("add"), limits=limits, permissions={"net": ["a.test"]}), tools=(ADD,))["s"]
    assert found.warnings == (
        "limits.memory_mb bounds nothing in a sequence",
        "permissions.net allows nothing: a sequence asks for nothing itself",
    )


async def test_what_is_filled_in_is_bounded(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("size.py", "return len(args['text'])")
    inputs = {"x": {"type": "string"}}
    write_tool("s.json", written("s", step("size", arguments={"text": "{x}" * 1000}), inputs=inputs))
    assert (await call("s", x="y" * 4000)).value["steps"][0]["result"] == 4_000_000
    error = (await call("s", x="y" * 5000)).error
    words = "What is filled in comes to more than 4194304 characters in all."
    assert (error["code"], error["cause"]["code"], error["cause"]["message"]) == (
        "step_failed",
        "invalid_params",
        words,
    )


async def test_values_handed_on_are_bounded_too(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("large.py", "return 'y' * 500_000")
    write_tool("count.py", "return len(args['texts'])")
    steps = [step("large"), step("count", "two", arguments={"texts": ["{{one}}"] * 9})]
    write_tool("s.json", written("s", *steps))
    assert (await call("s")).error["cause"]["code"] == "invalid_params"


async def test_results_of_all_steps_are_bounded_together(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("large.py", "return 'y' * 900_000")
    write_tool("s.json", written("s", step("large"), step("large", "two")))
    error = (await call("s")).error
    assert (error["code"], error["limit"], error["allowed"], error["step"]) == (
        "result_too_large",
        "result_kb",
        1024,
        "two",
    )
    write_tool("s.json", written("s", step("large"), step("large", "two"), limits={"result_kb": 2000}))
    assert (await call("s")).ok


async def test_a_sequence_that_says_so_ends_all_its_steps_in_time(
    call: CallTool, app: App, write_tool: WriteTool
) -> None:
    write_tool("slow.py", "while True: pass")
    write_tool("inner.json", written("inner", step("slow")))
    write_tool("s.json", written("s", step("inner"), limits={"seconds": 0.5}))
    error = (await call("s")).error
    assert (error["code"], error["limit"], error["allowed"]) == ("timeout", "seconds", 0.5)
    assert error["message"] == "The steps took longer than 0.5 seconds in all; the one that ran was ended."
    assert app.history.recent("slow")[0]["error"]["code"] == "cancelled"


async def test_the_time_a_person_takes_is_not_the_sequences(app: App, write_tool: WriteTool) -> None:
    write_tool("asks.py", "return bool(ctx.ask('Well?'))")
    write_tool("s.json", written("s", step("asks"), limits={"seconds": 3}))
    deadline = Deadline(0.05)
    async with deadline:
        with deadline.stopped(), deadline.stopped():
            await anyio.sleep(0.1)  # longer than there is
    result = await app.dispatcher.call(Call("s", {}, Caller("test")), respondent=Agreeing())
    assert result.value["steps"][0]["result"] is True


class Agreeing:
    """Agrees to everything, after a while."""

    abilities: Mapping[str, Any] = {"elicitation": True}

    async def answer(self, questions: Mapping[str, Question]) -> Mapping[str, Any]:
        await anyio.sleep(3.1)  # longer than the limit
        return {name: {"action": "accept", "content": {}} for name in questions}


async def test_references_are_read_in_one_pass_however_much_space_they_hold(call: Any, write_tool: WriteTool) -> None:
    write_tool("echo.py", "return args")
    space = " " * 100_000
    steps = [
        {"id": "a", "tool": "echo", "arguments": {"x": "1"}},
        {"id": "b", "tool": "echo", "arguments": {"open": "{{" + space, "inside": f"{{{{{space}a.x{space}}}}}"}},
    ]
    write_tool("wide.json", json.dumps({"name": "wide", "kind": "sequence", "description": "x", "steps": steps}))
    result = await call("wide")
    assert result.value["steps"][1]["result"] == {"open": "{{" + space, "inside": "1"}


def test_text_that_nearly_is_a_reference_is_read_in_no_time() -> None:
    for argument in ("{{" + " " * 100_000, "{{" * 50_000, "{{a " * 50_000):
        found = judged(sequence("s", step("add", arguments={"a": argument})), tools=(ADD,))["s"]
        assert found.blocked is None
