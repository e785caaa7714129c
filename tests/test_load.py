"""A real server with many listeners, many tools, clients that die in the middle of calls, and restarts under load."""

import json
import resource
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import anyio
import httpx2
import pytest
from anyio.abc import SocketStream
from mcp import Client

from tests.server import serving

ERAS = ["legacy", "2026-07-28"]

LISTENERS = 1000
MANY = 10_000
CALLERS = 16

KILLED = """
import anyio, httpx2, sys

async def call(client):
    await client.post("/tools/slow", timeout=60)

async def main():
    limits = httpx2.Limits(max_connections=200)
    async with httpx2.AsyncClient(base_url=sys.argv[1], limits=limits) as client, anyio.create_task_group() as tasks:
        for _ in range(200):
            tasks.start_soon(call, client)

anyio.run(main)
"""


async def until(happens: Callable[[], bool]) -> None:
    """Wait for something that only asking the server shows."""
    while not await anyio.to_thread.run_sync(happens):
        await anyio.lowlevel.checkpoint()


@pytest.mark.timeout(120)
async def test_a_thousand_listeners_hear_of_a_call_and_keep_nobody_waiting(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * LISTENERS)), hard))
    (tmp_path / "one.py").write_text("return 1")
    heard = 0

    async def listen(stream: SocketStream) -> None:
        nonlocal heard
        said = b""
        while b"event: call" not in said:
            said += await stream.receive()
        heard += 1

    with serving(tmp_path) as server:
        async with anyio.create_task_group() as tasks:
            streams = [await anyio.connect_tcp("127.0.0.1", server.port) for _ in range(LISTENERS)]
            for stream in streams:
                await stream.send(b"GET /events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
                tasks.start_soon(listen, stream)
            open_streams = f'scriptool_streams{{kind="events"}} {LISTENERS}\n'
            with anyio.fail_after(60):
                await until(lambda: open_streams in httpx2.get(f"{server.url}/metrics").text)
                answer = await anyio.to_thread.run_sync(server.call, "one")
        assert (heard, answer["result"]) == (LISTENERS, 1)
        for stream in streams:
            await stream.aclose()
        none = 'scriptool_streams{kind="events"} 0\n'
        with anyio.fail_after(30):
            await until(lambda: none in httpx2.get(f"{server.url}/metrics").text)


@pytest.mark.timeout(180)
async def test_ten_thousand_tools_are_listed_page_by_page_in_both_eras(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text("return args['x'] + 1\n")
    inputs = {"x": {"type": "integer", "required": True}}
    for number in range(MANY):
        fields = {"name": f"tool_{number}", "description": "One of many.", "kind": "script", "file": "shared.py"}
        (tmp_path / f"d{number}.json").write_text(json.dumps(fields | {"inputs": inputs}))
    with serving(tmp_path) as server:
        for era in ERAS:
            async with Client(f"{server.url}/mcp", mode=era) as client:
                names: list[str] = []
                cursor = None
                while True:
                    page = await client.list_tools(cursor=cursor)
                    names += [tool.name for tool in page.tools]
                    cursor = page.next_cursor
                    if cursor is None:
                        break
                assert names == sorted(names)
                assert len({name for name in names if name.startswith("tool_")}) == MANY
                last = await client.call_tool("tool_9999", {"x": 41})
                assert getattr(last.content[0], "text", None) == "42"


@pytest.mark.timeout(90)
def test_a_client_killed_in_the_middle_of_two_hundred_calls_leaves_nothing_running(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("while True: pass")
    (tmp_path / "one.py").write_text("return 1")
    with serving(tmp_path) as server:
        with subprocess.Popen([sys.executable, "-c", KILLED, server.url]) as client:
            while (state := server.get("/debug/state")["sandbox"])["running"] + state["waiting"] < 200:
                assert client.poll() is None
            client.kill()
        while True:
            sandbox = server.get("/debug/state")["sandbox"]
            if not (sandbox["running"] or sandbox["waiting"] or sandbox["live"]):
                break
        assert server.call("one")["result"] == 1


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Callers:
    """Callers that call again and again, whether a server is there or not. *told* counts what they were told."""

    def __init__(self, port: int) -> None:
        self.told = Counter[str]()
        self.over = anyio.Event()
        self._url = f"http://127.0.0.1:{port}"
        self._heard = anyio.Condition()

    async def call(self, number: int) -> None:
        async with httpx2.AsyncClient(base_url=self._url, timeout=30) as client:
            while not self.over.is_set():
                try:
                    reply = await client.post("/tools/echo", json={"n": number})
                except httpx2.TransportError:
                    self.told["unreachable"] += 1
                    await anyio.sleep(0.1)  # the pace of a client that tries again: nothing is waited for
                    continue
                answer = reply.json()
                assert answer.get("result") == number or "retry-after" in reply.headers, answer
                async with self._heard:
                    self.told["ok" if answer["ok"] else answer["error"]["code"]] += 1
                    self._heard.notify_all()

    async def hear(self, more: int) -> None:
        """Wait until so many *more* calls went well."""
        wanted = self.told["ok"] + more
        with anyio.fail_after(30):
            async with self._heard:
                while self.told["ok"] < wanted:
                    await self._heard.wait()


@pytest.mark.timeout(120)
async def test_clients_see_clean_errors_while_the_server_restarts_and_then_work_again(tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text("return args['n']")
    port = free_port()
    callers = Callers(port)
    async with anyio.create_task_group() as tasks:
        for number in range(CALLERS):
            tasks.start_soon(callers.call, number)
        for _ in range(3):
            serve = serving(tmp_path, "--port", str(port))
            server = await anyio.to_thread.run_sync(serve.__enter__)
            await callers.hear(20 * CALLERS)
            for era in ERAS:
                async with Client(f"{server.url}/mcp", mode=era) as client:
                    assert not (await client.call_tool("echo", {"n": 1})).is_error
            await anyio.to_thread.run_sync(serve.__exit__, None, None, None)
        callers.over.set()
    assert set(callers.told) <= {"ok", "unreachable", "shutting_down"}
    assert callers.told["unreachable"]
