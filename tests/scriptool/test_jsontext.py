"""Strict JSON, and where its values stand."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scriptool.jsontext import NotJson, parse, places

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('aé"\\/\n{}[],:'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab"\\ ', max_size=3), inner, max_size=4),
    max_leaves=20,
)

REFUSED = [
    (b"", "Expecting value", 1, 1, "The text is empty."),
    (
        b'{"a": 1,}',
        "a comma with nothing after it",
        1,
        8,
        "JSON has no trailing comma: take out the one before the bracket.",
    ),
    (
        b"[1,]",
        "a comma with nothing after it",
        1,
        3,
        "JSON has no trailing comma: take out the one before the bracket.",
    ),
    (b'{\n  // words\n  "a": 1}', None, 2, 3, "JSON has no comments: take it out, or say it in `description`."),
    (b"{'a': 1}", None, 1, 2, 'JSON strings stand in double quotes: "text".'),
    (b'{"a": True}', None, 1, 7, "JSON writes true, false and null in lower case."),
    (b'{"a": NaN}', "NaN is not JSON", 1, 7, "Use null, or a number."),
    (b'["NaN", "a \\" NaN",\n -Infinity]', "-Infinity is not JSON", 2, 2, "Use null, or a number."),
    (b'{"a": 1,\n "a": 2}', "the key 'a' stands twice in one object", 2, 2, "Keep one of them."),
    (
        b'{"a": {"b": "a"},\n "c": ["a"], "\\u0061": 1} x',
        "the key 'a' stands twice in one object",
        2,
        14,
        "Keep one of them.",
    ),
    (b"\xff\xfe{\x00", "byte 0 is not UTF-8", 1, 1, "Write it as UTF-8."),
    (
        b'["\\ud83d\\ude00",\n "\\ud800"]',
        "a string holds half of a surrogate pair",
        2,
        2,
        "Write the character itself.",
    ),
    (b"[" * 100_000, "nested deeper than 200", 1, 201, ""),
    (b"[" * 250 + b"]" * 250, "nested deeper than 200", 1, 201, ""),
    (b"[1,\n " + b"1" * 5000 + b"]", None, 2, 2, ""),
    (b"[-1.5, 2,\n1e999]", None, 2, 1, ""),
]


@pytest.mark.parametrize(("data", "message", "line", "column", "hint"), REFUSED)
def test_text_that_is_not_strict_json_is_refused_with_its_place_and_a_hint(
    data: bytes, message: str | None, line: int, column: int, hint: str
) -> None:
    with pytest.raises(NotJson) as caught:
        parse(data)
    assert (caught.value.line, caught.value.column, caught.value.hint) == (line, column, hint)
    assert message is None or caught.value.message == message


def test_places_are_those_of_keys_and_items() -> None:
    assert places('{\n "a": [1, {"b": "x"}],\n "c": {"d": true}\n}') == {
        (): (1, 1),
        ("a",): (2, 2),
        ("a", 0): (2, 8),
        ("a", 1): (2, 11),
        ("a", 1, "b"): (2, 12),
        ("c",): (3, 2),
        ("c", "d"): (3, 8),
    }


@given(JSON, st.sampled_from([None, 1]))
def test_every_value_of_any_json_has_a_place(value: Any, indent: int | None) -> None:
    def paths(node: Any, path: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
        pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        return [path] + [one for key, child in pairs for one in paths(child, (*path, key))]

    text = json.dumps(value, indent=indent)
    assert set(places(text)) == set(paths(value, ()))


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_not_json(data: bytes) -> None:
    try:
        value = parse(data)
    except NotJson as refusal:
        assert refusal.message and refusal.line >= 1 and refusal.column >= 1
    else:
        assert parse(json.dumps(value).encode()) == value


def test_a_repeated_key_is_found_among_a_million_and_told_in_short() -> None:
    members = b",".join(b'"%d":0' % number for number in range(1_000_000))
    name = b"z" * 10_000
    with pytest.raises(NotJson) as caught:
        parse(b"{%b,\n%b,%b}" % (members, b'"%b":1' % name, b'"%b":2' % name))
    assert caught.value.message == f"the key '{'z' * 200}...' stands twice in one object"
    assert (caught.value.line, caught.value.column) == (2, 10006)
