"""What happens, as server-sent events."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2

from scriptool.app import App
from scriptool.facades.events import Events
from scriptool.facades.stream import MAX_UNREAD, Event
from tests.conftest import WriteTool


@asynccontextmanager
async def listening(url: str, **headers: str) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """Give the events of a server, each with its id, its kind and its data."""
    async with httpx2.AsyncClient(base_url=url, headers=headers) as client, client.stream("GET", "/events") as reply:
        yield parsed(reply)


async def parsed(reply: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    event: dict[str, Any] = {}
    async for line in reply.aiter_lines():
        name, _, value = line.partition(": ")
        if line:
            event[name] = json.loads(value) if name == "data" else value
        elif event:
            yield event
            event = {}


async def test_an_edit_its_problem_and_a_call_are_told_in_order(url: str, write_tool: WriteTool) -> None:
    with anyio.fail_after(15):
        async with listening(url) as events, httpx2.AsyncClient(base_url=url) as client:
            write_tool("one.py", "return (")
            await client.get("/tools")
            heard = [await anext(events)]
            while heard[-1]["event"] != "problem_appeared":
                heard.append(await anext(events))
            assert heard[-1]["data"]["file"] == "one.py"
            write_tool("one.py", "return 1")
            called = (await client.post("/tools/one")).json()
            while heard[-1]["event"] != "call":
                heard.append(await anext(events))
            assert heard[-1]["data"]["call_id"] == called["call_id"]
            assert (heard[-1]["data"]["ok"], heard[-1]["data"]["code"]) == (True, None)
            while "problem_cleared" not in [event["event"] for event in heard]:
                heard.append(await anext(events))
    assert heard[0]["data"]["added"] == ["one"]


async def test_a_problem_that_changes_no_list_of_tools_is_told_too(url: str, write_tool: WriteTool) -> None:
    with anyio.fail_after(15):
        async with listening(url) as events, httpx2.AsyncClient(base_url=url) as client:
            write_tool("notes.json", '{"name": "notes", "kind": "resource", "description": "Notes."}')
            await client.get("/tools")
            appeared = await anext(events)
            write_tool("notes.json", '{"name": "notes", "kind": "resource", "description": "Notes.", "text": "a"}')
            await client.get("/tools")
            cleared = await anext(events)
    assert (appeared["event"], cleared["event"]) == ("problem_appeared", "problem_cleared")
    assert appeared["data"] == cleared["data"]
    assert appeared["data"]["file"] == "notes.json"


async def test_a_listener_comes_back_for_what_it_missed(url: str, write_tool: WriteTool) -> None:
    write_tool("one.py", "return 1")
    with anyio.fail_after(15):
        async with httpx2.AsyncClient(base_url=url) as client:
            async with listening(url) as events:
                await client.post("/tools/one")
                event = await anext(events)
                while event["event"] != "call":
                    event = await anext(events)
            later = [(await client.post("/tools/one")).json()["call_id"] for _ in range(2)]
            async with listening(url, **{"last-event-id": event["id"]}) as events:
                assert [(await anext(events))["data"]["call_id"] for _ in later] == later
            async with listening(url, **{"last-event-id": "elsewhere-1"}) as events:
                assert (await anext(events))["event"] == "missed"


async def test_a_listener_that_does_not_read_is_cut_off_and_nobody_waits_for_it(app: App) -> None:
    events = Events(app)
    outlet, inlet = anyio.create_memory_object_stream[Event](MAX_UNREAD)
    events._outlets.add(outlet)
    for number in range(MAX_UNREAD + 1):
        events.publish("call", number)
    read = [event.data async for event in inlet]
    assert (read, events._outlets) == (list(range(MAX_UNREAD)), set())
    assert [event.data for event in events._missed(f"{events._server}-{MAX_UNREAD}")] == [MAX_UNREAD]
    inlet.close()
