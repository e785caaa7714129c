"""What is logged, and how."""

import json
import logging
from collections.abc import Iterator

import pytest

from scriptool.log import Format, Level, log_call, set_up


@pytest.fixture(autouse=True)
def handlers_as_before() -> Iterator[None]:
    """Give the root logger back to pytest."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)


CALL = {"call_id": "c0ffee", "tool": "add", "duration_ms": 1.5, "client": None, "error": {"code": "timeout"}}


def test_each_message_is_one_json_object_with_the_id_of_its_call(capsys: pytest.CaptureFixture[str]) -> None:
    set_up(Level.info, Format.json)
    log_call(CALL)
    captured = capsys.readouterr()
    said = json.loads(captured.err)
    del said["time"]
    assert captured.out == ""
    assert said == {
        "level": "info",
        "logger": "scriptool.calls",
        "message": "called",
        "call_id": "c0ffee",
        "tool": "add",
        "code": "timeout",
        "duration_ms": 1.5,
    }


def test_text_carries_the_same_fields_and_a_traceback_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    set_up(Level.info, Format.text)
    log_call(CALL | {"error": None})
    try:
        raise KeyError("x")
    except KeyError:
        logging.getLogger("scriptool").exception("failed")
    err = capsys.readouterr().err
    assert "INFO scriptool.calls: called call_id=c0ffee tool=add code=ok duration_ms=1.5\n" in err
    assert err.endswith("KeyError: 'x'\n")


def test_what_is_below_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    set_up(Level.warning, Format.text)
    log_call(CALL)
    logging.getLogger("mcp").info("chatter")
    assert capsys.readouterr().err == ""


def test_what_callers_choose_stays_in_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    set_up(Level.info, Format.text)
    log_call(CALL | {"tool": "x\n2026-01-01 ERROR fake \x1b[2J\0\u202e", "client": "a\r\nb"})
    try:
        raise ValueError("first\nsecond \x1b[2J")
    except ValueError:
        logging.getLogger("scriptool").exception("failed\nfor %s", "x\ny")
    err = capsys.readouterr().err
    lines = err.splitlines()
    assert lines[0].endswith(
        r"tool=x\n2026-01-01 ERROR fake \x1b[2J\x00\u202e code=timeout duration_ms=1.5 client=a\r\nb"
    )
    assert lines[1].endswith(r"ERROR scriptool: failed\nfor x\ny")
    assert lines[-1] == r"second \x1b[2J"
    assert err.isprintable() or set(err) - set("\n") == set(filter(str.isprintable, err))
