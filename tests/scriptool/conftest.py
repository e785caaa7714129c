"""A scriptool served on a real port of this process, and clients, for what only a connection shows."""

from collections.abc import AsyncIterator

import anyio
import mcp
import pytest

from scriptool import web
from scriptool.app import App
from scriptool.connection import Bounds


@pytest.fixture
def bounds() -> Bounds:
    """Give the bounds that `url` serves within."""
    return Bounds()


@pytest.fixture
async def url(app: App, bounds: Bounds) -> AsyncIterator[str]:
    """Give the address of the app's web application, served as `scriptool serve` does it."""
    app.settings = app.settings.model_copy(update={"port": 0})
    said: list[str] = []
    ready = anyio.Event()

    def announce(line: str) -> None:
        said.append(line)
        ready.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: web.serve(app, announce, bounds=bounds))
        with anyio.fail_after(10):
            await ready.wait()
        yield said[0].split()[-1].removesuffix("/tools")
        tasks.cancel_scope.cancel()


@pytest.fixture(params=["legacy", "2026-07-28"])
def era(request: pytest.FixtureRequest) -> str:
    """Give the era of MCP to speak, each in turn."""
    return str(request.param)


@pytest.fixture
async def agent(url: str, era: str) -> AsyncIterator[mcp.Client]:
    """Give the SDK's client, connected to the app in that era."""
    async with mcp.Client(f"{url}/mcp", mode=era) as client:
        yield client
