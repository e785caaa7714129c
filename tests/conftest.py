"""Real parts for the tests: a tools folder, a running App on it, and clients of its web application.

What the servers of the suite answer is recorded throughout, for tests/test_secrecy.py, which runs last.
"""

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from scriptool.app import App
from scriptool.call import Call, Caller, Result
from scriptool.settings import Settings, choose_folders
from scriptool.web import build
from tests.recording import sitecustomize as recording

WriteTool = Callable[[str, str], Path]
CallTool = Callable[..., Any]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the search for secrets at the end."""
    items.sort(key=lambda item: item.path.name == "test_secrecy.py")


@pytest.fixture(scope="session", autouse=True)
def recording_of_the_suite(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Record what every server answers from now on, those of other processes too; give them a data folder of theirs."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("share"))
    os.environ[recording.FOLDER] = str(tmp_path_factory.mktemp("recording"))
    os.environ["PYTHONPATH"] = str(Path(recording.__file__).parent)
    recording.start()


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, which the server runs on."""
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give an empty tools folder."""
    path = tmp_path / "tools"
    path.mkdir()
    return path


@pytest.fixture
def settings(folder: Path, tmp_path: Path) -> Settings:
    """Give settings that search the folder alone."""
    return choose_folders([folder], project=tmp_path, data=tmp_path / "data", shared=False)


@pytest.fixture
def write_tool(folder: Path) -> WriteTool:
    """Give a function that writes a file of the folder: `write_tool("add.py", "return 1")`."""

    def write(name: str, text: str) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    """Give a running App on the folder."""
    async with App(settings) as running:
        yield running


@pytest.fixture
def call(app: App) -> CallTool:
    """Give a function that calls a tool: `await call("add", price=2)`."""

    async def run(tool: str, **args: Any) -> Result:
        return await app.dispatcher.call(Call(tool, args, Caller("test")))

    return run


@pytest.fixture
async def client(app: App) -> AsyncIterator[httpx2.AsyncClient]:
    """Give an HTTP client of the web application, in process."""
    transport = httpx2.ASGITransport(app=recording.recorded(build(app)))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8750") as one:
        yield one
