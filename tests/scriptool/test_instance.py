"""`scriptool call` of a tool that a running server has, found by the note the server leaves."""

import json
import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scriptool.instance import Instance, noted, running
from scriptool.settings import choose_folders
from tests.conftest import WriteTool
from tests.secrecy import secret
from tests.server import SCRIPTOOL
from tests.server import running as started

TOKEN = secret("token-of-an-instance-77")
pytestmark = pytest.mark.timeout(60)


def call(project: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [SCRIPTOOL, "call", *words]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, check=False)


@contextmanager
def serving_with_token(folder: Path, project: Path) -> Iterator[None]:
    (project / "token").write_text(TOKEN)
    (project / "token").chmod(0o600)
    options = ["--no-shared", "--port", "0", "--token-file", str(project / "token")]
    with started([str(SCRIPTOOL), "serve", str(folder), *options], cwd=project):
        yield


@pytest.fixture
def served(folder: Path, tmp_path: Path) -> Iterator[Path]:
    """Serve the folder with a token; give the project whose server it is."""
    with serving_with_token(folder, tmp_path):
        yield tmp_path


def note(project: Path) -> Path:
    settings = choose_folders([], project=project)
    return settings.data / "instances" / f"{settings.project_hash}.json"


TELLS = """
ctx.log.info("looking", n=1)
print("printed")
return args
"""


def test_a_tool_of_the_running_server_is_called_without_a_folder(served: Path, write_tool: WriteTool) -> None:
    write_tool("tells.py", TELLS)
    done = call(served, "tells", "a=1", "b:=[2]")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"a": "1", "b": [2]})
    assert done.stderr == "info: looking n=1\nprinted\n"
    write_tool("tells.py", "return 'edited'")
    assert call(served, "tells").stdout == '"edited"\n'
    envelope = json.loads(call(served, "tells", "--envelope").stdout)
    assert (envelope["ok"], envelope["result"]) == (True, "edited")


def test_what_goes_wrong_there_reads_as_it_does_here(served: Path, folder: Path, write_tool: WriteTool) -> None:
    write_tool("fails.py", "def main(a: int):\n    return 1 / a\n")
    for words in (["fails", "a=0"], ["fails", "a=x"], ["fials", "a=0"]):
        there, here = call(served, *words), call(served, folder, *words)
        assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)
        assert there.returncode == 1


def test_the_note_is_its_owners_alone_and_goes_with_the_server(folder: Path, tmp_path: Path) -> None:
    path = note(tmp_path)
    with serving_with_token(folder, tmp_path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert Instance.model_validate_json(path.read_bytes()).token == TOKEN
    assert not path.exists()
    done = call(tmp_path, "tells")
    words = "Start it with `scriptool serve`, or name the folder: `scriptool call DIR NAME`."
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"scriptool: no server of the project {tmp_path} is running. {words}\n"
    assert "name a tool of tools" in call(tmp_path, "tools").stderr


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": 1, "pid": 1}', '{"url": "http://127.0.0.1:1"}'])
def test_a_note_that_is_none_counts_for_nothing(tmp_path: Path, text: str) -> None:
    settings = choose_folders([], project=tmp_path, data=tmp_path / "data")
    with noted(settings, "http://127.0.0.1:1"):
        mine = running(settings)
        assert mine is not None and mine.pid == os.getpid()
        path = tmp_path / "data/instances" / f"{settings.project_hash}.json"
        path.write_text(text)
        assert running(settings) is None
        path.write_text(mine.model_dump_json())
        path.chmod(0o640)
        assert running(settings) is None
        path.chmod(0o600)
        path.write_text(mine.model_copy(update={"pid": ended()}).model_dump_json())
        assert running(settings) is None
    assert path.exists()  # it is another server's by now


def ended() -> int:
    """Give the number of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        pass
    return process.pid


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    settings = choose_folders([], project=tmp_path)
    with noted(settings, "http://127.0.0.1:9"):
        done = call(tmp_path, "tells")
    assert (
        done.returncode,
        done.stderr.startswith("scriptool: the server at http://127.0.0.1:9 does not answer: "),
    ) == (2, True)


def test_what_only_a_folder_can_have_is_refused(served: Path) -> None:
    done = call(served, "tells", "--allow", "net=a.test")
    assert (done.returncode, "was decided when it was started" in done.stderr) == (2, True)
    done = call(served, "nowhere", "tells")
    assert (done.returncode, "nowhere is no folder." in done.stderr) == (2, True)


def test_a_server_that_cannot_leave_a_note_serves_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").write_text("a file")
    settings = choose_folders([], project=tmp_path, data=tmp_path / "data")
    with noted(settings, "http://127.0.0.1:1"):
        assert running(settings) is None
    assert "will not find this server" in caplog.text
