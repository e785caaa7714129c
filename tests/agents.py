"""A bare client of MCP's older era, for tests of what goes over the wire."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2


@asynccontextmanager
async def opened(url: str, version: str = "2025-06-18") -> AsyncIterator[httpx2.AsyncClient]:
    """Give a client with a session of the older era."""
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": version}
    async with httpx2.AsyncClient(base_url=url, headers=headers) as client:
        opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        reply = await client.post("/mcp", json=message("initialize", opening, 1))
        client.headers["mcp-session-id"] = reply.headers["mcp-session-id"]
        await client.post("/mcp", json=message("notifications/initialized"))
        yield client


def message(method: str, params: dict[str, Any] | None = None, number: int | None = None) -> dict[str, Any]:
    whole: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return whole | ({"params": params} if params is not None else {}) | ({"id": number} if number is not None else {})
