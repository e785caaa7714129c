"""Paging: long lists, page by page, in the order of their keys."""

from collections.abc import Mapping
from typing import Any, Final

from mcp import types
from mcp.shared.exceptions import MCPError

PAGE: Final = 1000
"""Entries a page. Many clients never ask for a second one, so the first is long."""

_AFTER: Final = "after:"


def page(kind: str, entries: Mapping[str, Any], cursor: str | None) -> dict[str, Any]:
    """Give the page of *entries* that *cursor* leads to, under the name *kind*.

    Raises: MCPError when the cursor is none of ours.
    """
    if cursor is not None and not cursor.startswith(_AFTER):
        raise MCPError(types.INVALID_PARAMS, f"Unknown cursor: {cursor[:100]}")
    after = cursor[len(_AFTER) :] if cursor is not None else ""
    keys = sorted(key for key in entries if key > after)
    more = {"nextCursor": _AFTER + keys[PAGE - 1]} if len(keys) > PAGE else {}
    return {kind: [entries[key] for key in keys[:PAGE]], **more}
