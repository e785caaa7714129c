"""The doctor says what a server would stand on, and whether it would run scripts."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from scriptool.commands.doctor import described, findings, runs
from scriptool.folders.catalog import Catalog
from scriptool.settings import Settings
from tests.conftest import WriteTool
from tests.server import SCRIPTOOL

REPORT = {
    "level": "full",
    "layers": {"seccomp": "on", "landlock": "on"},
    "missing": [],
    "attempts": {"fork": False, "open a folder": False},
    "workers": 4,
}
WEAK = {
    "level": "weak",
    "layers": {"seccomp": "not in this kernel", "landlock": "on"},
    "missing": ["seccomp", "attempt: fork"],
    "attempts": {"fork": True, "open a folder": False},
    "workers": 4,
}


def doctor(*words: str | Path, working: Path) -> subprocess.CompletedProcess[str]:
    command = [str(SCRIPTOOL), "doctor", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ, cwd=working)


def test_the_doctor_tells_of_walls_limits_modules_folders_and_permissions(
    folder: Path, write_tool: WriteTool, tmp_path: Path
) -> None:
    write_tool("read.py", "import tomllib\nreturn tomllib.loads('a = 1')\n")
    (tmp_path / "scriptool.toml").write_text('[permissions]\nnet = ["api.example.com"]\n')
    done = doctor(folder, "--no-shared", "--module", "tomllib", "--allow", "read:read=data/", working=tmp_path)
    lines = [line.strip() for line in done.stdout.splitlines()]

    assert done.returncode == 0, done.stderr
    assert "self-test    13 attempts to get out, all refused" in lines
    assert "seccomp: on" in lines
    assert "modules      tomllib" in lines
    assert any(line.startswith(f"folders      {folder}: ") for line in lines)
    assert "1 tool, 0 problems" in lines
    assert f"permissions  {tmp_path / 'scriptool.toml'}" in lines
    assert [line for line in lines if ": net" in line or ": read d" in line] == [
        "every tool: net api.example.com",
        "read: read data/",
    ]


def test_the_same_is_told_as_json(folder: Path, write_tool: WriteTool, tmp_path: Path) -> None:
    write_tool("read.py", "import tomllib\nreturn 1\n")
    done = doctor(folder, "--no-shared", "--json", working=tmp_path)
    told = json.loads(done.stdout)

    assert (told["runs_scripts"], told["modules"], told["tools"], told["problems"]) == (True, [], 1, 1)
    assert told["folders"] == [{"path": str(folder), "state": "readable"}]


def test_a_tool_runs_with_the_module_its_operator_added(folder: Path, write_tool: WriteTool) -> None:
    write_tool("read.py", "import tomllib\nreturn tomllib.loads('a = 1')\n")
    command = [str(SCRIPTOOL), "call", str(folder), "read"]
    added = subprocess.run([*command, "--module", "tomllib"], capture_output=True, text=True, timeout=60, check=True)

    assert json.loads(added.stdout) == {"a": 1}
    assert subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).returncode == 1


def test_a_module_that_scripts_have_already_is_refused(folder: Path, tmp_path: Path) -> None:
    done = doctor(folder, "--module", "json", working=tmp_path)

    assert done.returncode == 2
    assert done.stderr == "scriptool: the module cannot be added: scripts have a module json already.\n"


def test_what_keeps_the_sandbox_from_starting_is_told_and_logged(folder: Path, tmp_path: Path) -> None:
    done = doctor(folder, "--module", "no_such_module", working=tmp_path)
    why = "The sandbox's processes do not start: there is no module no_such_module; install it, or leave it out"

    assert done.returncode == 1
    assert why in [line.strip() for line in done.stdout.splitlines()]
    assert f"the sandbox does not start: {why}" in done.stderr


def test_a_missing_wall_is_named_and_scripts_do_not_run(settings: Settings) -> None:
    lines = dict(reversed([(like, what) for what, like in findings(settings, WEAK, Catalog(1))]))

    assert not runs(settings, WEAK)
    assert "seccomp: not in this kernel" in lines
    assert "2 attempts to get out, fork GOT THROUGH" in lines
    assert "scripts do not run; --weak-sandbox lets them" in lines


@pytest.mark.parametrize(
    ("report", "weak", "expected"), [(REPORT, False, True), (WEAK, False, False), (WEAK, True, True)]
)
def test_whether_scripts_run_is_the_operators_to_say(
    settings: Settings, report: dict[str, object], weak: bool, expected: bool
) -> None:
    chosen = settings.model_copy(update={"weak_sandbox": weak})

    assert runs(chosen, report) is expected
    assert described(chosen, report, Catalog(1))["runs_scripts"] is expected


def test_a_folder_that_is_not_there_is_said(settings: Settings, tmp_path: Path) -> None:
    chosen = settings.model_copy(update={"folders": (tmp_path / "none",)})

    assert ("folders", f"{tmp_path / 'none'}: not there (yet)") in list(findings(chosen, REPORT, Catalog(1)))
