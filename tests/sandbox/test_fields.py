"""A field never opens to patterns and dataclasses what a guard keeps from the dot."""

import pytest

from tests.sandbox.scripts import run
from tests.sandbox.sections import read_sections

HEAD = "from dataclasses import dataclass, make_dataclass\n"
ATTACKS = read_sections("guarded_fields.txt")


@pytest.mark.parametrize("name", ATTACKS)
def test_no_pattern_reads_a_guarded_method(name: str) -> None:
    ran = run(HEAD + ATTACKS[name])

    assert not ran.ending["ok"], ran.ending
    assert ran.error["type"] in ("TypeError", "ValueError"), ran.error


def test_a_field_may_have_such_a_name_where_no_base_has_it() -> None:
    text = "@dataclass\nclass Export:\n    format: str\n    register: int = 1\n"
    text += "match Export('csv'):\n    case Export(f, r): return [f, r]"

    assert run(HEAD + text).value == ["csv", 1]
