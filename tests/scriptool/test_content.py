"""What scripts return besides JSON: blocks for clients to show, and values for programs alone."""

import base64
from typing import Any

import httpx2
import mcp
import pytest
from mcp import types

from scriptool.call import Call, Caller, Context
from scriptool.content import blocks_of
from tests.conftest import CallTool, WriteTool
from tests.secrecy import secret

PASSWORD = secret("hunter22-content")
PNG = b"\x89PNG\r\n\x1a\n rest"
WAV = b"RIFF\x00\x00\x00\x00WAVEfmt "
ERAS = ["legacy", "2026-07-28"]


async def returned(url: str, era: str) -> types.CallToolResult:
    async with mcp.Client(f"{url}/mcp", mode=era) as client:
        return await client.call_tool("show", {})


def shown(result: types.CallToolResult) -> list[dict[str, Any]]:
    return [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]


@pytest.mark.parametrize("era", ERAS)
async def test_an_image_is_shown_as_one_and_is_no_structure(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool("show.py", f"return ctx.content.image({PNG!r})")
    result = await returned(url, era)
    assert shown(result) == [{"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}]
    assert (result.is_error, result.structured_content) == (False, None)


@pytest.mark.parametrize("era", ERAS)
async def test_blocks_texts_and_values_are_shown_in_their_order(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool(
        "show.py",
        f"""\
return (
    "see:",
    ctx.content.audio({WAV!r}),
    ctx.content.resource("notes://1", "a note"),
    ctx.content.resource("notes://2", b"raw", "application/x-raw"),
    ctx.content.link("notes://3", "third", description="one more", mime_type="text/plain"),
    ctx.content.text(7),
    {{"rows": 2}},
)
""",
    )
    assert shown(await returned(url, era)) == [
        {"type": "text", "text": "see:"},
        {"type": "audio", "data": base64.b64encode(WAV).decode(), "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "notes://1", "mimeType": "text/plain", "text": "a note"}},
        {"type": "resource", "resource": {"uri": "notes://2", "mimeType": "application/x-raw", "blob": "cmF3"}},
        {
            "type": "resource_link",
            "uri": "notes://3",
            "name": "third",
            "description": "one more",
            "mimeType": "text/plain",
        },
        {"type": "text", "text": "7"},
        {"type": "text", "text": '{"rows": 2}'},
    ]


async def test_over_http_blocks_are_json(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("show.py", f"return [ctx.content.image({PNG!r}, 'image/png'), 1]")
    answer = (await client.post("/tools/show")).json()
    image = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
    assert answer["result"] == [image, 1]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ctx.content.image(b'?')", "ctx.content.image() cannot tell what these bytes are; name their mime_type"),
        (f"ctx.content.audio({PNG!r})", "ctx.content.audio() takes audio/... as mime_type, not 'image/png'"),
        ("ctx.content.resource('x:', 'y', 'html')", "'html' is no mime type, such as 'image/png'"),
        ("ctx.content.image('text')", "memoryview: a bytes-like object is required, not 'str'"),
    ],
)
async def test_what_is_no_content_is_an_error_of_the_script(
    call: CallTool, write_tool: WriteTool, code: str, message: str
) -> None:
    write_tool("show.py", f"return {code}")
    error = (await call("show")).error
    assert error["message"].split(": ", 1)[1] == message


@pytest.mark.parametrize("era", ERAS)
async def test_meta_reaches_programs_beside_what_models_see(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool("show.py", 'ctx.meta(cost=3, tokens=[1])\nctx.meta(cost=4)\nreturn "done"')
    result = await returned(url, era)
    assert result.meta is not None
    assert (result.meta["cost"], result.meta["tokens"]) == (4, [1])
    assert "cost" not in str(shown(result)) + str(result.structured_content)


async def test_meta_is_in_the_envelope_when_there_is_some(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("show.py", "ctx.meta(**args)\nreturn 1")
    assert (await call("show", cost=3)).to_json()["_meta"] == {"cost": 3}
    assert "_meta" not in (await call("show")).to_json()
    error = (await call("show", **{"scriptool/call": 1})).error
    assert "is not for scripts to give" in error["message"]


def test_names_that_are_not_for_scripts_are_dropped_even_if_a_process_sends_them() -> None:
    context = Context(Call("tool", {}, Caller("test")))
    context.tell("meta", {"scriptool/error": 1, "io.modelcontextprotocol/serverInfo": 2, "mine": 3})
    context.tell("meta", "nonsense")
    assert context.meta == {"mine": 3}


async def test_secrets_are_masked_in_meta(call: CallTool, write_tool: WriteTool) -> None:
    block = '# /// tool\n# [inputs.key]\n# type = "string"\n# format = "password"\n# ///\n'
    write_tool("show.py", f'{block}ctx.meta(key=args["key"])\nreturn 1')
    assert (await call("show", key=PASSWORD)).meta == {"key": "***"}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "image", "data": "not base64!", "mimeType": "image/png"},
        {"type": "image", "data": "AAAA"},
        {"type": "resource", "resource": {"uri": "x:"}},
        {"type": "dance"},
        [{"type": "text", "text": 1}],
    ],
)
def test_blocks_of_a_wrong_shape_are_none(value: Any) -> None:
    assert blocks_of(value) is None


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ({"annotations": 5, "_meta": [], "size": "x", "title": {}}, {}),
        (
            {"annotations": {"audience": ["user"], "priority": 0.5}},
            {"annotations": {"audience": ["user"], "priority": 0.5}},
        ),
        ({"annotations": {"audience": "user"}}, {}),
        ({"annotations": {"priority": 2}}, {}),
        ({"annotations": {"other": 1}}, {}),
    ],
)
def test_of_a_block_what_clients_know_is_kept(more: dict[str, Any], kept: dict[str, Any]) -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "a"},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "a://b", "mimeType": "text/plain", "text": "a"}},
        {"type": "resource", "resource": {"uri": "a://b", "mimeType": "text/plain", "blob": "AA=="}},
        {"type": "resource_link", "uri": "a://b", "name": "b", "description": "c"},
    ]
    made = blocks_of([block | more for block in blocks])
    assert made == tuple(block | kept for block in blocks)
    types.CallToolResult.model_validate({"content": list(made)})


def test_values_that_look_like_blocks_stay_values_unless_the_script_made_blocks() -> None:
    assert blocks_of(["a", 1]) == ({"type": "text", "text": "a"}, {"type": "text", "text": "1"})


async def test_a_dict_with_a_type_is_no_block(url: str, write_tool: WriteTool) -> None:
    write_tool("show.py", 'return {"type": "text", "text": "hi"}')
    result = await returned(url, "legacy")
    assert result.structured_content == {"type": "text", "text": "hi"}
