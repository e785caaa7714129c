"""`scriptool call` at a terminal: what a tool tells is heard, and what it asks is answered there."""

from pathlib import Path

import pytest

from tests.conftest import WriteTool
from tests.terminal import typed

HOW = "(An empty line where no [value] is offered says no; Ctrl-D closes the question.)\n"
CAKE = """
answer = ctx.ask("What shall it be?", {
    "text": {"type": "string", "maxLength": 5, "title": "Words", "description": "on the cake"},
    "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
    "layers": {"type": "integer", "minimum": 1},
    "candles": {"type": "boolean", "default": False},
    "nuts": {"type": "array", "items": {"type": "string", "enum": ["pecan", "almond"]}, "default": []},
})
return [answer.action, dict(answer)]
"""
pytestmark = pytest.mark.timeout(60)


def test_a_form_is_filled_in_field_by_field_until_it_fits(folder: Path, write_tool: WriteTool) -> None:
    write_tool("cake.py", CAKE)
    talk = [
        ("Words (on the cake): ", "far too long\n"),
        ("colour (red, blue) [red]: ", "green\n"),
        ("layers: ", "2\n"),
        ("candles (y or n) [n]: ", "perhaps\n"),
        ("nuts (any of pecan, almond, with commas between) []: ", "\n"),
        ("Words (on the cake): ", "Ann\n"),
        ("colour (red, blue) [red]: ", "\n"),
        ("layers: ", "3\n"),
        ("candles (y or n) [n]: ", "y\n"),
        ("nuts (any of pecan, almond, with commas between) []: ", "almond, pecan\n"),
    ]
    code, output, shown = typed(["call", folder, "cake"], talk)
    values = ["accept", "Ann", "red", "3", "true", "almond", "pecan"]
    assert (code, [word for word in values if word not in output]) == (0, [])
    assert shown.startswith(f"What shall it be?\n{HOW}Words")
    wrong = shown.partition("[]: ")[2].partition("Words")[0]
    assert sorted(wrong.splitlines()) == [
        'candles: expected boolean, got string "perhaps"',
        'colour: "green" is not one of "red", "blue"',
        "text: 'far too long' is too long",
    ]


@pytest.mark.parametrize(("keys", "action"), [("\n", "decline"), ("\x04", "cancel")])
def test_a_form_can_be_refused_or_closed(folder: Path, write_tool: WriteTool, keys: str, action: str) -> None:
    write_tool("cake.py", CAKE)
    code, output, _shown = typed(["call", folder, "cake"], [("Words", keys)])
    assert (code, action in output) == (0, True)


@pytest.mark.parametrize(("keys", "agreed"), [("y\n", "true"), ("\n", "false"), ("no\n", "false")])
def test_a_plain_question_is_agreed_to_or_not(folder: Path, write_tool: WriteTool, keys: str, agreed: str) -> None:
    write_tool("sure.py", "return bool(ctx.ask('Sure?'))")
    assert typed(["call", folder, "sure"], [("Agreed? [y/N] ", keys)])[:2] == (0, f"{agreed}\n")


def test_a_destructive_tool_is_confirmed_at_the_terminal(folder: Path, write_tool: WriteTool) -> None:
    write_tool("wipe.py", "# /// tool\n# destructive = true\n# ///\nreturn 'wiped'")
    assert typed(["call", folder, "wipe"], [("Yes, do it (y or n): ", "y\n")])[:2] == (0, '"wiped"\n')
    code, output, shown = typed(["call", folder, "wipe"], [("Yes, do it (y or n): ", "n\n")])
    assert (code, output, "did not confirm" in shown) == (1, "", True)


def test_the_log_and_progress_are_shown_and_no_control_characters(folder: Path, write_tool: WriteTool) -> None:
    write_tool("tells.py", "ctx.progress(1, 2, 'half')\nctx.log.info('\\x1b]0;title\\x07', n=1)\nreturn '\\x9b2J'")
    code, output, shown = typed(["call", folder, "tells"], [])
    assert (code, output) == (0, '"\\u009b2J"\n')
    assert shown == "1 of 2: half\ninfo: \\u001b]0;title\\u0007 n=1\n"
