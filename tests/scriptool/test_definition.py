"""What a JSON definition may say, and what is said of one that is wrong."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Fault, Limits
from scriptool.definitions.definition import read_definition
from scriptool.fields import ScriptDefinition
from tests.scriptool.test_jsontext import JSON

GOOD: dict[str, Any] = {"name": "area", "description": "Area.", "kind": "script", "file": "area.py"}


def refused(**changes: Any) -> list[dict[str, Any]]:
    """Give the problems of the good definition with *changes* (None takes a field out), without their places."""
    value = {key: one for key, one in (GOOD | changes).items() if one is not ...}
    with pytest.raises(Fault) as caught:
        read_definition(json.dumps(value).encode())
    assert caught.value.code == "definition_error"
    return [
        {key: one for key, one in problem.items() if key not in ("line", "column")}
        for problem in caught.value.details["problems"]
    ]


WRONG: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({"name": ...}, [{"path": "/name", "message": "is required"}]),
    ({"descripton": "x"}, [{"path": "/descripton", "message": "unknown field", "hint": 'Did you mean "description"?'}]),
    (
        {"inputs": {"a": {"type": "string", "requird": True}}},
        [{"path": "/inputs/a/requird", "message": "unknown field", "hint": 'Did you mean "required"?'}],
    ),
    (
        {"limits": {"second": 3}},
        [{"path": "/limits/second", "message": "unknown field", "hint": 'Did you mean "seconds"?'}],
    ),
    ({"name": 3}, [{"path": "/name", "message": "input should be a valid string, got 3"}]),
    (
        {"name": "My Tool"},
        [
            {
                "path": "/name",
                "message": '"My Tool" is not a tool name',
                "hint": "Use lower-case letters, digits and _, a letter first, at most 64 characters.",
            }
        ],
    ),
    (
        {"name": "job_status"},
        [
            {
                "path": "/name",
                "message": "'job_status' is the name of a built-in tool",
                "hint": "Choose another name.",
            }
        ],
    ),
    (
        {"description": " "},
        [{"path": "/description", "message": "is empty", "hint": "Say when a caller should use this tool."}],
    ),
    (
        {"group": "codee"},
        [{"path": "/group", "message": "'codee' is not a known group", "hint": 'Did you mean "code"?'}],
    ),
    (
        {"inputs": {}, "inputSchema": {"type": "object"}},
        [{"path": "/inputSchema", "message": "stands beside `inputs`", "hint": "Keep one of the two."}],
    ),
    (
        {"inputs": {"n": {"type": "integer", "default": "x"}}},
        [
            {
                "path": "/inputs/n/default",
                "message": '"x" does not fit the input: expected integer, got string "x"',
            }
        ],
    ),
    (
        {"inputs": {"n": {"type": "integer", "enum": [1, "b"]}}},
        [{"path": "/inputs/n/enum/1", "message": '"b" does not fit the input: expected integer, got string "b"'}],
    ),
    (
        {"inputs": {"n": {"type": "integer", "required": True, "default": 1}}},
        [{"path": "/inputs/n/default", "message": "stands on a required input", "hint": "Take one of the two out."}],
    ),
    (
        {"inputSchema": {"type": "array"}},
        [{"path": "/inputSchema/type", "message": 'must be "object"', "hint": "Arguments come by name."}],
    ),
    (
        {"inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/no"}}}},
        [
            {
                "path": "/inputSchema/properties/a/$ref",
                "message": "the reference '#/$defs/no' leads nowhere",
                "hint": "Use #/$defs/NAME.",
            }
        ],
    ),
]


@pytest.mark.parametrize(("changes", "problems"), WRONG)
def test_each_mistake_is_named_with_its_path(changes: dict[str, Any], problems: list[dict[str, Any]]) -> None:
    assert refused(**changes) == problems


def test_fields_of_a_wrong_shape_hide_nothing_that_is_wrong_with_the_others() -> None:
    told = refused(name="Bad 3", kind="scrip", limit=4, group="nope", description=7)
    assert {one["path"] for one in told} == {"/kind", "/limit", "/description", "/name", "/group"}
    told = refused(name="Bad 3", limits={"second": 1}, inputs={"n": {"type": "integer", "default": "x"}})
    assert {one["path"] for one in told} == {"/name", "/limits/second", "/inputs/n/default"}


def test_an_invalid_input_schema_is_a_load_error() -> None:
    assert [one["path"] for one in refused(inputSchema={"type": "object", "properties": {"a": {"type": "strin"}}})] == [
        "/inputSchema/properties/a/type"
    ]


def test_all_problems_of_a_file_are_told_at_once_with_lines() -> None:
    text = b'{\n "name": 3,\n "kind": "skript",\n "file": "a.py",\n "extra": 1\n}'
    with pytest.raises(Fault) as caught:
        read_definition(text)
    places = {one["path"]: one["line"] for one in caught.value.details["problems"]}
    assert places == {"/name": 2, "/description": 1, "/kind": 3, "/extra": 5}


def test_text_that_is_not_json_is_told_with_line_column_and_source() -> None:
    with pytest.raises(Fault) as caught:
        read_definition(b'{"description": "x",\n  "inputSchema": {"type": "object",}\n}\n')
    assert caught.value.details["diagnostics"] == [
        {
            "rule": "json",
            "severity": "error",
            "message": "not JSON: a comma with nothing after it",
            "source": '  "inputSchema": {"type": "object",}',
            "hint": "JSON has no trailing comma: take out the one before the bracket.",
            "line": 2,
            "column": 35,
            "end_line": 2,
            "end_column": 36,
        }
    ]


def test_inputs_become_a_closed_schema() -> None:
    inputs = {
        "n": {"type": "integer", "required": True, "minimum": 1},
        "note": {"type": "string", "default": None, "description": "Free text."},
    }
    assert read_definition(json.dumps(GOOD | {"inputs": inputs}).encode()).input_document() == {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1},
            "note": {"type": ["string", "null"], "description": "Free text.", "default": None},
        },
        "additionalProperties": False,
        "required": ["n"],
    }


def test_limits_stay_under_the_operators_ceiling() -> None:
    definition = read_definition(json.dumps(GOOD | {"limits": {"seconds": 999, "memory_mb": 32}}).encode())
    assert isinstance(definition, ScriptDefinition)
    limits = definition.limits.within(Limits(), Limits(seconds=60, memory_mb=512))
    assert limits == Limits(seconds=60, memory_mb=32)


@given(JSON | st.dictionaries(st.sampled_from([*GOOD, "inputs", "inputSchema", "limits", "extra"]), JSON))
def test_any_json_is_a_definition_or_a_fault(value: Any) -> None:
    try:
        read_definition(json.dumps(value).encode())
    except Fault as fault:
        assert fault.code == "definition_error" and fault.details["problems"]


def test_a_flood_of_problems_is_told_in_part_with_their_places() -> None:
    many = {f"unknown_{number}": number for number in range(20_000)}
    fault = faults_of(many | {"inputs": {"a": {"type": "string", "enum": [1] * 50_000}}})
    assert len(fault.details["problems"]) == 101
    assert fault.details["problems"][99]["line"] > 90
    assert fault.details["problems"][100]["message"] == "more is wrong than these 100 problems say"
    alone = faults_of({"inputs": {"a": {"type": "string", "enum": [1] * 50_000}}})
    assert len(alone.details["problems"]) == 101


def faults_of(fields: dict[str, Any]) -> Fault:
    stated = {"name": "x", "kind": "script", "description": "d", "file": "a.py", **fields}
    with pytest.raises(Fault) as caught:
        read_definition(json.dumps(stated, indent=0).encode())
    return caught.value


def test_examples_that_would_take_long_to_judge_are_given_up_together() -> None:
    ways = {f"way{number}": {"anyOf": [{"$ref": f"#/$defs/way{number + 1}"}] * 2} for number in range(40)}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/way0"}}, "$defs": {**ways, "way40": False}}
    fault = faults_of({"inputSchema": schema, "examples": [{"a": number} for number in range(200)]})
    assert "takes too long" in fault.message


def test_patterns_of_one_schema_are_bounded_together() -> None:
    patterns: dict[str, Any] = {f"(a{{30}}){{30}}{number}": {} for number in range(1000)}
    fault = faults_of({"inputSchema": {"type": "object", "patternProperties": patterns}})
    assert fault.details["problems"][0]["message"] == "the patterns are too large, all together"
