"""What the page on prompts and resources claims, run: its files in a folder, its requests by a real client."""

import json
import re
import shlex
from collections.abc import Iterator

import mcp
import pytest
from mcp import types

from tests.server import Server, serving
from tests.test_docs import ROOT, blocks

PAGE = blocks(ROOT / "docs/prompts.md")
EXAMPLES = ROOT / "examples"
STYLE = (EXAMPLES / "guide/style.md").read_text()


def asked(head: str) -> list[str]:
    return [text for found, text in PAGE if found == head]


@pytest.fixture(scope="module")
def page_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the files that the page shows."""
    folder = tmp_path_factory.mktemp("page")
    for head, text in PAGE:
        if match := re.fullmatch(r"\w+ (file|definition)=(\S+)", head):
            path = folder / (match[2] if match[1] == "file" else f"{match[2]}.json")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    with serving(folder) as server:
        assert server.get("/debug/errors") == {"problems": []}
        yield server


def said(message: types.PromptMessage) -> str:
    match message.content:
        case types.TextContent(text=text):
            return f"{message.role}: {text}"
        case types.EmbeddedResource(resource=types.TextResourceContents() as one):
            return f"{message.role}: [{one.uri} {one.mime_type}] {one.text.strip()}"
    return f"{message.role}: {message.content.type}"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("request_text", asked("prompt"), ids=lambda text: text.split("\n")[0])
async def test_a_prompt_of_the_page_gives_what_it_says(page_server: Server, request_text: str) -> None:
    first, expected = request_text.split("\n", 1)
    name, arguments = first.split(" ", 1)
    async with mcp.Client(f"{page_server.url}/mcp") as agent:
        if expected.startswith("invalid_params"):
            with pytest.raises(mcp.MCPError) as raised:
                await agent.get_prompt(name, json.loads(arguments))
            problems = [one["path"] for one in raised.value.error.data["problems"]]
            assert [raised.value.error.data["code"], *problems] == expected.split()
            return
        result = await agent.get_prompt(name, json.loads(arguments))
    assert "\n".join(map(said, result.messages)) == expected.strip()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("request_text", asked("read"), ids=lambda text: text.split("\n")[0])
async def test_a_resource_of_the_page_reads_as_it_says(page_server: Server, request_text: str) -> None:
    uri, expected = request_text.strip().split("\n")
    async with mcp.Client(f"{page_server.url}/mcp") as agent:
        if expected == "not_found":
            with pytest.raises(mcp.MCPError, match="not_found"):
                await agent.read_resource(uri)
            return
        (contents,) = (await agent.read_resource(uri)).contents
    assert isinstance(contents, types.TextResourceContents)
    kind, text = expected.split(" ", 1)
    assert contents.mime_type == kind
    if kind == "application/json":
        assert json.loads(contents.text) == json.loads(text)
    else:
        assert contents.text.strip() == text


@pytest.mark.timeout(60)
@pytest.mark.parametrize("request_text", asked("complete"), ids=lambda text: text.split("\n")[0])
async def test_an_argument_of_the_page_is_completed_as_it_says(page_server: Server, request_text: str) -> None:
    first, expected = request_text.strip().split("\n")
    kind, name, argument = shlex.split(first)
    key, typed = argument.split("=", 1)
    ref: types.PromptReference | types.ResourceTemplateReference = types.PromptReference(type="ref/prompt", name=name)
    if kind == "resource":
        ref = types.ResourceTemplateReference(type="ref/resource", uri=name)
    async with mcp.Client(f"{page_server.url}/mcp") as agent:
        found = await agent.complete(ref, {"name": key, "value": typed})
    assert found.completion.values == json.loads(expected)


@pytest.mark.timeout(60)
async def test_the_example_prompt_embeds_the_example_resource() -> None:
    with serving(EXAMPLES) as server:
        async with mcp.Client(f"{server.url}/mcp") as agent:
            result = await agent.get_prompt("weekly_report", {"notes": "Shipped it.", "tone": "formal"})
            ref = types.PromptReference(type="ref/prompt", name="weekly_report")
            teams = (await agent.complete(ref, {"name": "team", "value": "p"})).completion.values
    first, guide, last = result.messages
    assert said(first).startswith("user: Write the weekly report of the platform team. Tone: formal.")
    assert isinstance(guide.content, types.EmbeddedResource)
    assert guide.content.resource == types.TextResourceContents(
        uri="guide://style.md", mime_type="text/markdown", text=STYLE
    )
    assert said(last) == "user: The notes of the week:\n\nShipped it."
    assert teams == ["platform", "apps"]
