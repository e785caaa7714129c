"""What the page on asking claims, run: each talk with clients of both eras, each call over HTTP."""

import json
import re
from collections.abc import Iterator
from typing import Any

import mcp
import pytest
from mcp import types
from mcp.client import ClientRequestContext

from scriptool.errors import STATUS
from tests.server import Server, serving
from tests.test_docs import ROOT, blocks

BLOCKS = blocks(ROOT / "docs/asking.md")
TALKS = [text.strip().splitlines() for head, text in BLOCKS if head == "talk"]
CALLS = [text.strip().splitlines() for head, text in BLOCKS if head == "call"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the tools that the page shows."""
    folder = tmp_path_factory.mktemp("asking")
    for head, text in BLOCKS:
        if match := re.fullmatch(r"python tool=(\S+)", head):
            (folder / f"{match[1]}.py").write_text(text)
    with serving(folder) as one:
        yield one


def other_side(said: dict[str, list[Any]]) -> dict[str, Any]:
    """Give callbacks of a client that answer as the page says, whatever is asked next."""

    async def person(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult.model_validate(said[params.message].pop(0))

    async def model(
        context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        (message,) = params.messages[0].content_as_list
        assert isinstance(message, types.TextContent)
        return types.CreateMessageResult.model_validate(said[message.text].pop(0))

    async def folders(context: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult.model_validate(said["roots"].pop(0))

    return {"elicitation_callback": person, "sampling_callback": model, "list_roots_callback": folders}


def answers(lines: list[str]) -> dict[str, list[Any]]:
    """Give what is answered to each question of a talk, in turn."""
    said: dict[str, list[Any]] = {}
    for asked, answered in zip(lines[::2], lines[1::2], strict=True):
        assert (asked[:2], answered[:2]) == ("? ", "! ")
        said.setdefault(asked[2:], []).append(json.loads(answered[2:]))
    return said


@pytest.mark.timeout(60)
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk[-1])
async def test_a_talk_goes_as_the_page_says(server: Server, era: str, talk: list[str]) -> None:
    tool, arguments = talk[0].split(" ", 1)
    said = answers(talk[1:-1])
    async with mcp.Client(f"{server.url}/mcp", mode=era, **other_side(said)) as client:
        result = await client.call_tool(tool, json.loads(arguments))
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    assert block.text == talk[-1]
    assert not any(said.values())


@pytest.mark.timeout(60)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_a_call_gives_what_the_page_says(server: Server, call: list[str]) -> None:
    tool, arguments = call[0].split(" ", 1)
    answer = server.call(tool, **json.loads(arguments))
    code, *words = call[1].split()
    if code in STATUS:
        assert answer["error"]["code"] == code
        assert [word for word in words if word not in json.dumps(answer["error"])] == []
    else:
        assert answer["result"] == json.loads(call[1])
