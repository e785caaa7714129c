"""The tools over MCP, in both eras of the protocol, over HTTP and stdio, with the SDK's own client."""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp
import pytest
from mcp import types

from scriptool.app import App
from tests.agents import message, opened
from tests.conftest import WriteTool
from tests.server import SCRIPTOOL

ADD = '''\
def main(a: int, b: int = 1) -> dict:
    """Add two numbers."""
    return {"sum": a + b}
'''


def promising(schema: str) -> str:
    """Give a tool block that promises results of *schema*, written in TOML."""
    return f"# /// tool\n# outputSchema = {schema}\n# ///\n"


async def own_tools(agent: mcp.Client) -> list[types.Tool]:
    """Give the tools of the folder, without the built-in ones."""
    builtin = {"definitions_list", "job_cancel", "job_status"}
    return [tool for tool in (await agent.list_tools()).tools if tool.name not in builtin]


def text(result: types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


async def test_a_tool_is_listed_with_all_that_is_known_of_it(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    (tool,) = await own_tools(agent)
    assert (tool.name, tool.description) == ("add", "Add two numbers.")
    assert tool.input_schema["required"] == ["a"]
    assert tool.annotations == types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=False
    )


async def test_a_result_comes_as_text_and_as_structure(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    result = await agent.call_tool("add", {"a": 2})
    assert (result.is_error, result.structured_content, json.loads(text(result))) == (False, {"sum": 3}, {"sum": 3})
    assert result.meta is not None
    seen = result.meta["scriptool/call"]
    assert seen.keys() == {"call_id", "duration_ms", "digest", "output", "warnings"}


async def test_a_value_that_is_no_object_is_wrapped_for_older_clients(
    agent: mcp.Client, era: str, write_tool: WriteTool
) -> None:
    write_tool("count.py", promising('{type = "array"}') + 'def main():\n    "Count."\n    return [1, 2]\n')
    (tool,) = await own_tools(agent)
    assert tool.output_schema is not None
    result = await agent.call_tool("count", {})
    wrapped = {"result": [1, 2]} if era == "legacy" else [1, 2]
    assert (result.structured_content, json.loads(text(result))) == (wrapped, [1, 2])
    assert tool.output_schema["type"] == ("object" if era == "legacy" else "array")


async def test_an_object_by_a_name_of_its_own_is_not_wrapped(agent: mcp.Client, write_tool: WriteTool) -> None:
    schema = '{"$ref" = "#/$defs/Sum", "$defs" = {Sum = {type = "object"}}}'
    write_tool("sum.py", promising(schema) + "def main():\n    'Sum.'\n    return {'total': 1}\n")
    (tool,) = await own_tools(agent)
    assert tool.output_schema is not None
    assert (await agent.call_tool("sum", {})).structured_content == {"total": 1}


async def test_what_may_be_an_object_or_not_is_always_wrapped_for_older_clients(
    agent: mcp.Client, era: str, write_tool: WriteTool
) -> None:
    schema = '{anyOf = [{type = "object"}, {type = "array"}]}'
    write_tool("maybe.py", promising(schema) + "def main(n: int):\n    'Maybe.'\n    return {'n': n}\n")
    (tool,) = await own_tools(agent)
    assert tool.output_schema is not None
    value = {"result": {"n": 1}} if era == "legacy" else {"n": 1}
    assert (await agent.call_tool("maybe", {"n": 1})).structured_content == value


async def test_only_what_is_certain_is_promised_so_that_no_client_fails_on_a_result(
    agent: mcp.Client, write_tool: WriteTool
) -> None:
    write_tool("guess.py", "def main() -> list[int]:\n    'Guess.'\n    return 'none'\n")
    block = '# /// tool\n# destructive = true\n# outputSchema = {type = "integer"}\n# ///\n'
    write_tool("wipe.py", block + "def main():\n    'Wipe.'\n    return 1\n")
    guess, wipe = await own_tools(agent)
    assert guess.output_schema is None
    assert json.loads(text(await agent.call_tool("wipe", {"dry_run": True})))["would_execute"] is True
    assert json.loads(text(await agent.call_tool("wipe", {"confirm": True}))) == 1
    assert wipe.output_schema is not None


async def test_a_failure_carries_one_line_for_people_and_the_whole_error(
    agent: mcp.Client, write_tool: WriteTool
) -> None:
    write_tool("cost.py", 'def main() -> dict:\n    "Cost."\n    print("looking")\n    return {"x": {}["cost"]}\n')
    result = await agent.call_tool("cost", {})
    line, whole = text(result).split("\n", 1)
    error = json.loads(whole)
    assert (result.is_error, result.structured_content) == (True, None)
    assert line.startswith("script_runtime_error: KeyError")
    assert (error["code"], error["diagnostics"][0]["line"]) == ("script_runtime_error", 4)
    assert result.meta is not None
    assert result.meta["scriptool/error"] == error
    assert [block.text for block in result.content[1:] if isinstance(block, types.TextContent)] == [
        "Printed before it failed:\nlooking\n"
    ]


async def test_wrong_arguments_are_an_error_the_model_can_mend(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    result = await agent.call_tool("add", {"c": 2})
    error = json.loads(text(result).split("\n", 1)[1])
    assert (result.is_error, error["code"]) == (True, "invalid_params")
    assert {problem["path"] for problem in error["problems"]} == {"/a", "/c"}


async def test_warnings_are_the_last_block(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    result = await agent.call_tool("add", {"a": "2"})
    last = result.content[-1]
    assert isinstance(last, types.TextContent)
    assert last.text.startswith("Warnings:\n")


async def test_an_unknown_tool_is_a_protocol_error(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    with pytest.raises(mcp.MCPError) as raised:
        await agent.call_tool("ad", {})
    assert (raised.value.error.code, raised.value.error.message) == (-32602, "Unknown tool: ad")
    assert raised.value.error.data["close"] == ["add"]


@pytest.mark.parametrize(
    "value", ["NaN", "1e400", '"\\ud800"', "9" * 5000, "[" * 300 + "]" * 300, "[" * 9000 + "]" * 9000]
)
async def test_arguments_that_are_not_json_are_refused_by_the_protocol(
    url: str, write_tool: WriteTool, value: str
) -> None:
    write_tool("echo.py", "return args")
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    asked = json.dumps(message("tools/call", {"name": "echo", "arguments": {"a": "HERE"}, "_meta": meta}, 1))
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28"}
    headers |= {"mcp-method": "tools/call", "mcp-name": "echo", "content-type": "application/json"}
    async with httpx2.AsyncClient(base_url=url, headers=headers) as client:
        reply = await client.post("/mcp", content=asked.replace('"HERE"', value))
        again = await client.post("/mcp", content=asked)
    assert (reply.status_code, reply.json()["error"]["code"] in (-32602, -32700)) == (400, True)
    assert again.json()["result"]["structuredContent"] == {"a": "HERE"}


async def test_progress_and_log_lines_arrive_before_the_result(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool("steps.py", "ctx.progress(1, 2, 'half')\nctx.log.debug('no')\nctx.log.info('yes', n=1)\nreturn 1")
    heard: list[Any] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        heard.append((params.level, params.data))

    async with mcp.Client(f"{url}/mcp", mode=era, logging_callback=on_log, log_level="info") as agent:
        await agent.call_tool("steps", {}, progress_callback=on_progress)
        with anyio.fail_after(5):
            while len(heard) < 2:
                await anyio.lowlevel.checkpoint()
    assert heard == [(1, 2, "half"), ("info", {"message": "yes", "n": 1})]


async def test_progress_that_no_client_could_read_holds_nothing_up(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool("steps.py", "ctx.progress(10**400)\nctx.log.info('yes')\nreturn 1")
    heard: list[Any] = []
    told = anyio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params.data)
        told.set()

    async with mcp.Client(f"{url}/mcp", mode=era, logging_callback=on_log, log_level="info") as agent:
        await agent.call_tool("steps", {}, progress_callback=on_progress)
        with anyio.fail_after(5):
            await told.wait()
    assert heard == ["yes"]


async def test_log_lines_are_sent_only_as_asked_for(url: str, era: str, write_tool: WriteTool) -> None:
    write_tool("steps.py", "ctx.log.info('no')\nctx.log.error('loud')\nreturn 1")
    heard: list[Any] = []

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params.data)

    level: types.LoggingLevel = "error"
    async with mcp.Client(f"{url}/mcp", mode=era, logging_callback=on_log, log_level=level) as agent:
        if era == "legacy":
            await agent.session.send_request(
                types.SetLevelRequest(params=types.SetLevelRequestParams(level=level)), types.EmptyResult
            )
        await agent.call_tool("steps", {})
        with anyio.fail_after(5):
            while not heard:
                await anyio.lowlevel.checkpoint()
    assert heard == ["loud"]


async def test_an_older_client_is_told_that_the_list_changed(url: str, write_tool: WriteTool) -> None:
    changed = anyio.Event()

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            changed.set()

    async with mcp.Client(f"{url}/mcp", mode="legacy", message_handler=on_message) as agent:
        assert agent.server_capabilities.tools == types.ToolsCapability(list_changed=True)
        await agent.list_tools()
        write_tool("add.py", ADD)
        with anyio.fail_after(10):
            await changed.wait()
        assert [tool.name for tool in await own_tools(agent)] == ["add"]


async def test_a_newer_client_that_listens_is_told_that_the_list_changed(url: str, write_tool: WriteTool) -> None:
    async with mcp.Client(f"{url}/mcp") as agent:
        assert agent.server_capabilities.tools == types.ToolsCapability(list_changed=True)
        async with agent.listen(tools_list_changed=True) as changes:
            write_tool("add.py", ADD)
            with anyio.fail_after(10):
                async for _change in changes:
                    break
        assert [tool.name for tool in await own_tools(agent)] == ["add"]


async def test_a_cancelled_call_ends_its_process(url: str, era: str, app: App, write_tool: WriteTool) -> None:
    write_tool("slow.py", "ctx.log.error('begun')\nwhile True: pass")
    begun = anyio.Event()

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        begun.set()

    async with mcp.Client(f"{url}/mcp", mode=era, logging_callback=on_log, log_level="error") as agent:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(agent.call_tool, "slow", {})
            with anyio.fail_after(10):
                await begun.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(10):
            while not app.history.recent("slow"):
                await anyio.lowlevel.checkpoint()
    assert app.history.recent("slow")[0]["error"]["code"] == "cancelled"


async def test_a_call_that_takes_long_is_answered_with_a_job(
    agent: mcp.Client, write_tool: WriteTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scriptool.facades.calls.PATIENCE_SECONDS", 0.2)
    write_tool("slow.py", "while not args: pass\nreturn 1")
    await agent.list_tools()
    result = await agent.call_tool("slow", {})
    assert result.meta is not None
    job = result.meta["scriptool/job"]
    assert (result.is_error, job["state"], job["job_id"] in text(result)) == (False, "running", True)
    ended = await agent.call_tool("job_cancel", {"job_id": job["job_id"]})
    assert ended.structured_content is not None
    assert ended.structured_content["state"] == "cancelled"
    assert text(await agent.call_tool("slow", {"a": 1})) == "1"


async def test_an_older_client_gets_json_unless_a_call_tells_something(url: str, write_tool: WriteTool) -> None:
    write_tool("quiet.py", "return 1")
    write_tool("loud.py", "ctx.log.info('there')\nreturn 1")
    async with opened(url) as client:
        quiet = await client.post("/mcp", json=message("tools/call", {"name": "quiet"}, 2))
        assert (quiet.headers["content-type"], quiet.json()["id"]) == ("application/json", 2)
        loud = await client.post("/mcp", json=message("tools/call", {"name": "loud"}, 3))
        said = [json.loads(line[6:]) for line in loud.text.splitlines() if line.startswith("data: ")]
        assert loud.headers["content-type"] == "text/event-stream"
        assert [one.get("method", one.get("id")) for one in said] == ["notifications/message", 3]
        ended = await client.delete("/mcp")
        late = await client.post("/mcp", json=message("tools/call", {"name": "quiet"}, 4))
        assert (ended.status_code, late.status_code) == (200, 404)


async def test_a_call_is_answered_when_its_session_ends(url: str, app: App, write_tool: WriteTool) -> None:
    write_tool("slow.py", "while not args: pass")
    async with opened(url) as client, anyio.create_task_group() as tasks:
        # Compiled by now, so that what runs then is the call.
        await client.post("/mcp", json=message("tools/call", {"name": "slow", "arguments": {"a": 1}}, 3))
        replies = []

        async def call() -> None:
            replies.append(await client.post("/mcp", json=message("tools/call", {"name": "slow"}, 2)))

        tasks.start_soon(call)
        with anyio.fail_after(10):
            while not app.sandbox.report()["running"]:
                await anyio.lowlevel.checkpoint()
        await client.delete("/mcp")
    assert replies[0].json()["error"]["message"] == "The session ended before the call did."


async def test_an_older_clients_call_ends_when_its_stream_is_closed(url: str, app: App, write_tool: WriteTool) -> None:
    write_tool("slow.py", "ctx.log.error('begun')\nwhile True: pass")
    async with opened(url) as client:
        async with client.stream("POST", "/mcp", json=message("tools/call", {"name": "slow"}, 2)) as reply:
            async for line in reply.aiter_lines():
                if "begun" in line:
                    break
        with anyio.fail_after(10):
            while not app.history.recent("slow"):
                await anyio.lowlevel.checkpoint()
    assert app.history.recent("slow")[0]["error"]["code"] == "cancelled"


async def test_a_long_list_comes_in_pages_in_the_order_of_names(
    agent: mcp.Client, write_tool: WriteTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scriptool.facades.listing.PAGE", 2)
    for name in ("c", "a", "e", "b", "d"):
        write_tool(f"{name}.py", f"'{name}'\nreturn 1")
    names, cursor = [], None
    while True:
        page = await agent.list_tools(cursor=cursor)
        names += [tool.name for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [name for name in names if len(name) == 1] == ["a", "b", "c", "d", "e"]
    assert names == sorted(names)
    with pytest.raises(mcp.MCPError) as raised:
        await agent.list_tools(cursor="elsewhere")
    assert raised.value.error.code == -32602


async def test_an_odd_tool_does_not_spoil_the_list(agent: mcp.Client, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    write_tool("odd.py", "return args")
    schema = {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "no good"}}}
    definition = {"name": "odd", "description": "Odd.", "kind": "script", "file": "odd.py", "inputSchema": schema}
    write_tool("odd.json", json.dumps(definition))
    tools = {tool.name: tool for tool in await own_tools(agent)}
    assert sorted(tools) == ["add", "odd"]
    assert tools["odd"].input_schema == {"type": "object"}


@pytest.mark.timeout(60)
async def test_stdio_speaks_the_protocol_and_nothing_else(folder: Path, write_tool: WriteTool, era: str) -> None:
    write_tool("add.py", 'print("not the protocol")\n' + "return args['a'] + 1")
    command = mcp.StdioServerParameters(
        command=sys.executable, args=[str(SCRIPTOOL), "serve", str(folder), "--no-shared", "--stdio"]
    )
    async with mcp.Client(command, mode=era) as agent:
        assert [tool.name for tool in await own_tools(agent)] == ["add"]
        result = await agent.call_tool("add", {"a": 2})
        assert text(result) == "3"
        write_tool("add.py", "return 'edited'")
        assert text(await agent.call_tool("add", {})) == "edited"


@pytest.mark.timeout(60)
async def test_stdio_answers_what_is_no_message(folder: Path, write_tool: WriteTool) -> None:
    write_tool("add.py", "return 1")
    command = [sys.executable, str(SCRIPTOOL), "serve", str(folder), "--no-shared", "--stdio"]
    lines = [
        "nonsense",
        '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"arguments": {"x": "\\ud800"}}}',
        '{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"n": %s}}' % ("1" * 5000),
        '{"jsonrpc": "2.0", "id": 4, "params": {}}',
    ]
    done = await anyio.run_process(command, input="\n".join([*lines, ""]).encode(), check=True, stderr=None)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["id"], one.get("error", {}).get("code")) for one in answers] == [
        (None, -32700),
        (3, -32700),
        ("a", -32700),
        (4, -32700),
    ]
