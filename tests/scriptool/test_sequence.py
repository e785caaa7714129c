"""Sequences, judged at load and run step by step."""

from typing import Any

import pytest

from scriptool.fields import SequenceDefinition
from scriptool.kinds.sequence import linked, sequence_tool
from scriptool.standard import Standard
from scriptool.tool import Tool


def sequence(name: str, *steps: dict[str, Any], **more: Any) -> SequenceDefinition:
    """Give the definition of a sequence."""
    fields = {"name": name, "description": "Steps.", "kind": "sequence", "steps": list(steps)}
    return SequenceDefinition.model_validate(fields | more)


def step(tool: str, id: str = "one", **more: Any) -> dict[str, Any]:
    """Give one step."""
    return {"id": id, "tool": tool} | more


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
