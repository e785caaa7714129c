"""Inspection: how values are shown as JSON, and how much of them."""

import datetime
import decimal
import math
import uuid
from pathlib import PurePosixPath
from typing import Any

import pytest

from scriptool.host import Host
from scriptool.objects.inspection import MAX_CHARACTERS, MAX_ITEMS, MAX_NODES
from tests.application import Colour, Node, host, read


def test_an_object_is_shown_by_its_public_data() -> None:
    assert read("@app/camera") == {
        "type": "Camera",
        "value": {
            "angle": math.radians(60),
            "aspect": 1.5,
            "fov": 60,
            "kind": "<Node>",
            "lens": None,
            "matrix": ["<list>", "<list>"],
            "tags": ["first", "main"],
        },
        "truncated": [{"at": "/matrix/0", "limit": "depth"}, {"at": "/matrix/1", "limit": "depth"}],
    }


def test_fields_choose_what_is_shown() -> None:
    assert read("@app/camera", fields=["fov", "aspect"]) == {"type": "Camera", "value": {"fov": 60, "aspect": 1.5}}
    assert read("@app", fields=["title"]) == {"type": "dict", "value": {"title": "Test"}}
    assert read("@scene:/Canvas/children", fields=["name", "size"], max_items=2) == {
        "type": "list",
        "value": [{"name": "Button", "size": 2.0}, {"name": "Button", "size": 3.0}],
        "truncated": [{"at": "", "limit": "max_items", "shown": 2, "of": 3}],
    }


def test_items_without_a_field_leave_it_out_and_a_field_that_none_has_is_an_error() -> None:
    mixed = host(mixed=[Node("a"), {"name": "b"}, 3])
    assert read("@mixed", mixed, fields=["name", "size"])["value"] == [{"name": "a", "size": 1.0}, {"name": "b"}, 3]
    assert read("@mixed", mixed, fields=["nam"])["error"] == {
        "code": "not_found",
        "message": "no item of the list has a member 'nam'",
        "hint": 'Did you mean "name"?',
    }
    assert read("@app/camera", fields=["fow"])["error"]["message"] == "Camera has no member 'fow'"
    assert read("@app/camera", fields=["look_at"])["error"]["code"] == "bad_path"


SCALARS: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (2**70, 2**70),
    (10**5000, "<int of 16610 bits>"),
    (math.inf, "inf"),
    (math.nan, "nan"),
    ("\ud800", "?"),
    (b"\x00\xff", "AP8="),
    (Colour.RED, "red"),
    (decimal.Decimal("1.10"), "1.10"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (PurePosixPath("a/b"), "a/b"),
    (datetime.date(2026, 1, 2), "2026-01-02"),
    (datetime.timedelta(minutes=1), 60.0),
    (frozenset({2, 1}), [1, 2]),
    (range(3), [0, 1, 2]),
    ({1: "a", None: "b", (1,): "c"}, {"1": "a", "None": "b", "<tuple>": "c"}),
    (print, "bad_path"),
]


@pytest.mark.parametrize(("value", "shown"), SCALARS, ids=[str(index) for index in range(len(SCALARS))])
def test_values_are_shown_as_json(value: Any, shown: Any) -> None:
    entry = read('@it["value"]', Host(roots={"it": {"value": value}}))
    assert entry.get("value", entry.get("error", {}).get("code")) == shown


def test_nothing_is_wider_deeper_or_longer_than_its_ceiling() -> None:
    deep: Any = "bottom"
    for _ in range(10):
        deep = [deep]
    shown = Host(roots={"wide": list(range(1000)), "deep": deep, "long": "x" * 5000, "many": [[0] * 200] * 200})
    assert read("@wide", shown, max_items=10**6) == {
        "type": "list",
        "value": list(range(MAX_ITEMS)),
        "truncated": [{"at": "", "limit": "max_items", "shown": MAX_ITEMS, "of": 1000}],
    }
    assert read("@deep", shown, depth=99) == {
        "type": "list",
        "value": [[[["<list>"]]]],
        "truncated": [{"at": "/0/0/0/0", "limit": "depth"}],
    }
    assert read("@long", shown) == {
        "type": "str",
        "value": "x" * MAX_CHARACTERS,
        "truncated": [{"at": "", "limit": "characters", "shown": MAX_CHARACTERS, "of": 5000}],
    }
    many = read("@many", shown, max_items=200)
    assert sum(1 + len(row) for row in many["value"]) + 1 == MAX_NODES
    assert many["truncated"][0]["limit"] == "nodes"


def test_marks_of_what_was_cut_are_bounded_too() -> None:
    marks = read("@rows", Host(roots={"rows": [[1]] * 100}), depth=1, max_items=100)["truncated"]
    assert (len(marks), marks[-1]) == (21, {"more": 80})


def test_an_object_that_holds_itself_is_shown_as_deep_as_asked() -> None:
    me: dict[str, Any] = {}
    me["me"] = me
    assert read("@me", Host(roots={"me": me}), depth=1) == {
        "type": "dict",
        "value": {"me": "<dict>"},
        "truncated": [{"at": "/me", "limit": "depth"}],
    }
