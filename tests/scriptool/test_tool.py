"""Tool names made of file stems."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scriptool.definitions.judgement import NAME
from scriptool.tool import name_of, words_of

NAMES = [
    ("price", "price"),
    ("Send Mail", "send_mail"),
    ("my report (final)", "my_report_final_"),
    ("v1.2", "v1_2"),
    ("2fast", "t_2fast"),
    ("_x", "t__x"),
    ("café", "caf_"),
    ("cafe\u0301", "caf_"),
]


@pytest.mark.parametrize(("stem", "name"), NAMES)
def test_stem_is_made_a_name(stem: str, name: str) -> None:
    assert name_of(stem) == name


def test_stem_with_nothing_left_and_one_too_long_end_in_a_mark_of_their_own() -> None:
    assert re.fullmatch(r"t_[0-9a-f]{8}", name_of("日本語"))
    assert name_of("日本語") != name_of("中文")
    assert re.fullmatch(r"a{55}_[0-9a-f]{8}", name_of("a" * 80))
    assert name_of("a" * 80) != name_of("a" * 81)


@given(st.text(min_size=1, max_size=100))
def test_any_stem_gives_a_name_that_clients_accept(stem: str) -> None:
    assert NAME.fullmatch(name_of(stem))
    assert words_of(stem)
