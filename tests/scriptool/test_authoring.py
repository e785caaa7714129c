"""What tool authors run: new, test, schema and client-config; and the schemas held against all that is written."""

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scriptool.commands.clients import CLIENTS
from scriptool.commands.trial import same
from scriptool.definitions.fieldschema import KINDS, any_schema, schema_of
from scriptool.fields import MODELS
from scriptool.metaschema import schema_problems
from tests.server import SCRIPTOOL

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
BLOCK = re.compile(r"^# /// tool\n((?:#.*\n)*?)# ///$", re.MULTILINE)
FRONT = re.compile(r"^\+\+\+\n(.*?)^\+\+\+$", re.DOTALL | re.MULTILINE)


def scriptool(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(SCRIPTOOL), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def written() -> Iterator[tuple[str, str, Any]]:
    """Give each definition of the examples and the pages: where it stands, what it is, and its value."""
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix == ".json" and "data" not in path.parts:
            yield path.name, "definition", json.loads(path.read_text())
        elif path.suffix in (".py", ".md"):
            yield from embedded(path.name, path.read_text())
    for page in PAGES:
        text = page.read_text()
        for head, body in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            if head.startswith("json definition="):
                yield page.name, "definition", json.loads(body)
        yield from embedded(page.name, text)


def embedded(name: str, text: str) -> Iterator[tuple[str, str, Any]]:
    for body in BLOCK.findall(text):
        yield name, "tool-block", tomllib.loads(re.sub(r"^# ?", "", body, flags=re.MULTILINE))
    for body in FRONT.findall(text):
        yield name, "prompt-block", tomllib.loads(body)


def test_everything_written_fits_the_generated_schemas() -> None:
    found = list(written())
    assert {what for _, what, _ in found} == {"definition", "tool-block", "prompt-block"}
    judges = {what: jsonschema.Draft202012Validator(schema_of(what)) for what in ("tool-block", "prompt-block")}
    judges["definition"] = jsonschema.Draft202012Validator(any_schema())
    wrong = [(where, error.message) for where, what, value in found for error in judges[what].iter_errors(value)]
    assert wrong == []


def test_the_schemas_are_schemas_and_refuse_what_the_fields_refuse() -> None:
    assert [schema_problems(one) for one in (any_schema(), *map(schema_of, KINDS))] == [[]] * (len(KINDS) + 1)
    judge = jsonschema.Draft202012Validator(any_schema())
    good: dict[str, Any] = {"name": "a", "kind": "prompt", "description": "A.", "file": "a.md"}
    assert judge.is_valid(good)
    wrong: list[dict[str, Any]] = [{"fiel": "a.md"}, {"kind": "promt"}, {"destructive": True}]
    wrong.append({"inputs": {"x": {"type": "text"}}})
    assert [judge.is_valid(good | change) for change in wrong] == [False] * len(wrong)


@pytest.mark.timeout(60)
def test_schema_prints_the_schema_of_a_kind(tmp_path: Path) -> None:
    assert json.loads(scriptool("schema", "probe", folder=tmp_path).stdout) == schema_of("probe")
    printed = json.loads(scriptool("schema", folder=tmp_path).stdout)
    assert set(MODELS) <= set(printed["$defs"])


@pytest.mark.timeout(120)
def test_what_new_writes_is_right_and_passes_its_own_test(tmp_path: Path) -> None:
    for kind, name in (("script", "say_it"), ("prompt", "write_it"), ("resource", "read_it")):
        made = scriptool("new", name, "--kind", kind, folder=tmp_path)
        assert (made.returncode, made.stderr) == (0, "")
        assert all((tmp_path / line).is_file() for line in made.stdout.split())
    checked = scriptool("check", ".", folder=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, "")
    tried = scriptool("test", folder=tmp_path)
    assert (tried.returncode, tried.stdout, tried.stderr) == (0, "say_it 1: ok\n", "1 test, 0 failed.\n")
    again = scriptool("new", "say_it", folder=tmp_path)
    assert (again.returncode, again.stderr) == (2, "scriptool: say_it.py is there already.\n")
    bad = scriptool("new", "../Say", folder=tmp_path)
    assert (bad.returncode, bad.stdout) == (2, "")


ADD = '''\
# /// tool
# [[tests]]
# args = { a = 1, b = 2 }
# result = 3
# [[tests]]
# args = { a = 1, b = 1 }
# result = 3
# [[tests]]
# args = { a = "x" }
# error = "invalid_params"
# [[tests]]
# args = { a = 1 }
# error = "timeout"
# [[tests]]
# args = { a = -1 }
# result = 0
# ///
def main(a: int, b: int = 0) -> int:
    """Add."""
    if a < 0:
        raise ToolError("below zero")
    return a + b
'''


@pytest.mark.timeout(60)
def test_test_says_of_each_test_how_it_ended(tmp_path: Path) -> None:
    (tmp_path / "add.py").write_text(ADD)
    tried = scriptool("test", ".", folder=tmp_path)
    assert tried.stdout.splitlines() == [
        "add 1: ok",
        "add 2: expected 3, got 2",
        "add 3: ok",
        "add 4: expected the error timeout, got 1",
        "add 5: expected 0, got the error tool_error: below zero",
    ]
    assert (tried.returncode, tried.stderr) == (1, "5 tests, 3 failed.\n")


@pytest.mark.timeout(60)
def test_test_fails_where_a_file_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "add.py").write_text("# /// tool\n# tests = [{ args = {}, error = 'timout' }, {}]\n# ///\n'Add.'\n")
    tried = scriptool("test", folder=tmp_path)
    assert "'timout' is no error code" in tried.stdout
    assert "says neither `result` nor `error`" in tried.stdout
    assert (tried.returncode, tried.stderr) == (1, "0 tests, 0 failed, 1 problem.\n")


def test_numbers_are_compared_as_numbers_and_nothing_else_is() -> None:
    assert same({"a": [1, 2.0, None]}, {"a": [1.0, 2, None]})
    pairs = [(1, True), (0, False), ("1", 1), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (None, 0), ([], {})]
    assert [same(*pair) for pair in pairs] == [False] * len(pairs)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("client", CLIENTS)
def test_client_config_prints_json_for_each_client(tmp_path: Path, client: str) -> None:
    printed = scriptool("client-config", client, ".", folder=tmp_path)
    entry = json.loads(printed.stdout)[CLIENTS[client].key]["scriptool"]
    assert (entry["command"], entry["args"]) == (str(SCRIPTOOL), ["serve", str(tmp_path), "--stdio"])
    assert printed.stderr == f"It belongs into {CLIENTS[client].file}.\n"
    connected = scriptool("client-config", client, "--url", "http://127.0.0.1:8750/mcp", folder=tmp_path)
    assert connected.returncode == (2 if client == "claude-desktop" else 0)
    if connected.returncode == 0:
        assert "http://127.0.0.1:8750/mcp" in json.loads(connected.stdout)[CLIENTS[client].key]["scriptool"].values()


def test_an_unknown_client_is_told_which_are_known(tmp_path: Path) -> None:
    done = scriptool("client-config", "cursr", folder=tmp_path)
    known = "claude-code, claude-desktop, cursor, gemini, vscode, windsurf"
    words = f"scriptool: 'cursr' is no client whose settings are known. Did you mean \"cursor\"? Known are {known}.\n"
    assert (done.returncode, done.stderr) == (2, words)
