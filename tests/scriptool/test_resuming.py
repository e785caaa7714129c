"""Streams of MCP's older era whose connection breaks: the client comes back and misses nothing."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp
import pytest
from mcp import types

from scriptool.app import App
from scriptool.facades import backlog
from scriptool.facades.backlog import Backlog, Ended, read_id
from scriptool.settings import Settings
from tests.agents import message, opened
from tests.conftest import WriteTool
from tests.granting import allowing, asking

RESUMING = "2025-11-25"
Go = Callable[[], None]
WAITS = """
ctx.log.info("begun")
while not ctx.files.exists("go"):
    pass
ctx.log.info("going")
return "done"
"""


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return allowing(settings, "read=.")


@pytest.fixture
def go_on(write_tool: WriteTool, folder: Path) -> Go:
    """Write a tool that says that it has begun, and goes on once the function this gives is called."""
    write_tool("waits.py", asking(WAITS, read=["."]))
    return (folder / "go").touch


@asynccontextmanager
async def called(client: httpx2.AsyncClient) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
    """Call the tool that waits; give the ids and messages of its stream."""
    body = message("tools/call", {"name": "waits"}, 2)
    async with client.stream("POST", "/mcp", json=body) as reply:
        assert reply.headers["content-type"] == "text/event-stream"
        yield events(reply)


@asynccontextmanager
async def resumed(client: httpx2.AsyncClient, last: str) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
    async with client.stream("GET", "/mcp", headers={"last-event-id": last}) as reply:
        assert reply.status_code == 200
        yield events(reply)


async def events(reply: httpx2.Response) -> AsyncIterator[tuple[str, Any]]:
    number = ""
    async for line in reply.aiter_lines():
        if line.startswith("id: "):
            number = line[4:]
        elif line.startswith("data: "):
            yield number, json.loads(line[6:] or "null")


async def until_begun(stream: AsyncIterator[tuple[str, Any]]) -> str:
    """Read until the tool has begun; give the id of the event that says so."""
    async for number, said in stream:
        if said and said["params"]["data"] == "begun":
            return number
    raise AssertionError("the stream ended")


def shown(said: Any) -> Any:
    return said["params"]["data"] if "params" in said else said["result"]["content"][0]["text"]


async def test_a_stream_begins_with_an_id_to_come_back_to(url: str, go_on: Go) -> None:
    go_on()
    async with opened(url, RESUMING) as client, called(client) as stream:
        told = [one async for one in stream]
    assert told[0] == ("0-0", None)
    assert [(number, shown(said)) for number, said in told[1:]] == [("0-1", "begun"), ("0-2", "going"), ("0-3", "done")]


@pytest.mark.parametrize("goes_on", ["meanwhile", "afterwards"])
async def test_a_client_that_comes_back_gets_what_it_missed(
    url: str, app: App, go_on: Go, write_tool: WriteTool, goes_on: str
) -> None:
    async with opened(url, RESUMING) as client:
        async with called(client) as stream:
            last = await until_begun(stream)
        if goes_on == "meanwhile":
            go_on()
            with anyio.fail_after(10):
                while not app.history.recent("waits"):
                    await anyio.lowlevel.checkpoint()
        async with resumed(client, last) as stream:
            go_on()
            told = [shown(said) async for _number, said in stream]
        assert told == ["going", "done"]
        async with resumed(client, last) as stream:
            assert [shown(said) async for _number, said in stream] == told
    assert [call["ok"] for call in app.history.recent("waits")] == [True]


async def test_the_latest_connection_has_the_stream(url: str, go_on: Go) -> None:
    async with opened(url, RESUMING) as client, called(client) as first:
        last = await until_begun(first)
        async with resumed(client, last) as second:
            assert [said async for _number, said in first] == []
            go_on()
            assert [shown(said) async for _number, said in second] == ["going", "done"]


async def test_a_call_whose_client_does_not_come_back_is_ended(
    url: str, app: App, go_on: Go, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 0.05)
    async with opened(url, RESUMING) as client:
        async with called(client) as stream:
            await until_begun(stream)
        with anyio.fail_after(10):
            while not app.history.recent("waits"):
                await anyio.lowlevel.checkpoint()
    assert app.history.recent("waits")[0]["error"]["code"] == "cancelled"


async def test_changes_that_a_listener_missed_are_told_when_it_comes_back(url: str, write_tool: WriteTool) -> None:
    async with opened(url) as client:
        async with client.stream("GET", "/mcp") as reply:
            again = await client.get("/mcp")
            assert (again.status_code, again.json()["error"]["message"]) == (409, "Another connection listens already.")
            write_tool("one.py", "return 1")
            last, _said = await anext(events(reply))
        write_tool("two.py", "return 2")
        with anyio.fail_after(10):
            async with resumed(client, last) as stream:
                assert (await anext(stream))[1]["method"] == "notifications/tools/list_changed"


async def test_what_another_session_was_told_is_not_to_be_had(url: str, go_on: Go) -> None:
    go_on()
    async with opened(url, RESUMING) as one, opened(url, RESUMING) as other:
        async with called(one) as stream:
            await until_begun(stream)
        for last in ("0-0", "7-1", "x", "1" * 50, "0-0-0", "-1-1"):
            reply = await other.get("/mcp", headers={"last-event-id": last})
            words = f"No event {last[:40]!r} is kept here."
            assert (reply.status_code, reply.json()["error"]["message"]) == (400, words)


@pytest.mark.parametrize("method", ["tools/call", "tools/list"])
async def test_an_id_that_is_in_use_is_refused(url: str, go_on: Go, method: str) -> None:
    async with opened(url, RESUMING) as client, called(client) as stream:
        await until_begun(stream)
        for number in (2, "2"):
            reply = await client.post("/mcp", json=message(method, {"name": "waits"}, 2) | {"id": number})
            words = f"A request with the id {number!r} is running in this session."
            assert (reply.status_code, reply.json()["error"]["message"]) == (400, words)
        go_on()
        assert [shown(said) async for _number, said in stream] == ["going", "done"]


async def test_the_sdks_client_finishes_a_call_over_a_connection_that_breaks(url: str, go_on: Go) -> None:
    begun = anyio.Event()

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        if params.data == "begun":
            begun.set()

    async with (
        breaking(url, begun) as (address, broke),
        mcp.Client(f"{address}/mcp", mode="legacy", logging_callback=on_log) as agent,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(after, broke, go_on)
        with anyio.fail_after(15):
            result = await agent.call_tool("waits", {})
    assert isinstance(result.content[0], types.TextContent)
    assert result.content[0].text == "done"


async def after(event: anyio.Event, do: Callable[[], None]) -> None:
    await event.wait()
    do()


@asynccontextmanager
async def breaking(url: str, when: anyio.Event) -> AsyncIterator[tuple[str, anyio.Event]]:
    """Give an address that leads to *url*, and an event: every connection is broken there once, after *when*."""
    broke = anyio.Event()
    host, port = url.removeprefix("http://").split(":")
    writers: set[asyncio.StreamWriter] = set()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))
        writers.add(writer)
        await asyncio.gather(copy(reader, back), copy(there, writer), return_exceptions=True)
        writers.discard(writer)

    async def break_all() -> None:
        await when.wait()
        for writer in writers:
            writer.transport.abort()
        broke.set()

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    async with server, anyio.create_task_group() as tasks:
        tasks.start_soon(break_all)
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", broke
        tasks.cancel_scope.cancel()


async def test_a_stream_forgets_its_oldest_events_and_never_the_newest() -> None:
    many, large = Backlog(3), Backlog(4)
    for number in range(backlog.MAX_EVENTS + 10):
        many.add(str(number))
    many.end()
    kept = [event async for event in many.after(0)]
    assert (len(kept), kept[0]) == (backlog.MAX_EVENTS, b"id: 3-10\nevent: message\ndata: 10\n\n")
    large.add("first")
    large.add("x" * backlog.MAX_BYTES, last=True)
    assert [len(event) > backlog.MAX_BYTES async for event in large.after(0)] == [True]
    assert read_id("3-10") == (3, 11)


async def test_streams_that_have_ended_are_forgotten_when_they_are_too_much_or_too_old(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended, forgotten = Ended(), list[int]()
    for number in range(40):
        one = Backlog(number)
        one.add("x" * 1024 * 1024)
        ended.keep(one, partial(forgotten.append, number))
    assert forgotten == list(range(9))
    monkeypatch.setattr(backlog, "KEPT_SECONDS", 0.01)
    last = anyio.Event()
    ended.keep(Backlog(40), last.set)
    with anyio.fail_after(5):
        await last.wait()
