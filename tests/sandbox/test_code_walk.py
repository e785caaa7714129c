"""The code that is produced, instruction by instruction: no attribute is reached past what the policy allows.

`WALK_SCRIPTS` says over how many random scripts (1,000 by default; 5,000 take three minutes).
"""

import dis
import os
from collections.abc import Iterator
from random import Random
from types import CodeType

import pytest

from sandbox.language.compiler import Refused, compile_module
from sandbox.language.names import kind
from tests.sandbox.random_programs import Author

SCRIPTS = int(os.environ.get("WALK_SCRIPTS", "1000"))
WRITE_GUARDS = {"own!", "write!", "rename!"}
READ_GUARDS = {"own!", "priv!"} | WRITE_GUARDS


def codes(code: CodeType) -> Iterator[CodeType]:
    """Give a code object and all inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def strays(code: CodeType) -> Iterator[str]:
    """Name each instruction of one code object that no rule and no guard answers for."""
    names, before = set(code.co_names), None
    for step in dis.get_instructions(code):
        name = str(step.argval)
        if step.opname.startswith(("STORE_ATTR", "DELETE_ATTR")) and not names & WRITE_GUARDS:
            yield f"{step.opname} {name}: no guard in this code"
        if step.opname.startswith(("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR")) and not answered(
            name, names, before
        ):
            yield f"{step.opname} {name}"
        if (
            step.opname in ("STORE_GLOBAL", "STORE_NAME", "DELETE_GLOBAL", "DELETE_NAME")
            and "!" in name
            and name != "body!"
        ):
            yield f"{step.opname} {name}: a guard is bound"
        if "IMPORT_STAR" in (step.opname, step.argrepr):
            yield "IMPORT_STAR"
        if step.opname != "CACHE":
            before = step


def answered(name: str, names: set[str], before: "dis.Instruction | None") -> bool:
    """Say whether reading the attribute *name* is allowed natively, or guarded in a code that uses *names*."""
    match kind(name):
        case "native":
            return True
        case "private":
            return bool(names & READ_GUARDS)
        case "power" | "access":
            return "super" in names
        case "guarded":
            return before is not None and before.opname == "LOAD_CONST" and isinstance(before.argval, str)
        case _:
            return False


@pytest.mark.timeout(60 + SCRIPTS / 10)
def test_no_instruction_of_many_random_scripts_goes_past_the_policy() -> None:
    compiled, found = 0, set()
    for number in range(SCRIPTS):
        text = Author(Random(number)).program()
        try:
            code = compile_module(text.encode()).code
        except Refused:
            continue
        compiled += 1
        found |= {stray for one in codes(code) for stray in strays(one)}
    assert found == set()
    assert compiled > SCRIPTS * 0.9


@pytest.mark.parametrize(
    "text",
    [
        "x.a = 1",
        "del x.a",
        "y = x._a",
        "y = x.__init__",
        "y = x.__globals__",
        "y = x.format",
        "y = x.gi_frame",
        "from a import *",
    ],
)
def test_the_walk_notices_what_plain_python_does(text: str) -> None:
    assert list(strays(compile(text, "plain", "exec")))
