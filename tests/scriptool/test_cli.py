"""The commands, run as someone would."""

import json
import os
import subprocess
from pathlib import Path

import httpx2
import pytest

from scriptool import __version__
from tests.conftest import WriteTool
from tests.secrecy import secret
from tests.server import SCRIPTOOL, port_of, running

TOKEN = secret("a-token-that-is-long-enough")

ADD = '''\
def main(a: int, b: int = 1) -> dict:
    """Add two numbers."""
    print("adding")
    return {"sum": a + b}
'''


def scriptool(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(SCRIPTOOL), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | environment)


def test_call_prints_the_result_and_nothing_else_on_the_output(folder: Path, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    done = scriptool("call", folder, "add", "a=2", "b:=3")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"sum": 5})
    assert "adding" in done.stderr


def test_call_takes_all_arguments_as_json(folder: Path, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    assert json.loads(scriptool("call", folder, "add", "--json", '{"a": 2}').stdout) == {"sum": 3}
    whole = json.loads(scriptool("call", folder, "add", "--json", '{"a": 2}', "--envelope").stdout)
    assert (whole["ok"], whole["output"]) == (True, "adding\n")


def test_call_shows_where_a_script_failed(folder: Path, write_tool: WriteTool) -> None:
    write_tool("cost.py", "item = {}\nreturn item['cost']\n")
    done = scriptool("call", folder, "cost")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cost.py:2:8: runtime: KeyError" in done.stderr
    assert "    return item['cost']\n           ^^^^^^^^^^^^\n" in done.stderr


@pytest.mark.parametrize("words", [["a"], ["=1"], ["--json", "[1]"], ["--json", "{"], ["a:=x"]])
def test_call_refuses_what_is_no_argument(folder: Path, words: list[str]) -> None:
    done = scriptool("call", folder, "add", *words)
    assert (done.returncode, done.stderr.startswith("scriptool: ")) == (2, True)


def test_list_shows_each_tool_with_the_first_line_of_its_description(folder: Path, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    write_tool("broken.py", "return (")
    done = scriptool("list", folder)
    lines = done.stdout.splitlines()
    assert lines[0] == "add     Add two numbers."
    assert lines[1].startswith("broken  broken: ")
    assert done.stderr == f"1 problem; `scriptool check {folder}` shows them.\n"
    listed = json.loads(scriptool("list", folder, "--json").stdout)
    assert [tool["name"] for tool in listed] == ["add", "broken"]


def test_check_is_silent_about_a_good_folder(folder: Path, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    done = scriptool("check", folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "1 tool, nothing wrong.\n")


def test_check_says_where_each_problem_is_and_how_to_mend_it(folder: Path, write_tool: WriteTool) -> None:
    write_tool("escape.py", "def main():\n    'No.'\n    return (1).__class__.__bases__\n")
    write_tool("bad.json", '{"name": "Bad Name"}')
    done = scriptool("check", folder)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    place = next(index for index, line in enumerate(lines) if line.startswith("escape.py:3:"))
    assert lines[place + 1] == "        return (1).__class__.__bases__"
    assert set(lines[place + 2].strip()) == {"^"}
    assert any(line.startswith("bad.json") for line in lines)


def test_the_version_is_shown() -> None:
    done = scriptool("--version")
    assert (done.returncode, done.stdout) == (0, f"{__version__}\n")


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert scriptool("check", tmp_path / "none").returncode == 2


@pytest.mark.timeout(60)
def test_serve_prints_where_and_ends_with_a_signal(folder: Path, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    with running([str(SCRIPTOOL), "serve", str(folder), "--no-shared", "--port", "0"]) as printed:
        port = port_of(printed)
        url = f"http://127.0.0.1:{port}"
        assert printed.splitlines() == [f"Tools: {url}/tools", f"MCP:   {url}/mcp", f"Debug: {url}/debug"]
        assert httpx2.post(f"{url}/tools/add", json={"a": 1}).json()["result"] == {"sum": 2}
        taken = scriptool("serve", folder, "--port", str(port))
        assert (taken.returncode, "Try --port 0." in taken.stderr) == (2, True)


def test_serve_says_that_a_folder_is_not_there_yet(tmp_path: Path) -> None:
    missing = tmp_path / "mistyped"
    with running([str(SCRIPTOOL), "serve", str(missing), "--no-shared", "--port", "0"]) as printed:
        assert f"{missing} is no folder yet" in printed


def test_serve_asks_for_a_token_where_others_can_reach_it(folder: Path, tmp_path: Path) -> None:
    done = scriptool("serve", folder, "--host", "0.0.0.0", SCRIPTOOL_TOKEN="short")
    assert (done.returncode, "at least 16" in done.stderr) == (2, True)
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o644)
    done = scriptool("serve", folder, "--host", "0.0.0.0", "--token-file", file)
    assert (done.returncode, f"chmod 600 {file}" in done.stderr) == (2, True)


def test_an_argument_that_is_no_text_is_refused_in_words(folder: Path, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    done = scriptool("call", folder, "add", os.fsdecode(b"a=\xff"))
    assert done.returncode == 2
    assert "holds bytes that are no UTF-8" in done.stderr
