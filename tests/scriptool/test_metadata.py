"""The tool block of a script."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from scriptool.definitions.metadata import read_block

WriteTool = Callable[[str, str], Path]


def block(*lines: str) -> bytes:
    """Give a script whose block holds *lines*; they start at line 3."""
    return "\n".join(["import json", "# /// tool", *(f"# {line}" for line in lines), "# ///", "return 1"]).encode()


def test_script_without_a_block_has_none() -> None:
    assert read_block(b"return '# ///'\n# /// script\n# ///") is None


def test_block_says_what_a_json_file_could_and_the_rest_is_assumed() -> None:
    found = read_block(
        block(
            'title = "Area"',
            "aliases = ['surface']",
            "[inputs.w]",
            'type = "integer"',
            "required = true",
            "[limits]",
            "seconds = 2",
        )
    )
    assert found is not None and found.fault is None
    definition = found.definition("my area")
    assert (definition.name, definition.description, definition.title) == ("my_area", "my area", "Area")
    assert (definition.main_thread, definition.aliases, definition.limits.seconds) == (False, ["surface"], 2)
    assert definition.inputs is not None and definition.inputs["w"].required


WRONG: list[tuple[list[str], list[dict[str, Any]]]] = [
    (["title = ", "x = 1"], [{"path": "", "message": "not TOML: Invalid value", "line": 3, "column": 11}]),
    (
        ['titel = "x"', "[limits]", "seconds = 0"],
        [
            {"path": "/limits/seconds", "message": "input should be greater than 0, got 0", "line": 5},
            {"path": "/titel", "message": "unknown field", "hint": 'Did you mean "title"?', "line": 3},
        ],
    ),
    (
        ['kind = "script"'],
        [
            {
                "path": "/kind",
                "message": "may not stand here",
                "hint": "A block describes the script it stands in.",
                "line": 3,
            }
        ],
    ),
]


@pytest.mark.parametrize(("lines", "problems"), WRONG)
def test_mistake_in_a_block_is_told_with_its_line(lines: list[str], problems: list[dict[str, Any]]) -> None:
    found = read_block(block(*lines))
    assert found is not None and found.fault is not None
    assert found.fault.code == "definition_error"
    assert sorted(found.fault.details["problems"], key=lambda one: str(one["path"])) == problems


def test_block_that_is_not_closed_is_told_where_it_starts() -> None:
    found = read_block(b"# /// tool\n# title = 'x'\nreturn 1")
    assert found is not None and found.fault is not None
    assert found.fault.details["problems"] == [
        {"path": "", "message": "the block is not closed", "line": 1, "hint": "End it with a line `# ///`."}
    ]


def test_second_block_is_refused() -> None:
    found = read_block(b"# /// tool\n# ///\n# /// tool\n# ///\n")
    assert found is not None and found.fault is not None
    assert found.fault.details["problems"] == [{"path": "", "message": "a second block", "line": 3}]


WORSE = [
    ("x = " + "1" * 5000, None, 2, None),
    ("title = 0x" + "f" * 5000, "/title", 2, "the number has too many digits"),
    ('[inputs.a]\ntype = "number"\ndefault = nan', "/inputs/a/default", 4, "nan is no number of JSON"),
    ("[inputs.a]\nminimum = -inf", "/inputs/a/minimum", 3, "-inf is no number of JSON"),
    ("inputSchema = {type = 'object', properties = {a = {enum = [1, nan]}}}", None, 2, "nan is no number of JSON"),
]


@pytest.mark.parametrize(("stated", "path", "line", "message"), WORSE)
async def test_numbers_that_json_has_not_are_problems_of_their_tool_alone(
    client: httpx2.AsyncClient, write_tool: WriteTool, stated: str, path: str | None, line: int, message: str | None
) -> None:
    block = "".join(f"# {one}\n" for one in stated.split("\n"))
    write_tool("odd.py", f"# /// tool\n{block}# ///\nreturn 1\n")
    write_tool("odd.md", f"+++\n{stated}\n+++\nText.\n")
    write_tool("good.py", "return 2\n")
    assert (await client.post("/tools/good")).json()["result"] == 2
    assert {one["name"] for one in (await client.get("/tools")).json()["tools"]} >= {"good", "odd"}
    assert (await client.get("/openapi.json")).status_code == 200
    problem = (await client.post("/tools/odd")).json()["error"]["problems"][0]
    assert problem["line"] == line
    assert path is None or problem["path"] == path
    assert message is None or problem["message"] == message


def test_the_lines_of_a_block_are_read_in_one_pass() -> None:
    long = "a" * 300_000
    found = read_block(
        block(f"tags = [1, # {long}", f"[0], # {long} {long}", f"{' ' * 300_000}]", "[limits]", "seconds = true")
    )
    assert found is not None and found.fault is not None
    assert {(one["path"], one["line"]) for one in found.fault.details["problems"]} >= {("/limits/seconds", 7)}
