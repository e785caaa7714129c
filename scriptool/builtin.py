"""Built-in tools: what an agent needs to understand the server itself, called like any other tool."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scriptool.call import Context
from scriptool.catalog import Claim
from scriptool.library import Library
from scriptool.schema import Schema
from scriptool.tool import Tool

_NO_ARGUMENTS = {"type": "object", "properties": {}, "additionalProperties": False}


def builtins(library: Library) -> Iterator[Claim]:
    """Give the built-in tools of a server."""
    description = (
        "List every tool definition: what is loaded and from which file, what is not and exactly why, and what is "
        "shadowed. Use it when a tool you expect is missing or answers with definition_error."
    )
    tool = Tool("definitions_list", description, "builtin", Schema(_NO_ARGUMENTS), group="diagnostics", idempotent=True)

    async def definitions_list(_arguments: dict[str, Any], _context: Context) -> dict[str, Any]:
        catalog = await library.fresh()
        return {
            "catalog": catalog.number,
            "loaded": [
                {"name": name, "source": claim.tool.source, "file": claim.tool.file, "checking": claim.tool.checking}
                for name, claim in catalog.claims.items()
                if claim.tool.blocked is None
            ],
            "not_loaded": [
                {"name": name, "file": claim.shown, "error": claim.tool.blocked.to_json()}
                for name, claim in catalog.claims.items()
                if claim.tool.blocked is not None
            ],
            "problems": [fault.to_json() for fault in catalog.problems],
            "shadowed": [
                {"name": one.name, "file": one.path.name, "by": one.by.name, "folder": one.path.parent.name}
                for one in catalog.shadowed
            ],
        }

    yield Claim(tool, Path(), "", tool.name, run=definitions_list)
