"""Real clients, doing what an agent's day is made of: list, call, fail, and see what an author changed meanwhile."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.packages import ROOT, node, npm, venv
from tests.server import Server, serving

OWN = {"definitions_list", "job_cancel", "job_status"}
INSPECTOR = "@modelcontextprotocol/inspector"
SDK = "@modelcontextprotocol/sdk"
FASTMCP = [
    line for line in (ROOT / "bench/peers/requirements.txt").read_text().splitlines() if line.startswith("fastmcp=")
]


class Client(Protocol):
    """What each client can do."""

    def list(self) -> Sequence[str]: ...

    def call(self, tool: str, **args: Any) -> tuple[bool, str]:
        """Call a tool; say whether it failed, and what the client makes known of its answer."""
        ...


class Program:
    """A client that is a program, run anew for each wish."""

    def __init__(self, home: Path) -> None:
        self._environment = os.environ | {"HOME": str(home), "NO_COLOR": "1"}

    def _run(self, *command: str) -> tuple[int, str]:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=self._environment)
        return done.returncode, done.stdout if done.stdout.strip() else done.stderr


class Fastmcp(Program):
    """FastMCP's command line."""

    def __init__(self, url: str, home: Path) -> None:
        super().__init__(home)
        self._program, self._url = str(venv("fastmcp", *FASTMCP) / "fastmcp"), url

    def list(self) -> Sequence[str]:
        _, text = self._run(self._program, "list", self._url, "--json")
        return [tool["name"] for tool in json.loads(text)["tools"]]

    def call(self, tool: str, **args: Any) -> tuple[bool, str]:
        code, text = self._run(self._program, "call", self._url, tool, "--input-json", json.dumps(args), "--json")
        return code != 0, text


class Inspector(Program):
    """The command line of MCP Inspector, of one era."""

    def __init__(self, url: str, home: Path, era: str) -> None:
        super().__init__(home)
        script = npm({INSPECTOR: "2.12.0"}) / INSPECTOR / "clients/launcher/build/index.js"
        options = ["--cli", url, "--transport", "http", "--protocol-era", era, "--format", "json", "-q"]
        self._command = [node(), str(script), *options]

    def list(self) -> Sequence[str]:
        _, text = self._run(*self._command, "--method", "tools/list")
        return [tool["name"] for tool in json.loads(text)["result"]["tools"]]

    def call(self, tool: str, **args: Any) -> tuple[bool, str]:
        wish = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(args)]
        code, text = self._run(*self._command, *wish)
        return code == 5, "\n".join(block["text"] for block in json.loads(text)["result"]["content"])


class Conversation:
    """A client that lives as long as its process and answers each line with one."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def list(self) -> Sequence[str]:
        return list(self.ask(do="list"))

    def call(self, tool: str, **args: Any) -> tuple[bool, str]:
        failed, text = self.ask(do="call", tool=tool, args=args)
        return failed, text

    def ask(self, **wish: Any) -> Any:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(wish) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the client ended; what it said is above"
        return json.loads(line)


@contextmanager
def talking(*command: str) -> Iterator[Conversation]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Conversation(process)
        finally:
            process.kill()


def typescript(url: str, home: Path) -> Iterator[Conversation]:
    program = home / "client.mjs"
    shutil.copy2(ROOT / "tests/clients/typescript.mjs", program)
    (home / "node_modules").symlink_to(npm({SDK: "1.32.2"}))
    with talking(node(), str(program), url) as client:
        yield client


def langchain(url: str, _home: Path) -> Iterator[Conversation]:
    python = venv("langchain", "langchain-mcp-adapters==0.3.2") / "python"
    with talking(str(python), str(ROOT / "tests/clients/langchain.py"), url) as client:
        yield client


def program(make: Callable[[str, Path], Client]) -> Callable[[str, Path], Iterator[Client]]:
    return lambda url, home: iter([make(url, home)])


CLIENTS: dict[str, Callable[[str, Path], Iterator[Client]]] = {
    "fastmcp": program(Fastmcp),
    "inspector-legacy": program(lambda url, home: Inspector(url, home, "legacy")),
    "inspector-modern": program(lambda url, home: Inspector(url, home, "modern")),
    "typescript": typescript,
    "langchain": langchain,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "tools"
    place.mkdir()
    (place / "greet.py").write_text('def main(name: str) -> str:\n    """Greet."""\n    return f"Hello, {name}"\n')
    (place / "fail.py").write_text('"""Fail."""\nprint("tried")\nraise ToolError("no luck", tries=3)\n')
    return place


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with serving(folder) as one:
        yield one


@pytest.fixture
def client(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Iterator[Client]:
    home = tmp_path / "home"
    home.mkdir()
    yield from CLIENTS[request.param](f"{server.url}/mcp", home)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("client", CLIENTS, indirect=True)
def test_a_client_lists_calls_fails_and_sees_what_was_edited(client: Client, folder: Path) -> None:
    assert set(client.list()) == {"greet", "fail"} | OWN
    failed, text = client.call("greet", name="Ann")
    assert (failed, "Hello, Ann" in text) == (False, True)
    failed, text = client.call("fail")
    assert (failed, "tool_error" in text, "no luck" in text) == (True, True, True)

    (folder / "greet.py").write_text('def main(name: str) -> str:\n    """Greet."""\n    return f"Good day, {name}"\n')
    (folder / "fail.py").unlink()
    (folder / "add.py").write_text('def main(a: int, b: int = 1) -> int:\n    """Add."""\n    return a + b\n')
    assert set(client.list()) == {"greet", "add"} | OWN
    failed, text = client.call("greet", name="Bo")
    assert (failed, "Good day, Bo" in text) == (False, True)
    failed, text = client.call("add", a=41)
    assert (failed, "42" in text) == (False, True)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("client", ["typescript"], indirect=True)
def test_a_client_that_listens_is_told_that_the_tools_have_changed(client: Conversation, folder: Path) -> None:
    assert "new" not in client.list()
    (folder / "new.py").write_text("return 1")
    assert client.ask(do="changed") == "notifications/tools/list_changed"
    assert "new" in client.list()
