"""Secrets are taken out in every form they travel in."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import httpx
import pytest

from scriptool.call import Call, Caller, Context
from scriptool.mask import EVERYTHING, HIDDEN, Mask

SECRET = 's3cr3t "VALUE"/é\n99'

FORMS = [
    SECRET,
    json.dumps(SECRET)[1:-1],
    json.dumps(SECRET, ensure_ascii=False)[1:-1],
    repr(SECRET)[1:-1],
    quote(SECRET, safe=""),
    base64.b64encode(SECRET.encode()).decode(),
    quote(SECRET, safe="").replace("%2F", "%2f").replace("%C3%A9", "%c3%a9").replace("%0A", "%0a"),
    html.escape(SECRET),
]


@pytest.mark.parametrize("form", FORMS)
def test_secret_is_hidden_in_each_form_also_inside_a_longer_text(form: str) -> None:
    masked = Mask([SECRET]).value({"a": [f"https://host/?key={form}&x=1"], form: 1})
    assert form not in json.dumps(masked, ensure_ascii=False)
    assert "https://host/?key=" in masked["a"][0]


@pytest.mark.parametrize("secret", ["hunter2", "hunter22", "hunter222", "p/ss?w~rd", "abcd"])
def test_secret_inside_a_longer_text_in_base64_is_hidden(secret: str) -> None:
    for user in ("a", "ab", "abc"):
        for after in ("", "x", "xy"):
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                text = encode(f"{user}:{secret}{after}".encode()).decode()
                masked = Mask([secret]).text(f"Basic {text}")
                # what is left on either side tells less than a character of the secret
                assert "***" in masked
                assert len(masked.replace("***", "")) <= len("Basic ") + 12
                start, _, end = masked.removeprefix("Basic ").partition("***")
                assert len(start) * 6 < 8 * (len(user) + 1) + 6
                assert len(end.rstrip("=")) * 6 < 8 * len(after) + 12  # the last may be filled up


def test_short_secrets_are_left_since_they_would_blank_out_ordinary_text() -> None:
    assert Mask(["abc"]).text("abc") == "abc"


def test_numbers_that_hold_a_secret_are_hidden_and_others_stay() -> None:
    assert Mask(["123456"]).value([123456, 7, True, None]) == ["***", 7, True, None]


@pytest.mark.parametrize("size", range(4, 40))
def test_a_secret_that_was_cut_is_hidden_as_far_as_it_goes(size: int) -> None:
    secret = "s3cr3t-of-forty-characters-exactly-q1w2e"
    masked = Mask([secret]).text(f'got: string "{secret[:size]}... and "{secret[:5]} stays')
    assert masked == 'got: string "***... and "s3cr3 stays'


def test_the_beginning_of_a_long_secret_is_hidden_also_where_nothing_tells_that_it_was_cut() -> None:
    secret = "s3cr3t-of-forty-characters/exactly-q1w2e"
    assert Mask([secret]).text(f"no port: '{secret.split('/')[0]}'") == "no port: '***'"


def test_texts_and_secrets_made_to_take_long_are_looked_through() -> None:
    same, mixed = "a" * 2_000_000, "ab" * 1_000_000
    mask = Mask([f"{same}b", f"b{same}", f"{mixed}c", *(f"{'a' * size}c" for size in range(4, 104))])
    assert mask.text(same) == HIDDEN
    assert mask.value([same, {"x": [mixed]}])[0] == HIDDEN
    few = Mask(["a" * 50_000 + "b"])
    assert few.text("a" * 40_000 + "c") == "***c"


def test_masks_of_two_hide_what_either_hides() -> None:
    one, two = Mask(["aaaa"]), Mask(["bbbb"])
    assert (one | two).text("aaaa bbbb") == "*** ***"
    assert one | Mask() is one and Mask() | two is two
    assert one | EVERYTHING is EVERYTHING and EVERYTHING | one is EVERYTHING


ODD = "two words!$(a)*&b=c/d+e%f:g;@,~[x]é"
ENCODED = [
    httpx.URL(f"http://host/{ODD.replace('/', '')}").raw_path.decode()[1:],
    str(httpx.URL("http://host/x?k=" + ODD)).partition("k=")[2],
    str(httpx.URL("http://host/x", params={"k": ODD})).partition("k=")[2],
    quote_plus(ODD).replace("%2B", "%2b").replace("%2F", "%2f"),
    json.dumps({"body": json.dumps({"k": ODD})}),
    repr(ODD.encode()),
    ascii(ODD),
    base64.encodebytes((ODD * 3).encode()).decode(),
]


@pytest.mark.parametrize("number", range(len(ENCODED)))
def test_secret_is_hidden_as_the_usual_libraries_write_it(number: int) -> None:
    text = ENCODED[number]
    masked = Mask([ODD, ODD * 3, ODD.replace("/", "")]).text(f"before {text} after")
    assert masked.startswith("before ") and masked.endswith(" after")
    assert "words" not in masked and len(masked.replace("***", "")) < 60


def test_each_line_of_a_secret_with_several_is_hidden_alone() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nabc\n-----END KEY-----\n"
    assert Mask([key]).text("in line 2: MIIEvQIBADANBg!") == "in line 2: ***!"
    assert Mask([key]).text(key) == "***"


@pytest.mark.parametrize("size", range(1, 20))
def test_a_secret_in_two_pieces_is_kept_back_until_it_is_whole(size: int) -> None:
    secret = "s3cr3t-in-two-pieces"
    heard: list[str] = []
    context = Context(Call("any", {}, Caller("test")), lambda _kind, text: heard.append(text), mask=Mask([secret]))
    context.tell("print", f"it is {secret[:size]}")
    assert secret[:size] not in "".join(heard).removeprefix("it is")
    context.tell("print", f"{secret[size:]} and s3cr")
    context.end()
    assert "".join(heard) == "it is *** and s3cr"


@pytest.mark.parametrize("odd", list(" \"'/%&<+\n\\é"))
def test_a_long_secret_is_hidden_whole_whatever_stands_late_in_it(odd: str) -> None:
    secret = f"a-secret-that-is-longer{odd}than-its-head{odd}and-goes-on"
    for text in (secret, json.dumps(secret), repr(secret), quote(secret), html.escape(secret)):
        assert Mask([secret]).text(f"it is {text}!").replace('"', "").replace("'", "") == "it is ***!"
