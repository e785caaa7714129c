"""The other side of a question: a person, a model and folders, for clients of the tests; and scripts that ask them."""

import json
from collections.abc import Callable
from typing import Any

import mcp
import pytest
from mcp import types
from mcp.client import ClientRequestContext

ERAS = ["legacy", "2026-07-28"]
MODERN = "2026-07-28"

NAME = '{"name": {"type": "string"}, "age": {"type": "integer", "default": 7}}'
GREET = f'answer = ctx.ask("Who are you?", {NAME})\nreturn {{"action": answer.action, "ok": bool(answer), **answer}}'


class Person:
    """At the other end: answers what is asked, in turn, and remembers it."""

    def __init__(self, *answers: types.ElicitResult) -> None:
        self.answers = list(answers)
        self.asked: list[types.ElicitRequestParams] = []

    async def __call__(
        self,
        context: ClientRequestContext,  # noqa: ARG002  (the protocol names it)
        params: types.ElicitRequestParams,
    ) -> types.ElicitResult:
        self.asked.append(params)
        return self.answers.pop(0)


def accepted(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


async def model(context: ClientRequestContext, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    said = params.messages[0].content_as_list[0]
    assert isinstance(said, types.TextContent)
    text = types.TextContent(type="text", text=f"{said.text} {params.max_tokens} {params.system_prompt}")
    return types.CreateMessageResult(role="assistant", content=text, model="m")


async def folders(context: ClientRequestContext) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[types.Root.model_validate({"uri": "file:///work", "name": "work"})])


def answer_of(result: types.CallToolResult) -> Any:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return json.loads(block.text) if not result.is_error else json.loads(block.text.split("\n", 1)[1])


Connect = Callable[..., mcp.Client]


@pytest.fixture(params=ERAS)
def connect(request: pytest.FixtureRequest, url: str) -> Connect:
    """Give what connects a client of each era in turn; it can do what it is given."""
    return lambda **able: mcp.Client(f"{url}/mcp", mode=str(request.param), **able)
