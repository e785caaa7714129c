"""Clients: what known MCP clients want to have in their settings to connect to a folder of tools."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

Entry = dict[str, Any]

NAME: Final = "scriptool"


class Client(NamedTuple):
    """One client: the *file* that its settings lie in, the *key* of its servers, and how it names a started server and
    one at a URL."""

    file: str
    key: str
    started: Callable[[str, Sequence[str]], Entry]
    connected: Callable[[str], Entry] | None


def _plain(command: str, arguments: Sequence[str]) -> Entry:
    return {"command": command, "args": list(arguments)}


def _typed(command: str, arguments: Sequence[str]) -> Entry:
    return {"type": "stdio"} | _plain(command, arguments)


CLIENTS: Final[Mapping[str, Client]] = {
    "claude-code": Client(".mcp.json", "mcpServers", _typed, lambda url: {"type": "http", "url": url}),
    "claude-desktop": Client("claude_desktop_config.json", "mcpServers", _plain, None),
    "cursor": Client(".cursor/mcp.json", "mcpServers", _plain, lambda url: {"url": url}),
    "gemini": Client(".gemini/settings.json", "mcpServers", _plain, lambda url: {"httpUrl": url}),
    "vscode": Client(".vscode/mcp.json", "servers", _typed, lambda url: {"type": "http", "url": url}),
    "windsurf": Client("mcp_config.json", "mcpServers", _plain, lambda url: {"serverUrl": url}),
}
"""The clients whose settings are known."""


def started(client: Client, command: str, folders: Sequence[str]) -> Entry:
    """Give settings by which *client* starts a server of its own on *folders*."""
    return {client.key: {NAME: client.started(command, ["serve", *folders, "--stdio"])}}


def connected(client: Client, url: str) -> Entry:
    """Give settings by which *client* connects to the server at *url*. Raises: ValueError where it cannot."""
    if client.connected is None:
        raise ValueError("it only starts servers itself; leave out --url")
    return {client.key: {NAME: client.connected(url)}}
