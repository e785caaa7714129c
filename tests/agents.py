"""The SDK's client of each era, connected to a served App, for tests of what agents see."""

from collections.abc import AsyncIterator

import mcp
import pytest

ERAS = ["legacy", "2026-07-28"]


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def agent(url: str, era: str) -> AsyncIterator[mcp.Client]:
    """Give a connected client, of each era in turn."""
    async with mcp.Client(f"{url}/mcp", mode=era) as client:
        yield client
