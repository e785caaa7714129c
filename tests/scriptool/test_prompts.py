"""Prompts: Markdown files as conversations, found like tools and filled by real MCP clients of both eras."""

import base64
import json
from pathlib import Path
from typing import Any

import anyio
import mcp
import pytest
from mcp import types
from mcp.client import ClientRequestContext

from sandbox import Fault
from scriptool.app import App
from scriptool.call import Caller
from scriptool.definitions.prompttext import Piece, read_prompt
from tests.conftest import CallTool, WriteTool

REVIEW = """\
+++
name = "review"
title = "Review"
description = "Review a change."
[inputs.change]
type = "string"
description = "The change, as a diff."
required = true
[inputs.rounds]
type = "integer"
default = 1
+++

Look at this change {rounds} times:

```diff
{change}
```
"""


def texts(result: types.GetPromptResult) -> list[tuple[str, str]]:
    return [
        (message.role, message.content.text if isinstance(message.content, types.TextContent) else "")
        for message in result.messages
    ]


async def test_a_prompt_is_listed_with_its_arguments(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("review.md", REVIEW)
    write_tool("README.md", "# Notes\n\nNo block, so no prompt: {anything} goes.\n")
    (prompt,) = (await agent.list_prompts()).prompts
    assert (prompt.name, prompt.title, prompt.description) == ("review", "Review", "Review a change.")
    assert prompt.arguments == [
        types.PromptArgument(name="change", description="The change, as a diff.", required=True),
        types.PromptArgument(name="rounds", required=False),
    ]


async def test_a_prompt_is_filled_with_values_and_defaults(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("review.md", REVIEW)
    result = await agent.get_prompt("review", {"change": "-a\n+{rounds}"})
    assert result.description == "Review a change."
    assert texts(result) == [("user", "Look at this change 1 times:\n\n```diff\n-a\n+{rounds}\n```")]


async def test_what_a_prompt_grows_to_is_bounded(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("echo.md", f'+++\n[inputs.word]\ntype = "string"\n+++\n{"{word}" * 1000}\n')
    ((_, text),) = texts(await agent.get_prompt("echo", {"word": "y" * 900}))
    assert len(text) == 900_000
    with pytest.raises(mcp.MCPError, match="What is filled in comes to more than 4194304 characters in all"):
        await agent.get_prompt("echo", {"word": "y" * 5000})


async def test_an_edit_counts_from_the_next_request_on(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("hello.md", "+++\n+++\nHello.\n")
    assert texts(await agent.get_prompt("hello")) == [("user", "Hello.")]
    write_tool("hello.md", "+++\n+++\nGood evening.\n")
    assert texts(await agent.get_prompt("hello")) == [("user", "Good evening.")]
    write_tool("hello.md", "Not a prompt any more.\n")
    with pytest.raises(mcp.MCPError, match="no prompt named 'hello'"):
        await agent.get_prompt("hello")


async def test_a_json_definition_names_a_text_without_a_block(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("texts/hello.md", "Hello {name}, {{name}} stays.\n")
    write_tool(
        "greet.json",
        json.dumps(
            {
                "name": "greet",
                "kind": "prompt",
                "description": "Greet.",
                "file": "texts/hello.md",
                "inputs": {"name": {"type": "string", "default": "you"}},
            }
        ),
    )
    assert [one.name for one in (await agent.list_prompts()).prompts] == ["greet"]
    assert texts(await agent.get_prompt("greet")) == [("user", "Hello you, {name} stays.")]


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def test_roles_pictures_and_resources_become_messages_of_their_own(
    agent: mcp.Client, folder: Path, write_tool: WriteTool
) -> None:
    write_tool("data/notes.txt", "Remember the milk.")
    write_tool(
        "notes.json",
        json.dumps(
            {
                "name": "notes",
                "kind": "resource",
                "description": "Notes.",
                "file": "data/notes.txt",
                "uri": "notes://today",
            }
        ),
    )
    (folder / "dot.png").write_bytes(PIXEL)
    write_tool(
        "look.md",
        '+++\n[inputs.uri]\ntype = "string"\n+++\nSee:\n\n![a dot](dot.png)\n\n<!-- assistant -->\nI see.\n'
        "<!-- user -->\n![notes]({uri})\n![far](https://example.com/x.png)\n```\n![code](dot.png)\n```\n",
    )
    result = await agent.get_prompt("look", {"uri": "notes://today"})
    first, picture, reply, embedded, last = result.messages
    assert [message.role for message in result.messages] == ["user", "user", "assistant", "user", "user"]
    assert isinstance(picture.content, types.ImageContent)
    assert (picture.content.mime_type, base64.b64decode(picture.content.data)) == ("image/png", PIXEL)
    assert isinstance(embedded.content, types.EmbeddedResource)
    assert embedded.content.resource == types.TextResourceContents(
        uri="notes://today", mime_type="text/plain", text="Remember the milk."
    )
    assert isinstance(last.content, types.TextContent)
    assert last.content.text == "![far](https://example.com/x.png)\n```\n![code](dot.png)\n```"
    assert [isinstance(one.content, types.TextContent) for one in (first, reply)] == [True, True]


@pytest.mark.parametrize("place", ["../secret.png", "/etc/hostname", "link.png", "sub/link/x.png", ".hidden.png"])
async def test_no_picture_leads_out_of_the_folder(app: App, folder: Path, write_tool: WriteTool, place: str) -> None:
    (folder.parent / "secret.png").write_bytes(PIXEL)
    (folder.parent / "x.png").write_bytes(PIXEL)
    (folder / ".hidden.png").write_bytes(PIXEL)
    (folder / "sub").mkdir()
    (folder / "sub/link").symlink_to(folder.parent)
    (folder / "link.png").symlink_to(folder.parent / "secret.png")
    write_tool("look.md", f"+++\n+++\n![x]({place})\n")
    prompt = await app.prompter.find("look")
    with pytest.raises(Exception) as raised:
        await app.prompter.fill(prompt, {}, None)  # type: ignore[arg-type]
    assert getattr(raised.value, "code", None) in ("not_found", "script_unreadable")


WRONG: list[tuple[str, list[tuple[str, Any, str]]]] = [
    ("+++\nname = 3\n+++\nx", [("/name", 2, "input should be a valid string, got 3")]),
    ("+++\nfile = 'x.md'\n+++\nx", [("/file", 2, "may not stand here")]),
    ("+++\nkind = 'script'\n+++\nx", [("/kind", 2, "may not stand here")]),
    ("+++\ndestructive = true\n+++\nx", [("/destructive", 2, "unknown field")]),
    ("+++\n[inputs.a]\ntype = 'string'\nrequird = true\n+++\n{a}", [("/inputs/a/requird", 4, "unknown field")]),
    ("+++\nx = \n+++\nx", [("", 2, "not TOML: Invalid value")]),
    ("+++\nx", [("", 1, "the block is not closed")]),
    ("+++\n+++\nHi {naem}", [("", 3, "{naem} names no input")]),
    ("+++\n[inputs.a]\ntype = 'string'\n+++\nHi", [("/inputs/a", None, "has no place in the text")]),
    ("+++\n+++\n\n", [("", 1, "the text is empty")]),
]


@pytest.mark.parametrize(("text", "problems"), WRONG)
async def test_each_mistake_is_named_with_its_place(
    app: App, write_tool: WriteTool, text: str, problems: list[tuple[str, Any, str]]
) -> None:
    write_tool("p.md", text)
    catalog = await app.library.looked_over()
    fault = catalog.prompts["p"].blocked
    assert fault is not None
    told = [(one["path"], one.get("line"), one["message"]) for one in fault.details["problems"]]
    assert told == problems
    assert (catalog.problems, fault.details["file"]) == ((fault,), "p.md")


async def test_a_broken_prompt_stays_listed_and_says_why(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("p.md", "+++\n+++\nHi {naem}\n")
    assert [one.name for one in (await agent.list_prompts()).prompts] == ["p"]
    with pytest.raises(mcp.MCPError) as raised:
        await agent.get_prompt("p")
    assert raised.value.error.message.startswith("definition_error: The definition is not valid")
    assert raised.value.error.data["problems"][0]["line"] == 3


async def test_wrong_arguments_and_unknown_names_are_told_with_their_places(
    agent: mcp.Client, write_tool: WriteTool
) -> None:
    write_tool("review.md", REVIEW)
    with pytest.raises(mcp.MCPError) as raised:
        await agent.get_prompt("review", {"chang": "x", "rounds": "many"})
    assert raised.value.error.code == -32602
    assert [one["path"] for one in raised.value.error.data["problems"]] == ["/chang", "/change", "/rounds"]
    with pytest.raises(mcp.MCPError) as raised:
        await agent.get_prompt("reviw")
    assert (raised.value.error.code, raised.value.error.data["close"]) == (-32602, ["review"])


async def test_a_prompt_that_lacks_an_input_asks_for_it(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool("review.md", REVIEW)
    asked: list[types.ElicitRequestParams] = []

    async def on_elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params)
        return types.ElicitResult(action="accept", content={"change": "+b"})

    async with mcp.Client(f"{url}/mcp", mode=era, elicitation_callback=on_elicit) as agent:
        result = await agent.get_prompt("review", {"rounds": "2"})
    assert texts(result) == [("user", "Look at this change 2 times:\n\n```diff\n+b\n```")]
    (form,) = asked
    assert isinstance(form, types.ElicitRequestFormParams)
    assert list(form.requested_schema["properties"]) == ["change"]


async def test_a_secret_that_a_prompt_lacks_is_not_asked_for(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool(
        "login.md", '+++\n[inputs.key]\ntype = "string"\nrequired = true\nformat = "password"\n+++\nUse {key}.\n'
    )

    async def on_elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        raise AssertionError(params)

    async with mcp.Client(f"{url}/mcp", mode=era, elicitation_callback=on_elicit) as agent:
        with pytest.raises(mcp.MCPError, match="invalid_params"):
            await agent.get_prompt("login", {})


async def test_what_a_prompt_embeds_is_bounded_together(app: App, folder: Path, write_tool: WriteTool) -> None:
    (folder / "data").mkdir()
    (folder / "data/large.png").write_bytes(bytes(6 * 1024 * 1024))
    write_tool("two.md", "+++\n+++\n" + "![x](data/large.png)\n" * 2)
    assert len(await app.prompter.fill(await app.prompter.find("two"), {}, Caller("test"))) == 2
    write_tool("three.md", "+++\n+++\n" + "![x](data/large.png)\n" * 3)
    with pytest.raises(Fault, match="The prompt embeds more than 16 MB"):
        await app.prompter.fill(await app.prompter.find("three"), {}, Caller("test"))


async def test_a_person_who_declines_ends_the_request(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool("review.md", REVIEW)

    async def on_elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="decline")

    async with mcp.Client(f"{url}/mcp", mode=era, elicitation_callback=on_elicit) as agent:
        with pytest.raises(mcp.MCPError, match="The person did not give what the prompt needs"):
            await agent.get_prompt("review")


async def test_names_clash_and_shadow_like_those_of_tools(app: App, call: CallTool, write_tool: WriteTool) -> None:
    write_tool("a/hello.md", "+++\n+++\nFirst.\n")
    write_tool("b/other.md", "+++\nname = 'hello'\n+++\nSecond.\n")
    write_tool("hello.py", "'A tool may have the name of a prompt.'\nreturn 1")
    catalog = await app.library.fresh()
    assert catalog.prompts["hello"].shown == "a/hello.md"
    assert [(one.details["file"], one.details["problems"][0]["rule"]) for one in catalog.problems] == [
        ("a/hello.md", "name_clash"),
        ("b/other.md", "name_clash"),
    ]
    assert "a/hello.md is used instead" in catalog.problems[1].message
    listed = (await call("definitions_list")).value
    assert {"name": "hello", "source": "prompt", "file": "a/hello.md", "checking": False} in listed["loaded"]


async def test_older_clients_hear_that_prompts_changed(url: str, write_tool: WriteTool) -> None:
    changed = anyio.Event()

    async def on_message(message: Any) -> None:
        if isinstance(message, types.PromptListChangedNotification):
            changed.set()

    async with mcp.Client(f"{url}/mcp", mode="legacy", message_handler=on_message) as agent:
        assert agent.server_capabilities.prompts == types.PromptsCapability(list_changed=True)
        write_tool("hello.md", "+++\n+++\nHello.\n")
        with anyio.fail_after(10):
            await changed.wait()
        assert [one.name for one in (await agent.list_prompts()).prompts] == ["hello"]


async def test_newer_clients_that_listen_hear_that_prompts_changed(url: str, write_tool: WriteTool) -> None:
    async with mcp.Client(f"{url}/mcp") as agent, agent.listen(prompts_list_changed=True) as changes:
        write_tool("hello.md", "+++\n+++\nHello.\n")
        with anyio.fail_after(10):
            async for _change in changes:
                break
        assert [one.name for one in (await agent.list_prompts()).prompts] == ["hello"]


async def test_prompts_come_in_pages_in_the_order_of_names(
    agent: mcp.Client, write_tool: WriteTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scriptool.facades.paging.PAGE", 2)
    for name in ("c", "a", "b"):
        write_tool(f"{name}.md", "+++\n+++\nHello.\n")
    first = await agent.list_prompts()
    second = await agent.list_prompts(cursor=first.next_cursor)
    assert [one.name for one in (*first.prompts, *second.prompts)] == ["a", "b", "c"]
    assert second.next_cursor is None
    with pytest.raises(mcp.MCPError, match="Unknown cursor"):
        await agent.list_prompts(cursor="elsewhere")


def test_a_text_that_is_anything_is_read_without_failing() -> None:
    for data in (
        b"",
        b"\xff\xfe+++",
        b"+++\n\x00\n+++\n",
        b"+++\n" + b"[" * 9000 + b"\n+++\n",
        b"\xef\xbb\xbf+++\n+++\nHi",
    ):
        read_prompt(data)
    assert read_prompt(b"\xef\xbb\xbf+++\r\n+++\r\nHi\r\n").pieces == (Piece("user", "Hi"),)
