"""The bearer token: where it may come from."""

from pathlib import Path

import pytest

from scriptool.token import read_token

GOOD = "a-token-that-is-long-enough"


def test_a_token_comes_from_its_file_before_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{GOOD}\n")
    file.chmod(0o600)
    assert read_token(file, {"SCRIPTOOL_TOKEN": "another-token-of-some-length"}) == GOOD
    assert read_token(None, {"SCRIPTOOL_TOKEN": GOOD}) == GOOD
    assert read_token(None, {}) is None


@pytest.mark.parametrize("text", ["", "short", "two words are not a token", "t\u00f6ken-with-an-umlaut-in-it"])
def test_a_token_that_is_easily_guessed_or_mangled_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="at least 16"):
        read_token(None, {"SCRIPTOOL_TOKEN": text})


def test_a_file_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(GOOD)
    file.chmod(0o640)
    with pytest.raises(ValueError, match="chmod 600"):
        read_token(file, {})
