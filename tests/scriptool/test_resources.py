"""Resources: files, folders and results of tools by their URI, read by real MCP clients of both eras."""

import base64
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import mcp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import types

from sandbox import Fault
from scriptool.app import App
from scriptool.call import Caller
from scriptool.definitions.definition import read_definition
from scriptool.definitions.sources import Source, Sources
from scriptool.kinds.offering import Offering
from scriptool.settings import Settings
from tests.conftest import CallTool, WriteTool
from tests.scriptool.test_jsontext import JSON
from tests.secrecy import secret

PASSWORD = secret("hunter22-resources")

TEMPLATE = types.ResourceTemplate
BYTES = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def define(write_tool: WriteTool, name: str, **fields: Any) -> None:
    value = {"name": name, "kind": "resource", "description": f"The {name}."} | fields
    write_tool(f"{name}.json", json.dumps(value))


async def one(agent: mcp.Client, uri: str) -> types.TextResourceContents | types.BlobResourceContents:
    (contents,) = (await agent.read_resource(uri)).contents
    return contents


async def text(agent: mcp.Client, uri: str) -> tuple[str | None, str]:
    contents = await one(agent, uri)
    assert isinstance(contents, types.TextResourceContents)
    return contents.mime_type, contents.text


async def refusal(agent: mcp.Client, uri: str) -> types.ErrorData:
    with pytest.raises(mcp.MCPError) as raised:
        await agent.read_resource(uri)
    return raised.value.error


async def test_a_file_is_listed_and_read_as_it_is_now(agent: mcp.Client, write_tool: WriteTool) -> None:
    define(write_tool, "notes", file="data/notes.md", title="Notes")
    write_tool("data/notes.md", "# Today\n")
    listed = {resource.uri: resource for resource in (await agent.list_resources()).resources}
    assert list(listed) == ["scriptool://calls", "scriptool://problems", "scriptool://resources/notes"]
    assert listed["scriptool://resources/notes"] == types.Resource(
        uri="scriptool://resources/notes",
        name="notes",
        title="Notes",
        description="The notes.",
        mime_type="text/markdown",
    )
    assert await text(agent, "scriptool://resources/notes") == ("text/markdown", "# Today\n")
    write_tool("data/notes.md", "# Tomorrow\n")
    assert await text(agent, "scriptool://resources/notes") == ("text/markdown", "# Tomorrow\n")


async def test_bytes_that_are_no_text_come_as_a_blob(agent: mcp.Client, folder: Path, write_tool: WriteTool) -> None:
    define(write_tool, "dot", file="dot.png", uri="test://dot")
    define(write_tool, "typed", file="dot.png", uri="test://typed", mimeType="application/x-dot")
    (folder / "dot.png").write_bytes(BYTES)
    contents = await one(agent, "test://dot")
    assert isinstance(contents, types.BlobResourceContents)
    assert (contents.mime_type, base64.b64decode(contents.blob)) == ("image/png", BYTES)
    assert (await one(agent, "test://typed")).mime_type == "application/x-dot"


async def test_a_folder_gives_the_files_in_it_by_a_template(agent: mcp.Client, write_tool: WriteTool) -> None:
    define(write_tool, "docs", folder="data/docs", uri="docs://{+path}")
    write_tool("data/docs/guide/first steps.txt", "Go.")
    templates = {one.uri_template for one in (await agent.list_resource_templates()).resource_templates}
    assert templates == {"docs://{+path}", "scriptool://tools/{name}/source"}
    assert await text(agent, "docs://guide/first%20steps.txt") == ("text/plain", "Go.")
    error = await refusal(agent, "docs://guide/last.txt")
    assert error.data["code"] == "not_found"


OUT = ["../secret.txt", "..%2Fsecret.txt", "a/../../secret.txt", "%2Fetc%2Fhostname", "link.txt", "linked/secret.txt"]
OUT += [".hidden", "a", "pipe", "x%00y", ""]


@pytest.mark.parametrize("place", OUT)
async def test_nothing_leads_out_of_a_folder(app: App, folder: Path, write_tool: WriteTool, place: str) -> None:
    (folder.parent / "secret.txt").write_text("secret")
    write_tool("data/docs/a/b.txt", "b")
    write_tool("data/docs/.hidden", "hidden")
    (folder / "data/docs/link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "data/docs/linked").symlink_to(folder.parent)
    os.mkfifo(folder / "data/docs/pipe")
    define(write_tool, "docs", folder="data/docs", uri="docs://{+path}")
    with pytest.raises(Exception) as raised:
        await app.reader.read(f"docs://{place}", Caller("test"))
    assert getattr(raised.value, "code", None) in ("not_found", "script_unreadable")
    assert "secret" not in str(raised.value).replace(place, "").replace("secret.txt", "")


async def test_a_file_that_is_too_large_is_refused(app: App, folder: Path, write_tool: WriteTool) -> None:
    define(write_tool, "big", file="big.bin", uri="test://big")
    with (folder / "big.bin").open("wb") as file:
        file.truncate(9 * 1024 * 1024)
    with pytest.raises(Exception, match="too large: over 8 MB"):
        await app.reader.read("test://big", Caller("test"))


async def test_the_operators_secrets_are_not_there(settings: Settings, folder: Path, write_tool: WriteTool) -> None:
    define(write_tool, "all", folder=".", uri="all://{+path}")
    write_tool("keys.toml", 'KEY = "hidden"')
    (folder / "same.toml").hardlink_to(folder / "keys.toml")
    async with App(settings.model_copy(update={"secret_files": (folder / "keys.toml",)})) as app:
        for place in ("keys.toml", "same.toml"):
            with pytest.raises(Exception, match="There is no file"):
                await app.reader.read(f"all://{place}", Caller("test"))
        assert (await app.reader.read("all://all.json", Caller("test"))).mime_type == "application/json"


CITY = '''\
def main(city: str, days: int = 1) -> dict:
    """Weather."""
    return {"city": city, "days": days}
'''


async def test_a_tool_is_read_by_the_variables_of_a_uri(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("weather.py", CITY)
    define(write_tool, "city", tool="weather", uri="weather://{city}{?days}")
    define(write_tool, "trip", tool="weather", uri="trip://{to}", arguments={"city": "{to}, far", "days": 3})
    kind, content = await text(agent, "weather://New%20York?days=2")
    assert (kind, json.loads(content)) == ("application/json", {"city": "New York", "days": 2})
    assert json.loads((await text(agent, "weather://Bonn"))[1]) == {"city": "Bonn", "days": 1}
    assert json.loads((await text(agent, "trip://Rome"))[1]) == {"city": "Rome, far", "days": 3}
    error = await refusal(agent, "weather://Bonn?days=many")
    assert (error.code, error.data["problems"][0]["path"]) == (-32602, "/days")


async def test_a_tools_text_and_picture_are_given_as_such(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("say.py", "return 'Hello.'")
    write_tool("draw.py", "return ctx.content.image(b'\\x89PNG', 'image/png')")
    define(write_tool, "said", tool="say", uri="test://said")
    define(write_tool, "drawn", tool="draw", uri="test://drawn")
    assert await text(agent, "test://said") == ("text/plain", "Hello.")
    picture = await one(agent, "test://drawn")
    assert isinstance(picture, types.BlobResourceContents)
    assert (picture.mime_type, base64.b64decode(picture.blob)) == ("image/png", b"\x89PNG")


async def test_a_tool_that_fails_is_an_error_that_says_why(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("fail.py", "raise ToolError('no paper')")
    define(write_tool, "failing", tool="fail", uri="test://fail")
    error = await refusal(agent, "test://fail")
    assert (error.code, error.data["code"], error.message) == (-32603, "tool_error", "tool_error: no paper")


async def test_an_unknown_resource_is_what_each_era_calls_it(
    agent: mcp.Client, era: str, write_tool: WriteTool
) -> None:
    error = await refusal(agent, "scriptool://problem")
    assert error.code == (-32002 if era == "legacy" else -32602)
    assert "Did you mean scriptool://problems" in error.message


async def test_the_server_offers_sources_problems_and_calls(
    agent: mcp.Client, call: CallTool, write_tool: WriteTool
) -> None:
    write_tool("hello.py", "return 'Hello.'")
    write_tool("broken.py", "return (")
    await call("hello")
    assert await text(agent, "scriptool://tools/hello/source") == ("text/x-python", "return 'Hello.'")
    problems = json.loads((await text(agent, "scriptool://problems"))[1])["problems"]
    assert [(one["code"], one["file"]) for one in problems] == [("script_compile_error", "broken.py")]
    calls = json.loads((await text(agent, "scriptool://calls"))[1])["calls"]
    assert [(one["tool"], one["result"]) for one in calls] == [("hello", "Hello.")]
    assert (await refusal(agent, "scriptool://tools/nothing/source")).data["code"] == "tool_not_found"


async def test_the_text_of_a_prompt_lies_in_the_tools_folder(app: App, write_tool: WriteTool) -> None:
    write_tool(
        "aside.json",
        json.dumps({"name": "aside", "kind": "prompt", "description": "Peek.", "file": "../keys.md"}),
    )
    fault = (await app.library.looked_over()).prompts["aside"].blocked
    assert fault is not None
    assert fault.details["problems"][0]["message"] == "may lead out of the tools folder"


async def test_what_a_uri_makes_of_arguments_is_bounded(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("size.py", "return len(args['text'])")
    define(write_tool, "sizes", tool="size", uri="size://{of}", arguments={"text": "{of}" * 2000})
    assert (await text(agent, f"size://{'y' * 1000}"))[1] == "2000000"
    assert "more than 4194304 characters in all" in (await refusal(agent, f"size://{'y' * 3000}")).message


async def test_secrets_are_masked_in_calls_and_sources(
    app: App, call: CallTool, write_tool: WriteTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tool(
        "login.json",
        json.dumps(
            {
                "name": "login",
                "kind": "script",
                "description": "Log in.",
                "file": "login.py",
                "inputs": {"password": {"type": "string", "format": "password"}},
            }
        ),
    )
    write_tool("login.py", "return args['password']")
    await call("login", password=PASSWORD)
    assert PASSWORD not in str((await app.reader.read("scriptool://calls", Caller("test"))).content)


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({}, "", "names neither a file, a folder nor a tool"),
    ({"file": "a", "tool": "b"}, "/tool", "names file and tool"),
    ({"file": "../a"}, "/file", "may lead out of the tools folder"),
    ({"folder": "/etc"}, "/folder", "may lead out of the tools folder"),
    ({"file": ".env"}, "/file", "is hidden: a name in it begins with a dot"),
    ({"file": "a", "uri": "a b"}, "/uri", "has no scheme"),
    ({"file": "a", "uri": "scriptool://problems"}, "/uri", "scriptool: is the server's own scheme"),
    ({"file": "a", "uri": "x://{y}"}, "/uri", "has variables, and a file has none"),
    ({"folder": "a", "uri": "x://{y}"}, "/uri", "must have one variable, for all that is left"),
    ({"file": "a", "inputs": {}}, "/inputs", "stands beside `file`"),
    ({"tool": "t", "uri": "x://{a}", "inputs": {"b": {"type": "string"}}}, "/inputs/b", "is no variable of the URI"),
    ({"tool": "t", "uri": "x://{a}", "arguments": {"k": ["{b}"]}}, "/arguments/k", "{b} is no variable of the URI"),
    ({"tool": "nothing"}, "/tool", "there is no tool named 'nothing'"),
    ({"tool": "drop"}, "/tool", "'drop' is destructive, and who reads a resource expects that nothing changes"),
    ({"tool": "t", "inputs": {"a b": {"type": "string"}}}, "/uri", "has {a b}, which is none of the forms understood"),
    ({"file": "a", "destructive": True}, "/destructive", "unknown field"),
    ({"file": "a", "mimetype": "x"}, "/mimetype", "unknown field"),
]


@pytest.mark.parametrize(("fields", "path", "message"), WRONG)
async def test_each_mistake_is_named_with_its_place(
    app: App, write_tool: WriteTool, fields: dict[str, Any], path: str, message: str
) -> None:
    write_tool("drop.py", "# /// tool\n# destructive = true\n# ///\n'Drop.'\nreturn 1")
    define(write_tool, "wrong", **fields)
    catalog = await app.library.fresh()
    (fault,) = catalog.problems
    assert [(one["path"], one["message"]) for one in fault.details["problems"]] == [(path, message)]
    assert (fault.details["file"], catalog.resources["wrong"].blocked) == ("wrong.json", fault)
    assert "wrong" not in catalog.tools


ODD = ["a://{x}", "a://{+p}", "a://{?x,y}", "{x}", "../a", ".h", "data", {"x": {"type": "string"}}, {"x y": {}}]
FIELDS = st.sampled_from(["uri", "file", "folder", "tool", "arguments", "inputs", "mimeType"])


@given(st.dictionaries(FIELDS, st.sampled_from(ODD) | JSON), st.sampled_from(["resource", "prompt"]))
def test_any_fields_give_an_offer_or_problems(fields: dict[str, Any], kind: str) -> None:
    text = json.dumps({"name": "a", "description": "A.", "kind": kind, **fields}).encode()
    with suppress(Fault):
        path = Path("/tools/a.json")
        source = Source(path, path.parent, "a.json", None, definition=read_definition(text))
        sources = Sources((path.parent,), files={path: source})
        offering = Offering()
        found = [*offering.prompts(sources, path.parent), *offering.resources(sources, path.parent)]
        assert [one.name for one in found] == ["a"]


async def test_two_resources_of_one_uri_are_told_and_one_answers(agent: mcp.Client, write_tool: WriteTool) -> None:
    for name in ("b", "a"):
        define(write_tool, name, file=f"{name}.txt", uri="test://same")
        write_tool(f"{name}.txt", name)
    listed = [resource.name for resource in (await agent.list_resources()).resources]
    assert (await text(agent, "test://same"))[1] == "a"
    assert listed == ["calls", "problems", "a"]


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
async def test_an_older_client_hears_of_what_it_subscribed_to(url: str, write_tool: WriteTool) -> None:
    define(write_tool, "notes", file="data/notes.txt", uri="test://notes")
    write_tool("data/notes.txt", "old")
    heard: list[str] = []
    expected = ["test://notes"]
    told = anyio.Event()

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(message.params.uri)
            if message.params.uri == expected[-1]:
                told.set()

    async with mcp.Client(f"{url}/mcp", mode="legacy", message_handler=on_message) as agent:
        capability = types.ResourcesCapability(subscribe=True, list_changed=True)
        assert agent.server_capabilities.resources == capability
        await agent.subscribe_resource("test://notes")
        write_tool("data/notes.txt", "new")
        with anyio.fail_after(10):
            await told.wait()
        assert (await text(agent, "test://notes"))[1] == "new"
        await agent.unsubscribe_resource("test://notes")
        await agent.subscribe_resource("scriptool://calls")
        expected.append("scriptool://calls")
        told = anyio.Event()
        write_tool("data/notes.txt", "newer")
        write_tool("say.py", "return 'Hello.'")
        await agent.call_tool("say", {})
        with anyio.fail_after(10):
            await told.wait()
    # A file that is written in two steps may be told twice.
    assert (heard[0], heard[-1]) == ("test://notes", "scriptool://calls")


async def test_a_newer_client_that_listens_hears_of_what_it_names(url: str, write_tool: WriteTool) -> None:
    write_tool("say.py", "return 'Hello.'")
    uris = ["scriptool://tools/say/source", "scriptool://problems"]
    async with mcp.Client(f"{url}/mcp") as agent, agent.listen(resource_subscriptions=uris) as updates:
        write_tool("say.py", "return 'Good evening.'")
        with anyio.fail_after(10):
            async for update in updates:
                assert getattr(update, "uri", None) == uris[0]
                break
        write_tool("broken.py", "return (")
        with anyio.fail_after(10):
            async for update in updates:
                if getattr(update, "uri", None) == uris[1]:
                    break


async def test_clients_hear_that_the_list_of_resources_changed(url: str, write_tool: WriteTool) -> None:
    async with mcp.Client(f"{url}/mcp") as agent, agent.listen(resources_list_changed=True) as changes:
        define(write_tool, "notes", file="data/notes.txt", uri="test://notes")
        with anyio.fail_after(10):
            async for _change in changes:
                break
        assert "test://notes" in {one.uri for one in (await agent.list_resources()).resources}
