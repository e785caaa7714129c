"""A write without a test is a write on the script's own object, whatever the text does to the names before it."""

import dis
import json
import types
from collections.abc import Iterator

import pytest

from sandbox.language.compiler import compile_module
from tests.sandbox.scripts import run
from tests.sandbox.sections import read_sections

SETUP = "import json\nclass C: pass\n"
ATTACKS = read_sections("foreign_writes.txt")
WRITES = read_sections("own_writes.txt")


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from codes(one)


def with_return(text: str) -> str:
    return f"{SETUP}{text}\nreturn 'through'"


def in_a_function(text: str) -> str:
    lines = "".join(f"    {line}\n" for line in f"class C: pass\n{text}".splitlines())
    return f"import json\ndef main():\n{lines}    return 'through'"


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("form", [with_return, in_a_function])
def test_nothing_is_written_on_what_is_not_the_scripts_own(name: str, form: object) -> None:
    before = set(vars(json)), set(vars(json.dumps))
    ran = run(form(ATTACKS[name]))  # type: ignore[operator]  # one of two functions

    assert not ran.ending["ok"], ran.ending
    assert ran.error["type"] in ("TypeError", "AttributeError", "NameError", "UnboundLocalError"), ran.error
    assert before == (set(vars(json)), set(vars(json.dumps)))


@pytest.mark.parametrize("name", WRITES)
def test_own_objects_are_written_as_in_cpython(name: str) -> None:
    text = f"{SETUP}{WRITES[name]}"
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    namespace: dict[str, object] = {"args": {}, "__name__": "x"}
    exec(f"def main():\n{lines}", namespace)

    assert run(text).value == namespace["main"]()  # type: ignore[operator]  # the function above


def test_a_method_tests_its_first_parameter_once() -> None:
    text = (
        b"class C:\n    def f(self):\n        for i in 'abc':\n            self.a = i\n            self.b = self._c\n"
    )
    (method,) = [one for one in codes(compile_module(text).code) if one.co_name == "f"]

    loads = [one.argval for one in dis.get_instructions(method) if one.opname == "LOAD_GLOBAL"]
    assert loads == ["type!", "own!", "priv!", "write!"]


def test_code_that_writes_no_attributes_has_no_guard() -> None:
    text = b"import math\ndef f(x, *y, **z):\n    d = {'a': [v.real for v in y]}\n    d['a'][0] += math.pi\n"
    text += b"    with x as q, y:\n        return '{} {}'.format(q.name, *y)\nreturn f"
    names = {name for one in codes(compile_module(text).code) for name in one.co_names if "!" in name}

    assert names == {"body!"}
