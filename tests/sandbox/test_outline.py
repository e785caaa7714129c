"""The outline tells a tool's parameters, classes and helpers without running the file."""

import sys
from typing import Any

import pytest

from sandbox.language.compiler import compile_module


def outline(text: str) -> dict[str, Any]:
    return compile_module(text.encode()).outline


def annotation(text: str, before: str = "") -> Any:
    return outline(f"{before}\ndef main(x: {text}): pass")["parameters"][0]["annotation"]


def default(text: str) -> Any:
    return outline(f"def main(x={text}): pass")["parameters"][0]["default"]


def classes(text: str, annotation: str) -> dict[str, Any]:
    found: dict[str, Any] = outline(f"{text}\ndef main(x: {annotation}): pass")["classes"]
    return found


def test_a_function_tells_its_signature() -> None:
    text = 'def main(price: float, ä: int = 1, *, k="ä") -> dict:\n    """Doc.\n\n    More.\n    """'

    assert outline(text) == {
        "form": "function",
        "doc": "Doc.\n\nMore.",
        "takes_args": False,
        "parameters": [
            {"name": "price", "kind": "normal", "annotation": {"name": "float"}, "line": 1, "column": 10},
            {
                "name": "ä",
                "kind": "normal",
                "annotation": {"name": "int"},
                "line": 1,
                "column": 24,
                "default": {"value": 1},
            },
            {
                "name": "k",
                "kind": "keyword_only",
                "annotation": None,
                "line": 1,
                "column": 39,
                "default": {"value": "ä"},
            },
        ],
        "returns": {"name": "dict"},
        "classes": {},
        "functions": ["main"],
        "imports": [],
        "optional_imports": [],
        "block": None,
    }


def test_every_kind_of_parameter_is_told() -> None:
    found = outline("def main(a, /, b, *c, d, **e): pass")["parameters"]

    assert [(one["name"], one["kind"]) for one in found] == [
        ("a", "positional_only"),
        ("b", "normal"),
        ("c", "var_positional"),
        ("d", "keyword_only"),
        ("e", "var_keyword"),
    ]


def test_a_body_tells_its_docstring_and_no_parameters() -> None:
    found = outline('"""Doc."""\ndef helper(x): pass\nreturn 1')

    assert (found["form"], found["doc"], found["parameters"], found["functions"]) == ("body", "Doc.", [], ["helper"])


def test_half_a_character_in_a_docstring_is_replaced() -> None:
    classes = "from dataclasses import dataclass\n@dataclass\nclass P:\n    '''b \\udfff'''\n    x: int\n"
    found = outline(classes + 'def main(p: P): \n    """a \\ud800 \\ud83d\\ude00"""')
    assert (found["doc"], found["classes"]["P"]["doc"]) == ("a \ufffd \U0001f600", "b \ufffd")


def test_the_docstring_of_the_module_stands_in_for_that_of_main() -> None:
    assert outline('"""Module."""\ndef main(): pass')["doc"] == "Module."


@pytest.mark.parametrize(
    ("signature", "takes_args"),
    [("args", True), ("args, /", True), ("args: dict", True), ("*args", False), ("args, x", False), ("", False)],
)
def test_main_takes_the_dict_if_its_one_parameter_is_called_args(signature: str, takes_args: bool) -> None:
    assert outline(f"def main({signature}): pass")["takes_args"] is takes_args


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("int", {"name": "int"}),
        ("None", {"value": None}),
        ("int | None", {"union": [{"name": "int"}, {"value": None}]}),
        ("int | str | None", {"union": [{"name": "int"}, {"name": "str"}, {"value": None}]}),
        ("list[str]", {"name": "list", "args": [{"name": "str"}]}),
        ("dict[str, set]", {"name": "dict", "args": [{"name": "str"}, {"name": "set"}]}),
        ("list[list[int]]", {"name": "list", "args": [{"name": "list", "args": [{"name": "int"}]}]}),
        ("tuple[int, ...]", {"name": "tuple", "args": [{"name": "int"}, {"source": "..."}]}),
        ("Literal['a', 1, None]", {"name": "Literal", "args": [{"value": "a"}, {"value": 1}, {"value": None}]}),
        ("Annotated[int, 'text']", {"name": "Annotated", "args": [{"name": "int"}, {"value": "text"}]}),
        ("Annotated[int, f(1)]", {"name": "Annotated", "args": [{"name": "int"}, {"source": "f(1)"}]}),
        ("'list[int]'", {"name": "list", "args": [{"name": "int"}]}),
        ("list['int']", {"name": "list", "args": [{"name": "int"}]}),
        ("'not a type'", {"source": "not a type"}),
        ("f(1)", {"source": "f(1)"}),
        ("a[0](1)", {"source": "a[0](1)"}),
        ("{}", {"source": "{}"}),
    ],
)  # fmt: skip
def test_an_annotation_is_data(text: str, data: Any) -> None:
    assert annotation(text) == data


@pytest.mark.parametrize(
    ("before", "text", "name"),
    [
        ("import datetime as dt", "dt.date", "datetime.date"),
        ("from datetime import date as day", "day", "datetime.date"),
        ("import typing as t", "t.Any", "Any"),
        ("from typing_extensions import Any as A", "A", "Any"),
        ("if True:\n    from decimal import Decimal", "Decimal", "decimal.Decimal"),
        ("from uuid import UUID", "'UUID'", "uuid.UUID"),
    ],
)
def test_an_import_alias_in_an_annotation_is_resolved(before: str, text: str, name: str) -> None:
    assert annotation(text, before) == {"name": name}


def test_a_type_alias_is_what_it_stands_for() -> None:
    before = "import typing\nColor = typing.Literal['r', 'g']\nIds: typing.TypeAlias = 'list[int]'\nOpt = Color | None"

    assert annotation("Color", before) == {"name": "Literal", "args": [{"value": "r"}, {"value": "g"}]}
    assert annotation("Ids", before) == {"name": "list", "args": [{"name": "int"}]}
    assert annotation("Opt", before)["union"][1] == {"value": None}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in 3.12")
def test_a_type_statement_is_what_it_stands_for() -> None:
    assert annotation("X", "type X = list[int]") == {"name": "list", "args": [{"name": "int"}]}


def test_a_type_alias_that_unfolds_without_end_is_cut_short() -> None:
    text = "\n".join(f"A{n + 1} = tuple[A{n}, A{n}]" for n in range(60))

    assert annotation("A60", text)["name"] == "tuple"
    assert annotation("B", "B = list['B']") == {"name": "list", "args": [{"name": "B"}]}


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("1", {"value": 1}),
        ("-1.5", {"value": -1.5}),
        ("None", {"value": None}),
        ("['a', {'b': (1, 2)}]", {"value": ["a", {"b": [1, 2]}]}),
        ("{1: 2}", {"source": "{1: 2}"}),
        ("1e999", {"source": "1e999"}),
        ("f(\n  1)", {"source": "f( 1)"}),
        ("b'x'", {"source": "b'x'"}),
        ("'\\ud800'", {"source": "'\\ud800'"}),
        ("...", {"source": "..."}),
    ],
)
def test_a_default_is_a_literal_or_its_text(text: str, data: Any) -> None:
    assert default(text) == data


def test_an_enum_tells_its_members() -> None:
    text = "from enum import Enum, StrEnum, Flag, auto\n"
    text += "class A(Enum):\n    X = 'x'\n    Y = 2\n    _ignore_ = []\n    def f(self): pass\n"
    text += "class B(str, Enum):\n    X = 'x'\nclass C(StrEnum):\n    RED = auto()\n"
    text += "class D(Flag):\n    P = auto()\n    Q = auto()\n"

    assert classes(text, "tuple[A, B, C, D]") == {
        "A": {"kind": "enum", "members": {"X": "x", "Y": 2}},
        "B": {"kind": "enum", "members": {"X": "x"}},
        "C": {"kind": "enum", "members": {"RED": "red"}},
        "D": {"kind": "enum", "members": {"P": 1, "Q": 2}},
    }


def test_an_enum_with_a_member_that_must_be_computed_is_left_out() -> None:
    assert classes("import enum\nclass A(enum.Enum):\n    X = f(1)", "A") == {}


def test_a_dataclass_tells_its_fields_and_those_they_reach() -> None:
    text = (
        "from dataclasses import dataclass, field, KW_ONLY\nfrom typing import ClassVar\n"
        "@dataclass\nclass Base:\n    id: int\n"
        '@dataclass(frozen=True)\nclass Order(Base):\n    """An order."""\n    lines: list["Line"]\n    _: KW_ONLY\n'
        "    tags: list[str] = field(default_factory=list)\n    total: float = field(init=False)\n    note: str = 'n'\n"
        "    kind: ClassVar[int] = 3\n    made: float = f()\n"
        "@dataclass\nclass Line:\n    sku: str\nclass Unrelated: pass\n"
    )

    assert classes(text, "Order | None") == {
        "Line": {
            "kind": "dataclass",
            "doc": None,
            "total": True,
            "fields": [{"name": "sku", "annotation": {"name": "str"}, "required": True}],
        },
        "Order": {
            "kind": "dataclass",
            "doc": "An order.",
            "total": True,
            "fields": [
                {"name": "id", "annotation": {"name": "int"}, "required": True},
                {"name": "lines", "annotation": {"name": "list", "args": [{"name": "Line"}]}, "required": True},
                {
                    "name": "tags",
                    "annotation": {"name": "list", "args": [{"name": "str"}]},
                    "required": False,
                    "default": {"value": []},
                },
                {"name": "note", "annotation": {"name": "str"}, "required": False, "default": {"value": "n"}},
                {"name": "made", "annotation": {"name": "float"}, "required": False, "default": {"source": "f()"}},
            ],
        },
    }


def test_a_typed_dict_tells_which_keys_are_required() -> None:
    text = "from typing import TypedDict, Required, NotRequired\n"
    text += "class A(TypedDict):\n    x: int\n    y: NotRequired[int]\n"
    text += "class B(A, total=False):\n    z: str\n    w: Required[str]\n"
    found = classes(text, "B")["B"]

    assert (found["kind"], found["total"]) == ("typeddict", False)
    assert [(one["name"], one["annotation"]["name"], one["required"]) for one in found["fields"]] == [
        ("x", "int", True),
        ("y", "int", False),
        ("z", "str", False),
        ("w", "str", True),
    ]


def test_a_named_tuple_tells_its_fields() -> None:
    text = "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 2"

    assert [(one["name"], one["required"]) for one in classes(text, "P")["P"]["fields"]] == [("x", True), ("y", False)]


def test_classes_that_inherit_from_each_other_end() -> None:
    assert classes("class A(B): pass\nclass B(A): pass", "A") == {}


def test_helpers_are_told_by_their_dotted_names() -> None:
    text = "import lib.b\nfrom lib import a\nfrom lib.deep.c import f\nimport json\n"
    text += "try:\n    import lib.d as d\nexcept ImportError: pass"

    assert outline(text)["imports"] == ["lib.a", "lib.b", "lib.deep.c"]
    assert outline(text)["optional_imports"] == ["lib.d", "lib.deep.c.f"]
    assert compile_module(b"from lib.x import y", helper=True).outline["imports"] == ["lib.x"]
