"""What the policy refuses: each with its rule and the exact place, all at once, and a hint that says what to write."""

import sys
from typing import Any

import pytest

from sandbox.language.compiler import Refused, compile_module
from sandbox.language.policy import FOREIGN_NAMES, GUARDS, RULES
from sandbox.language.rules import MISSING_BUILTINS, REFUSED_BUILTINS, WARNING_RULES
from sandbox.runtime.guards import Guards
from sandbox.runtime.ownership import Ownership

REFUSED = [
    ("x = [].__class__", [("attribute", 1, 8, 17)]),
    ("x = (1)\\\n  .__class__.__bases__", [("attribute", 2, 4, 13), ("attribute", 2, 14, 23)]),
    ('x = "ä".__mro__', [("attribute", 1, 9, 16)]),
    ("def g(): yield\ng().gi_frame.f_globals", [("attribute", 2, 5, 13), ("attribute", 2, 14, 23)]),
    ("e.__traceback__, e.__context__", [("attribute", 1, 3, 16), ("attribute", 1, 20, 31)]),
    ("del x.__globals__", [("attribute", 1, 7, 18)]),
    ("f'{x.__code__}'", [("attribute", 1, 6, 14)]),
    ("x.__class__ = 1", [("attribute-write", 1, 3, 12)]),
    ("x.__init__ = 1\nC.__len__ = 1", [("attribute-write", 1, 3, 11), ("attribute-write", 2, 3, 10)]),
    ("x.format += y", [("attribute-write", 1, 3, 9)]),
    ("x = __builtins__", [("dunder-name", 1, 5, 17)]),
    ("__name__ = 'os'", [("dunder-name", 1, 1, 9)]),
    ("def f(__file__): pass", [("dunder-name", 1, 7, 15)]),
    ("for __name__ in x: pass", [("dunder-name", 1, 5, 13)]),
    ("import json as __loader__", [("dunder-name", 1, 16, 26)]),
    ("def f():\n    global __import__", [("dunder-name", 2, 12, 22)]),
    ("class C:\n    def f(self): return __class__", [("dunder-name", 2, 25, 34)]),
    ("match 1:\n    case __name__: pass", [("dunder-name", 2, 10, 18)]),
    ("try: pass\nexcept E as __name__: pass", [("dunder-name", 2, 13, 21)]),
    ("super = 1", [("reserved-name", 1, 1, 6)]),
    ("def super(): pass", [("reserved-name", 1, 5, 10)]),
    ("lambda super: 1", [("reserved-name", 1, 8, 13)]),
    ("def f(*, _getattr_): pass", [("reserved-name", 1, 10, 19)]),
    ("(_write_ := 1)", [("reserved-name", 1, 2, 9)]),
    ("exec('1'); y = eval", [("builtin", 1, 1, 5), ("builtin", 1, 16, 20)]),
    (
        "@compile\ndef f(): pass\nx = [breakpoint, input]",
        [("builtin", 1, 2, 9), ("builtin", 3, 6, 16), ("builtin", 3, 18, 23)],
    ),
    ("x = '{0.__class__}'.format(1)", [("format-field", 1, 5, 20)]),
    ("x = '{:{0[a].format}}'.format_map(1)", [("format-field", 1, 5, 23)]),
    ("class C:\n    gi_frame: int", [("field-name", 2, 5, 13)]),
    ("class C:\n    def __reduce__(self): pass", [("special-method", 2, 9, 19)]),
    ("class C:\n    async def __subclasshook__(self): pass", [("special-method", 2, 15, 31)]),
    ("class C:\n    __instancecheck__ = f", [("special-method", 2, 5, 22)]),
    ("class C:\n    from json import dumps as __getstate__", [("special-method", 2, 31, 43)]),
    ("class C:\n    __module__ = 'os'", [("dunder-name", 2, 5, 15)]),
    ("class C:\n    __match_args__ = ('gi_frame',)", [("match-args", 2, 5, 19)]),
    ("class C:\n    __match_args__ = x", [("match-args", 2, 5, 19)]),
    ("class C:\n    a = __match_args__ = ('x',)", [("match-args", 2, 9, 23)]),
    ("class C:\n    for __match_args__ in x: pass", [("match-args", 2, 9, 23)]),
    ("class C:\n    def __match_args__(self): pass", [("match-args", 2, 9, 23)]),
    ("match x:\n    case int(__globals__=g): pass", [("pattern", 2, 14, 25)]),
    ("match x:\n    case str(format=f): pass", [("pattern", 2, 14, 20)]),
    ("match x:\n    case {a.__dict__: 1}: pass", [("pattern", 2, 13, 21)]),
    ("match x:\n    case a._b: pass", [("pattern", 2, 12, 14)]),
    ("class C(metaclass=M): pass", [("metaclass", 1, 9, 20)]),
    ("class C(metaclass=type): pass", [("metaclass", 1, 9, 23)]),
    ("try:\n    pass\nexcept* E:\n    pass", [("except-star", 3, 1, 7)]),
    ("import subprocess", [("import-module", 1, 8, 18)]),
    ("from subprocess import run", [("import-module", 1, 6, 16)]),
    ("import json, os.nothing as o", [("import-module", 1, 14, 24)]),
    ("from json import (\n    loads,\n    codecs,\n)", [("import-name", 3, 5, 11)]),
    ("import lib", [("import-module", 1, 8, 11)]),
    ("from json import _default_decoder", [("import-private", 1, 18, 34)]),
    ("import _io", [("import-private", 1, 8, 11)]),
    ("from _strptime import x", [("import-private", 1, 6, 15)]),
    ("from lib.x import __builtins__ as b", [("import-private", 1, 19, 31)]),
    ("from . import x", [("import-relative", 1, 1, 16)]),
    ("from math import *", [("import-star", 1, 1, 19)]),
    ("from __future__ import braces", [("future", 1, 24, 30)]),
]

NEWER = {
    (3, 12): [
        ("type super = int", [("reserved-name", 1, 6, 11)]),
        ("def f[T: (1).__class__](x): pass\nx.__class__", [("attribute", 2, 3, 12)]),  # a bound is removed, not refused
    ]
}


def table() -> list[Any]:
    newer = [row for version, rows in NEWER.items() if sys.version_info >= version for row in rows]
    return [pytest.param(*row, id=row[0].replace("\n", "; ")) for row in REFUSED + newer]


def refusals(text: str) -> list[dict[str, Any]]:
    with pytest.raises(Refused) as caught:
        compile_module(text.encode())
    return caught.value.diagnostics


def warnings_of(text: str) -> list[tuple[str, int, int, str]]:
    warnings = compile_module(text.encode()).warnings
    return [(one["rule"], one["line"], one["column"], one["hint"]) for one in warnings]


@pytest.mark.parametrize(("text", "expected"), table())
def test_a_refused_construct_is_named_at_its_exact_place(text: str, expected: list[tuple[str, int, int, int]]) -> None:
    found = refusals(text)

    assert [(one["rule"], one["line"], one["column"], one["end_column"]) for one in found] == expected
    assert all(one["severity"] == "error" and one["hint"] and one["message"] for one in found)
    assert [one["source"] for one in found] == [text.split("\n")[one["line"] - 1] for one in found]


def test_every_rule_that_refuses_is_in_the_table() -> None:
    by_the_parser = {"syntax", "encoding", "too-deep"}  # test_compiler
    by_the_python = {"template-string", "node"}  # no Python up to 3.13 has such syntax

    assert {
        row[0] for _, rows in REFUSED for row in rows
    } == RULES.keys() - WARNING_RULES - by_the_parser - by_the_python


def test_all_refusals_of_a_file_are_told_at_once_in_order() -> None:
    found = refusals(
        "import subprocess\nx.__dict__\nx.__globals__\nclass C(metaclass=M):\n    __reduce__ = 1\neval('1')"
    )

    assert [(one["line"], one["rule"]) for one in found] == [
        (1, "import-module"),
        (3, "attribute"),
        (4, "metaclass"),
        (5, "special-method"),
        (6, "builtin"),
    ]


def test_a_refusal_comes_with_what_cpython_refuses() -> None:
    found = refusals("x.__globals__\ndef f(a, a): pass")

    assert [(one["rule"], one["line"], one["column"]) for one in found] == [("attribute", 1, 3), ("syntax", 2, 10)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("import subprocess", "Scripts start no programs; use a granted tool with ctx.call."),
        ("import jsn", "Did you mean json?"),
        ("from math import flor", "Did you mean floor?"),
        ("x.__class__", "Use type(x); only x.__class__.__name__ and x.__class__.__qualname__ may be read."),
        ("input('?')", REFUSED_BUILTINS["input"]),
        ("from .geometry import area", "Write `from lib.geometry import ...`."),
        ("__import__('os')", "Use an import statement."),
    ],
)
def test_a_hint_says_what_to_write_instead(text: str, hint: str) -> None:
    assert [one["hint"] for one in refusals(text)] == [hint]


@pytest.mark.parametrize("name", FOREIGN_NAMES)
def test_a_name_of_another_host_is_pointed_to_ours(name: str) -> None:
    assert warnings_of(f"x = {name}\nreturn x") == [("foreign-name", 1, 5, FOREIGN_NAMES[name])]


@pytest.mark.parametrize("name", FOREIGN_NAMES)
def test_a_name_of_another_host_is_the_authors_own_where_the_file_binds_it(name: str) -> None:
    assert warnings_of(f"def f({name}): return {name}\nreturn 1") == []


@pytest.mark.parametrize("name", MISSING_BUILTINS)
def test_a_builtin_that_is_not_there_is_warned_of(name: str) -> None:
    assert warnings_of(f"return {name}") == [("missing-builtin", 1, 8, MISSING_BUILTINS[name])]


def test_a_refused_builtin_is_free_as_a_name_of_the_script() -> None:
    assert warnings_of("input = args['x']\ndef compile(x): return x\nreturn compile(input)") == []


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None\nreturn 1",
        "try:\n    from json import nothing\nexcept (KeyError, ModuleNotFoundError):\n    pass\nreturn 1",
        "from contextlib import suppress\nwith suppress(ImportError):\n    import numpy\nreturn 1",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy\nreturn 1",
        "if __name__ == '__main__':\n    import argparse\nreturn 1",
    ],
)
def test_an_import_that_may_fail_is_a_warning(text: str) -> None:
    assert [rule for rule, *_ in warnings_of(text)] == ["unavailable-import"]


def test_the_handler_of_a_failing_import_may_import_no_more_than_others() -> None:
    found = refusals("try:\n    import json\nexcept ImportError:\n    import simplejson")

    assert [(one["rule"], one["line"]) for one in found] == [("import-module", 4)]


def test_a_name_that_a_module_lacks_is_warned_of() -> None:
    assert warnings_of("import math\ndef f(math): return math.anything\nreturn math.flor(1)") == [
        ("module-attribute", 3, 13, "Did you mean floor?")
    ]


def test_ordinary_names_are_free() -> None:
    function = "_x = __y = __user__ = 1\ndef _f(_, __event__=2, *, _z=3): return _\n"

    assert warnings_of(f"{function}class _C:\n    __all__ = ['a']\n    _p = 1\nreturn _f(_x)") == []


def test_every_guard_is_bound_at_run_time_and_has_a_reason() -> None:
    assert Guards(Ownership()).bindings().keys() == GUARDS.keys()
    assert all(GUARDS.values())


def test_every_rule_has_a_reason_and_a_hint() -> None:
    assert [name for name, rule in RULES.items() if not (rule.reason and rule.hint)] == []
