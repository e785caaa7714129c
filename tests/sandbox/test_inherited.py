"""What classes of a script have from their bases: as in Python, but for what would lead out."""

import pytest

from sandbox.language.names import is_dunder, kind
from sandbox.runtime.bases import OPEN_BASES
from tests.sandbox.scripts import run


def test_no_private_method_of_a_metaclass_can_be_read() -> None:
    metaclasses = {cls for base in OPEN_BASES for cls in type.mro(type(base))}
    private = {name for cls in metaclasses for name in vars(cls) if name[0] == "_" and not is_dunder(name)}

    assert {name for name in private if kind(name) != "refused"} == set()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "import enum\nclass Planet(enum.Enum):\n    def __new__(cls, mass, radius):\n"
            "        made = object.__new__(cls)\n        made._value_, made.radius = mass, radius\n"
            "        return made\n"
            "    EARTH = (5.9, 6.4)\nreturn [Planet.EARTH.value, Planet.EARTH.radius, Planet(5.9).name]",
            [5.9, 6.4, "EARTH"],
        ),
        (
            "import enum\nclass Code(int, enum.Enum):\n    def __new__(cls, value, text=''):\n"
            "        made = int.__new__(cls, value)\n        made._value_, made.text = value, text\n"
            "        return made\n"
            "class Own(Code):\n    A = 1, 'one'\nreturn [Own.A + 1, Own.A.text, list(Own.__members__)]",
            [2, "one", ["A"]],
        ),
        (
            "import copy, collections\nclass Upper(collections.UserDict):\n"
            "    def __setitem__(self, key, value):\n        super().__setitem__(key.upper(), value)\n"
            "made = Upper(a=1)\nmade.note = []\ncopies = [made.copy(), copy.copy(made), made | {'b': 2}]\n"
            "made['c'] = 3\n"
            "return [dict(one) for one in copies], copies[0].note is made.note, type(copies[0]).__name__",
            [[{"A": 1}, {"A": 1}, {"A": 1, "B": 2}], True, "Upper"],
        ),
        (
            "import collections\nD, L = collections.UserDict, collections.UserList\n"
            "return [dict(D(a=1) | D(b=2)), dict(D.fromkeys('ab')), list(L([1]) + L([2])), L([1]) < L([2]),"
            " L([1]) == L([1]), list(L([1]).copy()), repr(D), L.append.__qualname__]",
            [
                {"a": 1, "b": 2},
                {"a": None, "b": None},
                [1, 2],
                True,
                True,
                [1],
                "<class 'collections.UserDict'>",
                "UserList.append",
            ],
        ),
        (
            "from dataclasses import dataclass, field, make_dataclass\n"
            "@dataclass(slots=True)\nclass A:\n    x: int\n    y: list = field(default_factory=list)\n"
            "@dataclass(init=False)\nclass B:\n    x: int = 1\n@dataclass\nclass C:\n    'Said.'\n    x: int\n"
            "return [A.__doc__, B.__doc__, C.__doc__, make_dataclass('D', ['z']).__doc__]",
            ["A(x: Any, y: Any = <factory>)", "B()", "Said.", "D(z: Any)"],
        ),
    ],
)
def test_what_is_inherited_works_as_in_python(text: str, value: object) -> None:
    assert run(text).value == value
