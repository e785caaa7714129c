"""The same call through the dispatcher, HTTP and MCP gives the same result."""

import json
from collections.abc import Mapping
from typing import Any

import httpx2
import mcp
import pytest
from mcp import types

from tests.conftest import CallTool, WriteTool

TOOLS = {
    "add.py": "def main(a: int, b: int = 1) -> dict:\n    'Add.'\n    print('adding')\n    return {'sum': a + b}\n",
    "nothing.py": "return None",
    "fails.py": "x = [1, 2]\nreturn x[args['i']]\n",
    "refuses.py": "raise ToolError('too much', most=3)",
    "broken.py": "return (",
    "odd.py": "return float('nan')",
}

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("add", {"a": 1}),
    ("add", {"a": "1"}),
    ("add", {"b": []}),
    ("nothing", {}),
    ("fails", {"i": 5}),
    ("refuses", {}),
    ("broken", {}),
    ("odd", {}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_one_call_gives_one_result_by_every_way_in(
    client: httpx2.AsyncClient, url: str, call: CallTool, write_tool: WriteTool, tool: str, arguments: dict[str, Any]
) -> None:
    for name, text in TOOLS.items():
        write_tool(name, text)
    direct = plain((await call(tool, **arguments)).to_json())
    assert plain((await client.post(f"/tools/{tool}", json=arguments)).json()) == direct
    for era in ("legacy", "2026-07-28"):
        async with mcp.Client(f"{url}/mcp", mode=era) as agent:
            assert plain(envelope(await agent.call_tool(tool, arguments))) == direct


def plain(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is another for each call."""
    return {key: value for key, value in answer.items() if key not in ("call_id", "duration_ms")}


def envelope(result: types.CallToolResult) -> dict[str, Any]:
    """Put together again what MCP says in several places."""
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    assert result.meta is not None
    outcome: dict[str, Any] = {"ok": not result.is_error}
    if result.is_error:
        outcome["error"] = json.loads(block.text.split("\n", 1)[1])
    else:
        outcome["result"] = json.loads(block.text)
    return outcome | dict(result.meta["scriptool/call"])
