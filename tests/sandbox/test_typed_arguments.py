"""Arguments arrive as what the annotations of `main` name, nested too."""

from typing import Any

import pytest

from tests.sandbox.scripts import run

CLASSES = """\
import datetime, decimal, enum, uuid, pathlib, typing
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, Optional, Sequence, TypedDict, Union

class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"

@dataclass
class Line:
    price: Decimal
    day: date | None = None
    colours: list[Colour] = field(default_factory=list)
    total: int = field(init=False, default=7)

@dataclass
class Order:
    lines: list[Line]
    def __post_init__(self):
        if not self.lines:
            raise ValueError("an order has lines")

class Movie(TypedDict, total=False):
    released: date
    title: str

class Point(NamedTuple):
    x: Decimal
    y: int = 0
"""


def bound(annotation: str, value: Any) -> Any:
    """Give repr of the argument that `main(x: annotation)` gets for *value*."""
    return run(f"{CLASSES}\ndef main(x: {annotation}):\n    return repr(x)", {"x": value}).value


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        ("int", 3, "3"),
        ("date", "2024-04-01", "datetime.date(2024, 4, 1)"),
        ("'date'", "2024-04-01", "datetime.date(2024, 4, 1)"),
        (
            "datetime.datetime",
            "2024-04-01T10:00:00Z",
            "datetime.datetime(2024, 4, 1, 10, 0, tzinfo=datetime.timezone.utc)",
        ),
        ("datetime.time", "10:30", "datetime.time(10, 30)"),
        ("datetime.timedelta", 90, "datetime.timedelta(seconds=90)"),
        ("Decimal", "1.10", "Decimal('1.10')"),
        ("Decimal", 1.1, "Decimal('1.1')"),
        ("uuid.UUID", "00000000-0000-0000-0000-000000000005", "UUID('00000000-0000-0000-0000-000000000005')"),
        ("pathlib.Path", "a/b", "PurePosixPath('a/b')"),
        ("bytes", "YWI=", "b'ab'"),
        ("Colour", "red", "<Colour.RED: 'red'>"),
        ("Colour | None", None, "None"),
        ("Optional[Colour]", "blue", "<Colour.BLUE: 'blue'>"),
        ("date | int | str", 5, "5"),
        ("date | int | str", "2024-04-01", "datetime.date(2024, 4, 1)"),
        ("date | int | str", "tomorrow", "'tomorrow'"),
        ("Union[int, Decimal]", "2", "Decimal('2')"),
        ("list[date]", ["2024-04-01"], "[datetime.date(2024, 4, 1)]"),
        ("dict[str, list[Decimal]]", {"a": ["1"]}, "{'a': [Decimal('1')]}"),
        ("dict[date, int]", {"2024-04-01": 1}, "{datetime.date(2024, 4, 1): 1}"),
        ("tuple[int, date]", [1, "2024-04-01"], "(1, datetime.date(2024, 4, 1))"),
        ("tuple[Decimal, ...]", ["1", "2"], "(Decimal('1'), Decimal('2'))"),
        ("set[int]", [1, 1], "{1}"),
        ("Sequence[Colour]", ["red"], "[<Colour.RED: 'red'>]"),
        ("Annotated[date, 'when']", "2024-04-01", "datetime.date(2024, 4, 1)"),
        ("Movie", {"released": "2024-04-01", "title": "M"}, "{'released': datetime.date(2024, 4, 1), 'title': 'M'}"),
        ("Point", ["1"], "Point(x=Decimal('1'), y=0)"),
        ("Point", {"x": "1", "y": 2}, "Point(x=Decimal('1'), y=2)"),
        ("Literal['a']", "a", "'a'"),
        ("Any", {"a": 1}, "{'a': 1}"),
        ("SomethingElse", "x", "'x'"),
        (
            "Order",
            {"lines": [{"price": "2", "day": "2024-04-01", "colours": ["red"]}]},
            "Order(lines=[Line(price=Decimal('2'), day=datetime.date(2024, 4, 1), "
            "colours=[<Colour.RED: 'red'>], total=7)])",
        ),
    ],
)
def test_a_value_becomes_what_its_annotation_names(annotation: str, value: Any, expected: str) -> None:
    assert bound(annotation, value) == expected


@pytest.mark.parametrize(
    ("annotation", "value", "path", "message"),
    [
        ("date", "soon", "/x", "must be a date such as 2024-04-01"),
        ("list[Decimal]", ["1", "one"], "/x/1", 'must be a number or its text, such as "1.10"'),
        ("Order", {"lines": [{"price": "?"}]}, "/x/lines/0/price", 'must be a number or its text, such as "1.10"'),
        ("Order", {"lines": []}, "/x", "an order has lines"),
        ("Colour", "green", "/x", "is none of the values"),
    ],
)
def test_a_value_that_does_not_convert_is_named(annotation: str, value: Any, path: str, message: str) -> None:
    text = f"{CLASSES}\ndef main(x: {annotation}):\n    return repr(x)"
    error = run(text, {"x": value}).error

    assert (error["code"], error["message"]) == ("invalid_params", f"{path}: {message}")
    assert [(problem["path"], problem["message"]) for problem in error["problems"]] == [(path, message)]


def test_a_default_is_left_as_the_author_wrote_it() -> None:
    text = f"{CLASSES}\ndef main(day: date = None, when: 'date' = ''): return [day, when]"

    assert run(text, {"day": None, "when": ""}).value == [None, ""]
