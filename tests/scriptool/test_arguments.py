"""What becomes of arguments as models send them."""

from typing import Any

import pytest

from scriptool.arguments import fit
from scriptool.schema import Schema


def closed(**properties: Any) -> Schema:
    """Give a closed schema of optional properties."""
    return Schema({"type": "object", "properties": properties, "additionalProperties": False})


TAKEN = [
    ({"type": "integer"}, "2", 2),
    ({"type": "integer"}, " -7 ", -7),
    ({"type": "integer"}, "2.0", 2),
    ({"type": "integer"}, 30.0, 30),
    ({"type": "integer"}, "9007199254740993", 9007199254740993),
    ({"type": "number"}, "2.5", 2.5),
    ({"type": "number"}, "1e3", 1000.0),
    ({"type": "boolean"}, "False", False),
    ({"type": "boolean"}, "true", True),
    ({"type": "string"}, 5, "5"),
    ({"type": "string"}, 0.5, "0.5"),
    ({"type": "object"}, '{"a": 1}', {"a": 1}),
    ({"type": "array", "items": {"type": "integer"}}, '["1", 2]', [1, 2]),
    ({"type": "array", "items": {"type": "integer"}}, ["1", 2.0], [1, 2]),
    ({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": "3"}, {"n": 3}),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "4", 4),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 4.0, 4),
    ({"type": ["integer", "null"]}, "4", 4),
]


@pytest.mark.parametrize(("schema", "sent", "taken"), TAKEN)
def test_value_that_loses_nothing_is_taken_as_the_declared_type_with_a_warning(
    schema: dict[str, Any], sent: Any, taken: Any
) -> None:
    fitted = fit(closed(x=schema), {"x": sent})
    assert (fitted.value, fitted.problems) == ({"x": taken}, [])
    assert type(fitted.value["x"]) is type(taken)
    assert fitted.warnings


LEFT = [
    ({"type": "string"}, "2"),
    ({"type": "string"}, '{"a": 1}'),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "5"),
    ({"type": ["string", "integer"]}, "5"),
    ({"type": "number"}, 2.0),
    ({"type": ["integer", "number"]}, 2.0),
    ({}, "5"),
    ({"type": ["string", "null"]}, None),
]


@pytest.mark.parametrize(("schema", "sent"), LEFT)
def test_value_that_fits_as_sent_is_left_alone(schema: dict[str, Any], sent: Any) -> None:
    fitted = fit(closed(x=schema), {"x": sent})
    assert (fitted.value, fitted.problems, fitted.warnings) == ({"x": sent}, [], [])
    assert type(fitted.value["x"]) is type(sent)


REFUSED = [
    ({"type": "integer"}, 0.5, "expected integer, got number 0.5"),
    ({"type": "integer"}, "many", 'expected integer, got string "many"'),
    ({"type": "integer"}, True, "expected integer, got boolean true"),
    ({"type": "number"}, "0.12345678901234567890123", None),
    ({"type": "number"}, "1e999", None),
    ({"type": "number"}, "nan", None),
    ({"type": "boolean"}, "yes", None),
    ({"type": "boolean"}, 1, None),
    ({"type": "object"}, '{"a": ', None),
    ({"type": "object"}, '{"a": NaN}', None),
    ({"type": "object"}, "[1]", None),
    ({"type": "string"}, True, "expected string, got boolean true"),
    ({"type": "integer"}, "9" * 5000, None),
    ({"type": "integer", "maximum": 5}, "9", None),
    ({"enum": ["red", "green"]}, "grean", '"grean" is not one of "red", "green"'),
    ({"type": "string", "format": "date"}, "tomorrow", '"tomorrow" is not a date'),
    ({"type": ["integer", "null"]}, "x", 'expected integer or null, got string "x"'),
    ({"anyOf": [{"type": "integer"}, {"type": "array"}]}, "x", 'expected integer or array, got string "x"'),
]


@pytest.mark.parametrize(("schema", "sent", "message"), REFUSED)
def test_value_that_would_lose_something_is_refused_with_its_place(
    schema: dict[str, Any], sent: Any, message: str | None
) -> None:
    fitted = fit(closed(x=schema), {"x": sent})
    assert [problem["path"] for problem in fitted.problems] == ["/x"]
    assert message is None or fitted.problems[0]["message"] == message


def test_everything_wrong_is_said_at_once_with_pointers() -> None:
    schema = Schema(
        {
            "type": "object",
            "properties": {"day": {"type": "string"}, "room": {"type": "string"}, "n": {"type": "integer"}},
            "required": ["day", "room", "n"],
            "additionalProperties": False,
        }
    )
    assert fit(schema, {"n": "many", "rooom": "A"}).problems == [
        {"path": "/day", "message": "is required", "expected": "string", "got": "nothing"},
        {
            "path": "/n",
            "message": 'expected integer, got string "many"',
            "expected": "integer",
            "got": 'string "many"',
        },
        {"path": "/room", "message": "is required", "expected": "string", "got": "nothing"},
        {
            "path": "/rooom",
            "message": "unknown argument; accepted: day, n, room",
            "expected": "no such argument",
            "got": 'string "A"',
            "hint": 'Did you mean "room"? Accepted: day, n, room.',
        },
    ]


def test_null_for_an_optional_argument_means_not_given_so_that_the_default_applies() -> None:
    schema = closed(
        n={"type": "integer", "default": 4}, inner={"type": "object", "properties": {"a": {"type": "string"}}}
    )
    fitted = fit(schema, {"n": None, "inner": {"a": None}})
    assert (fitted.value, fitted.problems) == ({"n": 4, "inner": {}}, [])


def test_null_for_a_required_argument_is_refused_by_name() -> None:
    schema = Schema({"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]})
    assert fit(schema, {"who": None}).problems == [
        {"path": "/who", "message": "is required and may not be null", "expected": "string", "got": "null"}
    ]


def test_default_of_null_admits_null_though_the_type_does_not() -> None:
    schema = closed(note={"type": "string", "default": None})
    assert fit(schema, {}).value == {"note": None}
    assert fit(schema, {"note": None}).problems == []
    assert fit(schema, {"note": 3.5}).value == {"note": "3.5"}


def test_defaults_are_copies_and_what_was_sent_is_untouched() -> None:
    schema = closed(items={"type": "array", "default": []}, given={"type": "array", "items": {"type": "integer"}})
    sent = {"given": ["1"]}
    first = fit(schema, sent).value
    first["items"].append(1)
    assert fit(schema, sent).value == {"items": [], "given": [1]}
    assert sent == {"given": ["1"]}


def test_references_are_followed_and_circular_ones_end() -> None:
    schema = Schema(
        {
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/node"}, "odd": {"$ref": "#/$defs/loop"}},
            "$defs": {
                "node": {
                    "type": "object",
                    "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}},
                },
                "loop": {"$ref": "#/$defs/node"},
            },
        }
    )
    assert fit(schema, {"tree": {"n": "1", "next": {"n": "2"}}, "odd": '{"n": 3.0}'}).value == {
        "tree": {"n": 1, "next": {"n": 2}},
        "odd": {"n": 3},
    }
