"""Listing: the tools as MCP lists them, page by page, each one checked so that an odd one cannot spoil the list."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp import types
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp.types.methods import serialize_server_result
from mcp.types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from scriptool.folders.catalog import Catalog
from scriptool.tool import Tool

_log = logging.getLogger("scriptool.mcp")

PAGE: Final = 1000
"""Tools a page. Many clients never ask for a second one, so the first is long."""

_AFTER: Final = "after:"
_NEWER: Final[Mapping[str, Any]] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
"""What newer clients are told beside the tools. A list may change with any edit, so clients must not keep it."""


@dataclass(frozen=True)
class _Shown:
    """One tool as listed in each era; whether clients *mirror* its arguments in headers, and older ones take its values
    as `{"result": value}`."""

    tool: Tool
    legacy: dict[str, Any]
    modern: dict[str, Any]
    mirrors: bool = False
    wraps: bool = False


class Listing:
    """Remembers how each tool is listed, so that a change of one costs nothing for the others."""

    def __init__(self) -> None:
        self._shown: dict[str, _Shown] = {}

    def page(self, catalog: Catalog, *, modern: bool, cursor: str | None) -> dict[str, Any]:
        """Give one page of the tools in *catalog*, in the order of their names.

        Raises: MCPError when the cursor is none of ours.
        """
        if cursor is not None and not cursor.startswith(_AFTER):
            raise MCPError(types.INVALID_PARAMS, f"Unknown cursor: {cursor[:100]}")
        after = cursor[len(_AFTER) :] if cursor is not None else ""
        tools = [tool for tool in catalog.listed if tool.name > after]
        shown = [self._show(tool) for tool in tools[:PAGE]]
        if len(self._shown) > len(catalog.listed) + PAGE:
            self._shown = {name: kept for name, kept in self._shown.items() if name in catalog.tools}
        more = {"nextCursor": _AFTER + tools[PAGE - 1].name} if len(tools) > PAGE else {}
        return {"tools": [one.modern if modern else one.legacy for one in shown], **more, **(_NEWER if modern else {})}

    def mirrors(self, tool: Tool) -> bool:
        """Say whether clients must mirror arguments of *tool* in headers."""
        return self._show(tool).mirrors

    def promises(self, tool: Tool) -> bool:
        """Say whether *tool* is listed with an output schema."""
        return "outputSchema" in self._show(tool).modern

    def wraps(self, tool: Tool) -> bool:
        """Say whether *tool* is listed for older clients as giving `{"result": value}`."""
        return self._show(tool).wraps

    def _show(self, tool: Tool) -> _Shown:
        known = self._shown.get(tool.name)
        if known is None or known.tool is not tool:
            known = self._shown[tool.name] = _show(tool)
        return known


def _show(tool: Tool) -> _Shown:
    modern = _entry(tool)
    legacy, wraps = modern, False
    if tool.promise is not None:
        # Older clients need a root that says it is an object.
        wraps = tool.promise.resolve(tool.promise.document).get("type") != "object"
        legacy = modern | {
            "outputSchema": _wrapped(modern["outputSchema"]) if wraps else _rooted(modern["outputSchema"])
        }
    wrong = _wrong(legacy, modern)
    if wrong is None:
        return _Shown(tool, legacy, modern, "x-mcp-header" in json.dumps(modern["inputSchema"]), wraps)
    _log.warning(
        "%s cannot be listed over MCP with its schemas, so it is listed with an open one: %s", tool.name, wrong
    )
    bare = {"name": tool.name, "description": tool.description, "inputSchema": {"type": "object"}}
    return _Shown(tool, bare, bare)


def _entry(tool: Tool) -> dict[str, Any]:
    kept = ("name", "title", "description", "inputSchema", "annotations", "_meta")
    entry = {key: value for key, value in tool.listing().items() if key in kept}
    # Clients hold every result against this schema, some to the point of failing: it says only what is certain.
    promise = {"outputSchema": dict(tool.promise.document)} if tool.promise is not None else {}
    return entry | {"inputSchema": _rooted(entry["inputSchema"])} | promise


def _rooted(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", **schema}


def _wrapped(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the output schema of `{"result": value}` for values of *schema*."""
    shared = {key: schema[key] for key in ("$defs", "definitions", "$schema") if key in schema}
    inner = {key: value for key, value in schema.items() if key not in shared}
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **shared}


def _wrong(legacy: dict[str, Any], modern: dict[str, Any]) -> str | None:
    """Say what a client of either era would stumble over, or None."""
    try:
        serialize_server_result("tools/list", LATEST_HANDSHAKE_VERSION, {"tools": [legacy]})
        result = {"tools": [modern], **_NEWER}
        serialize_server_result("tools/list", LATEST_MODERN_VERSION, result)
    except ValueError as error:
        return " ".join(str(error).splitlines()[1:3])
    return find_invalid_x_mcp_header(modern["inputSchema"])
