"""Schemas and words made of `main` and its docstring, through the real compiler."""

from typing import Any

import pytest

from sandbox.language.compiler import compile_module
from scriptool.definitions.docstring import read_docstring
from scriptool.definitions.signature import read_signature

HEAD = """\
import datetime as dt
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional, TypedDict, Union
from uuid import UUID


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    "A place."

    x: int
    y: int = 0


class Person(TypedDict, total=False):
    name: str


class Node(TypedDict):
    next: "Node | None"


"""

TYPES: list[tuple[str, dict[str, Any]]] = [
    ("int", {"type": "integer"}),
    ("float", {"type": "number"}),
    ("str", {"type": "string"}),
    ("bool", {"type": "boolean"}),
    ("dict", {"type": "object"}),
    ("Any", {}),
    ("object", {}),
    ("list", {"type": "array"}),
    ("list[int]", {"type": "array", "items": {"type": "integer"}}),
    ("'list[int]'", {"type": "array", "items": {"type": "integer"}}),
    ("set[str]", {"type": "array", "uniqueItems": True, "items": {"type": "string"}}),
    ("tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
    (
        "tuple[int, str]",
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
    ),
    ("dict[str, float]", {"type": "object", "additionalProperties": {"type": "number"}}),
    ("int | None", {"type": ["integer", "null"]}),
    ("Optional[int]", {"type": ["integer", "null"]}),
    ("Union[int, str]", {"type": ["integer", "string"]}),
    ("list[int] | None", {"type": ["array", "null"], "items": {"type": "integer"}}),
    ("Literal['a', 'b']", {"type": "string", "enum": ["a", "b"]}),
    ("Literal[1, 'b']", {"enum": [1, "b"]}),
    ("Annotated[int, 'How many.']", {"type": "integer", "description": "How many."}),
    ("dt.datetime", {"type": "string", "format": "date-time"}),
    ("date", {"type": "string", "format": "date"}),
    ("Decimal", {"type": ["string", "number"]}),
    ("UUID", {"type": "string", "format": "uuid"}),
    ("dt.timedelta", {"type": "number", "description": "seconds"}),
    ("Unknown[int]", {}),
]


def signature(source: str) -> Any:
    """Give the signature of a script."""
    return read_signature(compile_module(source.encode()).outline)


@pytest.mark.parametrize(("annotation", "schema"), TYPES)
def test_annotation_becomes_its_schema(annotation: str, schema: dict[str, Any]) -> None:
    found = signature(HEAD + f"def main(x: {annotation}):\n    pass\n")
    assert found.input == {
        "type": "object",
        "properties": {"x": schema},
        "additionalProperties": False,
        "required": ["x"],
    }


def test_classes_of_the_script_become_shared_definitions() -> None:
    found = signature(HEAD + "def main(c: Color, p: Point, who: Person, n: Node, also: list[Point]):\n    pass\n")
    assert found.input["properties"]["also"] == {"type": "array", "items": {"$ref": "#/$defs/Point"}}
    assert found.input["$defs"] == {
        "Color": {"type": "string", "enum": ["red", "blue"]},
        "Node": {
            "type": "object",
            "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
            "additionalProperties": False,
            "required": ["next"],
        },
        "Person": {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": False},
        "Point": {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
            "additionalProperties": False,
            "required": ["x"],
            "description": "A place.",
        },
    }


DEFAULTS = [
    ("n: int = 3", {"type": "integer", "default": 3}),
    ("n: int = None", {"type": ["integer", "null"], "default": None}),
    ("n=None", {"default": None}),
    ("n=dict(a=1)", {}),
    ("n: Color = None", {"anyOf": [{"$ref": "#/$defs/Color"}, {"type": "null"}], "default": None}),
]


@pytest.mark.parametrize(("parameter", "schema"), DEFAULTS)
def test_default_is_in_the_schema_if_it_is_data_and_none_admits_null(parameter: str, schema: dict[str, Any]) -> None:
    found = signature(HEAD + f"def main({parameter}):\n    pass\n")
    assert found.input["properties"]["n"] == schema
    assert "required" not in found.input


@pytest.mark.parametrize(
    "doc",
    [
        "Total price.\\n\\nUse it often.\\n\\n"
        "Args:\\n    price: Of one piece,\\n        in euros.\\n    count: How many.",
        "Total price.\\n\\nUse it often.\\n\\n:param price: Of one piece, in euros.\\n:param count: How many.",
        "Total price.\\n\\nUse it often.\\n\\n"
        "Parameters\\n----------\\nprice\\n    Of one piece, in euros.\\ncount\\n    How many.",
    ],
)
def test_docstring_gives_the_description_and_what_each_parameter_is(doc: str) -> None:
    found = signature(f'def main(price: float, count: int):\n    "{doc}"\n')
    assert found.description == "Total price.\n\nUse it often."
    assert {name: one["description"] for name, one in found.input["properties"].items()} == {
        "price": "Of one piece, in euros.",
        "count": "How many.",
    }


def test_keywords_leave_the_schema_open_and_args_leaves_it_unsaid() -> None:
    assert signature("def main(a, **more):\n    pass\n").input["additionalProperties"] is True
    assert signature("def main(args):\n    pass\n").input is None
    assert signature("return 1").input is None


RETURNS: list[tuple[str, dict[str, Any] | None]] = [
    ("int", {"type": "integer"}),
    ("list[str]", {"type": "array", "items": {"type": "string"}}),
    ("dict", None),
    ("list", None),
    ("Any", None),
    ("None", None),
]


@pytest.mark.parametrize(("annotation", "schema"), RETURNS)
def test_return_annotation_is_an_output_schema_if_it_says_more_than_its_kind(
    annotation: str, schema: dict[str, Any] | None
) -> None:
    assert signature(HEAD + f"def main() -> {annotation}:\n    pass\n").output == schema


def test_returned_class_brings_its_definition_along() -> None:
    found = signature(HEAD + "def main() -> Point:\n    pass\n")
    assert found.output["$ref"] == "#/$defs/Point" and "Point" in found.output["$defs"]


STYLES: list[tuple[str, str, dict[str, str]]] = [
    ("One line.", "One line.", {}),
    ("", "", {}),
    ("Text.\n\nNote:\n    Stays.", "Text.\n\nNote:\n    Stays.", {}),
    (
        "Text.\n\nArgs:\n  a (dict[str, (int)]): First:\n    more.\n  *b: Second.\n\nAfter.",
        "Text.",
        {"a": "First: more.", "b": "Second."},
    ),
    ("Args:\n    a: First.\n\nReturns:\n    b: None.", "", {"a": "First."}),
    (
        "Text.\n\n:param int a: First\n    goes on.\n:raises X: when.\n@param b: Second.",
        "Text.",
        {"a": "First goes on.", "b": "Second."},
    ),
    ("Text, see\n:meth:`x`.\n:param a: In :class:`y`.", "Text, see\n:meth:`x`.", {"a": "In :class:`y`."}),
    (
        "Text.\n\nParameters\n----------\na, b : int\n    Both.\n\nNotes\n-----\nc\n    None.",
        "Text.",
        {"a": "Both.", "b": "Both."},
    ),
    ("Args: none to speak of.", "Args: none to speak of.", {}),
]


@pytest.mark.parametrize(("text", "description", "told"), STYLES)
def test_docstrings_of_each_style_are_read(text: str, description: str, told: dict[str, str]) -> None:
    assert read_docstring(text) == (description, told)


LONG = 200_000


@pytest.mark.parametrize(
    "text",
    [
        "x\n\nArgs:\n    a " + "(" * LONG + ": x",
        "x\n\nArgs:\n" + "    a (: x\n" * LONG,
        "x\n\n:param " + "a " * LONG,
        ":" * LONG,
        "Args\n----\n" * LONG,
        "a" * LONG + " " * LONG,
        "\n" * LONG,
    ],
)
def test_docstrings_are_read_in_one_pass(text: str) -> None:
    assert len(read_docstring(text).description) <= len(text)
