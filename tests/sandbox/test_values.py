"""The conversion table, its refusals, and strict reading of JSON."""

import base64
import collections
import contextlib
import dataclasses
import datetime
import decimal
import enum
import pathlib
import types
import uuid
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import values
from sandbox.errors import Fault


class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, 2)


@dataclasses.dataclass
class Line:
    price: decimal.Decimal
    tags: set[str]


class Point(NamedTuple):
    x: int
    y: int


class Loud(str):
    def __str__(self) -> str:
        return "shouted"


UTC = datetime.UTC

CONVERSIONS: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (2**64, 2**64),
    (-0.0, -0.0),
    ("grün", "grün"),
    (Loud("quiet"), "quiet"),
    (datetime.datetime(2024, 4, 1, 12, 30, tzinfo=UTC), "2024-04-01T12:30:00+00:00"),
    (datetime.date(2024, 4, 1), "2024-04-01"),
    (datetime.time(12, 30), "12:30:00"),
    (datetime.timedelta(minutes=1), 60),
    (datetime.timedelta(milliseconds=1500), 1.5),
    (decimal.Decimal("1.10"), "1.10"),
    (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    (pathlib.PurePosixPath("a/b"), "a/b"),
    (b"\xff", base64.b64encode(b"\xff").decode()),
    (bytearray(b"ab"), "YWI="),
    (Colour.RED, "red"),
    (Colour.PAIR, [1, 2]),
    (Line(decimal.Decimal(3), {"b", "a"}), {"price": "3", "tags": ["a", "b"]}),
    (Point(1, 2), [1, 2]),
    ((1, (2,)), [1, [2]]),
    (collections.deque([1]), [1]),
    (range(3), [0, 1, 2]),
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", 1, "a"}), [1, "a", "b"]),
    ({1: "a", 2.5: "b", True + 1: "c"}, {"1": "a", "2.5": "b", "2": "c"}),
    ({None: 1, False: 2}, {"null": 1, "false": 2}),
    ({datetime.date(2024, 4, 1): 1, Colour.RED: 2}, {"2024-04-01": 1, "red": 2}),
    (collections.Counter("aab"), {"a": 2, "b": 1}),
    ({"a": 1}.keys(), ["a"]),
    ({"a": 1}.items(), [["a", 1]]),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
]


@pytest.mark.parametrize(("value", "expected"), CONVERSIONS)
def test_each_kind_of_the_table_becomes_its_json(value: Any, expected: Any) -> None:
    converted = values.to_json(value)

    assert converted == expected
    assert values.loads(values.dumps(converted)) == expected


class Thing:
    pass


CYCLE: list[Any] = []
CYCLE.append({"self": CYCLE})

REFUSALS: list[tuple[Any, str, str]] = [
    ({"items": [{"v": Thing()}]}, "$.items[0].v", "Thing"),
    ({"mean": float("nan")}, "$.mean", "float"),
    ([float("-inf")], "$[0]", "float"),
    ({"a b": {"c": object()}}, '$["a b"].c', "object"),
    (["\ud800"], "$[0]", "str"),
    ({"\udfff": 1}, "$", "str"),
    ([10**4300], "$[0]", "int"),
    ({1: "a", "1": "b"}, "$", "dict"),
    ({(1, 2): 3}, "$", "tuple"),
    (CYCLE, "$[0].self", "list"),
    ((item for item in [1]), "$", "generator"),
    (3j, "$", "complex"),
    ({"f": len}, "$.f", "builtin_function_or_method"),
]


@pytest.mark.parametrize(("value", "path", "kind"), REFUSALS)
def test_what_is_not_json_is_refused_with_its_path_and_type(value: Any, path: str, kind: str) -> None:
    with pytest.raises(Fault) as caught:
        values.to_json(value)

    assert (caught.value.code, caught.value.details) == ("result_not_serializable", {"path": path, "type": kind})
    assert caught.value.message.startswith(path)


def test_a_value_that_stands_twice_is_no_cycle() -> None:
    part = [1]

    assert values.to_json([part, part]) == [[1], [1]]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_is_bounded_in_both_directions() -> None:
    deepest = nested(values.MAX_NESTING)
    assert values.loads(values.dumps(values.to_json(deepest))) == deepest

    with pytest.raises(Fault) as caught:
        values.to_json([deepest])
    assert caught.value.details["path"] == "$" + "[0]" * values.MAX_NESTING
    with pytest.raises(ValueError, match="nested more than 200 deep"):
        values.loads(b"[" * 205 + b"]" * 205)
    with pytest.raises(ValueError, match="nested more than 200 deep"):
        values.loads(b"[" * 1_000_000)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"NaN",
        b"[Infinity]",
        b"[-Infinity]",
        b"1e999",
        b"1" + b"0" * 400 + b".0",
        b"[1]x",
        b'{"a": 1, "a": 2}',
        b'{"b": {"a": 1, "\\u0061": 2}}',
        b'"\\ud800"',
        b'{"\\udc00": 1}',
        b'"\xff"',
        b"\xef\xbb\xbf1",
        '"a"'.encode("utf-16"),
        b"1" * 4301,
        b"'a'",
    ],
)
def test_bytes_that_are_not_strict_json_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        values.loads(data)


HEAVY = {
    "deep": b"[ " + b",".join([b"[" * 190 + b"]" * 190] * 22_000) + b"]",
    "arrays": b"[" + b",".join([b"[]"] * 2_600_000) + b"]",
    "objects": b"[ " + b",".join([b'{"a":[]}'] * 900_000) + b"]",
    "numbers": b"[" + b",".join([b"1"] * 4_000_000) + b"]",
}


@pytest.mark.parametrize("name", HEAVY)
def test_json_of_very_many_values_is_not_read(name: str) -> None:
    with pytest.raises(ValueError, match="more than 1000000 values"):
        values.loads(HEAVY[name])


def test_what_stands_in_texts_does_not_count() -> None:
    text = 'a,b,[c{,"\\' * 200_000
    assert values.loads(values.dumps([text, {text: 1}])) == [text, {text: 1}]
    assert values.count(values.dumps([text, 1, 2])) < 10


def test_long_json_is_read_in_one_spelling_only() -> None:
    value = ["x" * 70_000]
    assert values.loads(values.dumps(value)) == value
    with pytest.raises(ValueError, match="odd spelling"):
        values.loads(b" " + values.dumps(value))


def test_json_in_another_spelling_is_read_all_the_same() -> None:
    assert values.loads(b' {"a" : [1.50, "\\u00fc\\ud83d\\ude00", 1E2]} ') == {"a": [1.5, "ü😀", 100.0]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@given(JSON)
def test_every_json_value_survives_conversion_writing_and_reading(value: Any) -> None:
    assert values.loads(values.dumps(values.to_json(value))) == value


@given(st.binary())
def test_no_bytes_give_anything_but_a_value_or_a_value_error(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        values.loads(data)
