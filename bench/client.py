"""Clients, the same for every server: one that costs as little as possible, and one that programs really use."""

import http.client
import itertools
import json
from collections.abc import Mapping
from typing import Any

import httpx2

LEGACY, MODERN = "2025-06-18", "2026-07-28"


class Http:
    """One kept HTTP connection to a server on loopback; lives as long as one contender is measured."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def post(
        self, path: str, body: Any, headers: Mapping[str, str] | None = None
    ) -> tuple[http.client.HTTPResponse, bytes]:
        head = {"content-type": "application/json"} | dict(headers or {})
        self.connection.request("POST", path, json.dumps(body).encode(), head)
        response = self.connection.getresponse()
        return response, response.read()

    def close(self) -> None:
        self.connection.close()


class Rest(Http):
    """A caller of `POST /tools/{name}`."""

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        response, body = self.post(f"/tools/{tool}", arguments)
        if response.status != 200:
            raise RuntimeError(f"HTTP {response.status}: {body[:500]!r}")
        return json.loads(body)


class Httpx:
    """A caller of `POST /tools/{name}` with httpx2, as a program would."""

    def __init__(self, port: int) -> None:
        self.client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        return self.client.post(f"/tools/{tool}", json=arguments).raise_for_status().json()

    def close(self) -> None:
        self.client.close()


class Mcp(Http):
    """A caller of tools over MCP, of one protocol revision: with a session, or each request standing alone."""

    def __init__(self, port: int, revision: str) -> None:
        super().__init__(port)
        self.revision = revision
        self.ids = itertools.count(1)
        self.headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": revision}
        if revision == LEGACY:
            self.shake_hands()

    def shake_hands(self) -> None:
        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": client}
        request = {"jsonrpc": "2.0", "id": next(self.ids), "method": "initialize", "params": params}
        response, _ = self.post("/mcp", request, self.headers)
        if session := response.headers["mcp-session-id"]:
            self.headers["mcp-session-id"] = session
        self.post("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, self.headers)

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        headers = self.headers
        if self.revision == MODERN:
            prefix = "io.modelcontextprotocol/"
            params["_meta"] = {
                f"{prefix}protocolVersion": MODERN,
                f"{prefix}clientCapabilities": {},
                f"{prefix}clientInfo": {"name": "bench", "version": "1"},
            }
            headers = headers | {"mcp-method": "tools/call", "mcp-name": tool}
        request = {"jsonrpc": "2.0", "id": next(self.ids), "method": "tools/call", "params": params}
        response, body = self.post("/mcp", request, headers)
        answer = message(response, body)
        if "result" not in answer or answer["result"].get("isError"):
            raise RuntimeError(f"HTTP {response.status}: {body[:500]!r}")
        return answer["result"].get("structuredContent")


def message(response: http.client.HTTPResponse, body: bytes) -> Any:
    """Give the JSON-RPC answer out of a body that is either JSON or an event stream ending in it."""
    if response.headers["content-type"].startswith("text/event-stream"):
        body = [line[5:] for line in body.splitlines() if line.startswith(b"data:")][-1]
    return json.loads(body)
