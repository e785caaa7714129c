"""URI templates, read in both directions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scriptool.definitions.uritemplate import NotATemplate, parse

MATCHES: list[tuple[str, str, dict[str, str] | None]] = [
    ("notes://today", "notes://today", {}),
    ("notes://today", "notes://today/x", None),
    ("city://{name}/weather", "city://Berlin/weather", {"name": "Berlin"}),
    ("city://{name}/weather", "city://New%20York/weather", {"name": "New York"}),
    ("city://{name}/weather", "city://a/b/weather", None),
    ("city://{name}/weather", "city:///weather", None),
    ("docs://{+path}", "docs://guide/start.md", {"path": "guide/start.md"}),
    ("docs://{+path}", "docs://guide/start.md?x=1", None),
    ("log://{day}{?level,limit}", "log://today", {"day": "today"}),
    ("log://{day}{?level,limit}", "log://today?limit=3&level=a%26b", {"day": "today", "limit": "3", "level": "a&b"}),
    ("log://{day}{?level,limit}", "log://today?other=3", None),
    ("pair://{a}-{b}", "pair://1-2-3", {"a": "1", "b": "2-3"}),
]


@pytest.mark.parametrize(("template", "uri", "values"), MATCHES)
def test_a_uri_gives_its_variables(template: str, uri: str, values: dict[str, str] | None) -> None:
    assert parse(template).match(uri) == values


REFUSED = [
    ("today", "has no scheme"),
    ("a://{x", "has a brace without its partner"),
    ("a://{}", "has { }, which is none of the forms understood"),
    ("a://{x:3}", "has {x:3}, which is none of the forms understood"),
    ("a://{#x}", "has {#x}, which is none of the forms understood"),
    ("a://{?x}/y", "has {?x}, which is none of the forms understood"),
    ("a://{x}/{x}", "has the variable 'x' twice"),
    ("a://{+x}/raw", "goes on after {+x}"),
    ("a://{x}{y}", "has two variables with nothing between them"),
    ("a://b c", "holds a space or a character that is not ASCII"),
    ("a://" + "b" * 5000, "has over 4096 characters"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_cannot_be_read_back_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotATemplate) as raised:
        parse(text)
    assert raised.value.message == message


@given(st.text(min_size=1), st.text(), st.text(min_size=1))
def test_what_is_expanded_is_read_back(part: str, parameter: str, rest: str) -> None:
    one, left = parse("x://a/{part}{?p}"), parse("x://a/{+rest}")
    assert one.match(one.expand({"part": part, "p": parameter})) == {"part": part, "p": parameter}
    assert left.match(left.expand({"rest": rest})) == {"rest": rest}


def test_a_long_uri_is_read_in_one_pass() -> None:
    assert parse("x://{a}-{b}-{c}-{d}-{e}-{f}-{g}!").match("x://" + "-" * 4000) is None
