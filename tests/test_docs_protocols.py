"""What the pages on HTTP and MCP claim: every command and program on them run, every route there is on its page."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.routing import Route

from scriptool.app import App
from scriptool.web import build
from tests.server import Server, serving
from tests.test_docs import ROOT, assert_printed, blocks, commands, shell

HTTP = ROOT / "docs/http.md"
COMMANDS = [pair for head, text in blocks(HTTP) if head == "console" for pair in commands(text)]
MCP = blocks(ROOT / "docs/mcp.md")
PROGRAMS = [(text, MCP[at + 1]) for at, (head, text) in enumerate(MCP) if head == "python run"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the examples, and the tool that the page on HTTP shows."""
    folder = tmp_path_factory.mktemp("protocols") / "tools"
    shutil.copytree(ROOT / "examples", folder)
    (folder / "count_to.py").write_text(dict(blocks(HTTP))["python tool=count_to"])
    with serving(folder) as one:
        while httpx2.get(f"{one.url}/ready", timeout=20).status_code == 503:
            pass
        yield one


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("command", "expected"), COMMANDS, ids=lambda text: text[:60])
def test_a_command_prints_what_the_page_says(server: Server, tmp_path: Path, command: str, expected: str) -> None:
    assert_printed(command, shell(command.replace("8750", str(server.port)), tmp_path), expected)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("program", "printed"), PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_prints_what_the_page_says(server: Server, program: str, printed: tuple[str, str]) -> None:
    head, expected = printed
    assert head == "text printed"
    argv = [sys.executable, "-c", program.replace("8750", str(server.port))]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert_printed("python", done.stdout + done.stderr, expected)


async def test_every_route_has_its_place_on_the_page_and_no_other_has(app: App) -> None:
    served = set()
    for route in build(app).routes:
        assert isinstance(route, Route)
        path = re.sub(r"{(\w+):\w+}", r"{\1}", route.path).rstrip("/") or "/"
        served |= (
            {path} if path == "/mcp" else {f"{method} {path}" for method in (route.methods or ()) if method != "HEAD"}
        )
    assert set(re.findall(r"^### `(.+)`$", HTTP.read_text(), re.MULTILINE)) == served
