"""Clients that send slowly, too much, nonsense or nothing, and too many of them, against a real server."""

import contextlib
import json
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from anyio.abc import SocketStream

from scriptool.connection import Bounds
from tests.conftest import WriteTool

HEAD = b"POST /tools/echo HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"


@pytest.fixture
def bounds() -> Bounds:
    return Bounds(head_seconds=0.3, head_bytes=4096, body_seconds=0.3, read_seconds=0.3, connections=3)


@pytest.fixture(autouse=True)
def echo(write_tool: WriteTool) -> None:
    write_tool("echo.py", "return args")


async def connected(url: str) -> SocketStream:
    where = urlsplit(url)
    assert where.hostname and where.port
    return await anyio.connect_tcp(where.hostname, where.port)


async def sent(url: str, first: bytes, drip: bytes = b"") -> bytes:
    """Send *first*, then *drip* again and again, until the server closes the connection; give what it said."""
    said = b""
    with anyio.fail_after(15):
        async with await connected(url) as stream:
            try:
                await stream.send(first)
                while True:
                    with anyio.move_on_after(0.01 if drip else 15) as pause:
                        said += await stream.receive()
                    if pause.cancelled_caught:
                        await stream.send(drip)
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return said


def refusal(said: bytes) -> tuple[int, str, str]:
    head, _, body = said.partition(b"\r\n\r\n")
    error = json.loads(body)["error"]
    return int(head.split()[1]), error["code"], error["message"]


async def test_headers_that_drip_are_given_up(url: str) -> None:
    said = await sent(url, HEAD, b"x")
    assert refusal(said) == (400, "bad_request", "The headers did not come within 0.3 seconds.")


async def test_headers_that_stop_are_given_up(url: str) -> None:
    assert refusal(await sent(url, HEAD))[1] == "bad_request"


async def test_a_client_that_says_nothing_is_let_go(url: str) -> None:
    assert await sent(url, b"") == b""


async def test_a_client_that_sends_nothing_but_line_breaks_is_let_go(url: str) -> None:
    assert await sent(url, b"\r\n", b"\r\n") == b""


@pytest.mark.parametrize("length", [b"content-length: 900000\r\n\r\n", b"transfer-encoding: chunked\r\n\r\n"])
async def test_a_body_that_drips_is_given_up(url: str, length: bytes) -> None:
    said = await sent(url, HEAD + b"connection: close\r\n" + length, b"1\r\n \r\n" if b"chunked" in length else b" ")
    assert refusal(said) == (400, "bad_request", "The body did not come within 0.3 seconds.")


@pytest.mark.timeout(40)
async def test_a_body_that_drips_on_after_the_answer_is_cut_off(url: str) -> None:
    said = await sent(url, HEAD + b"content-length: 900000\r\n\r\n", b" ")
    assert refusal(said)[1] == "bad_request"


async def test_headers_without_end_are_refused(url: str) -> None:
    said = await sent(url, HEAD + b"x-long: ", b"x" * 500)
    assert refusal(said) == (413, "request_too_large", "The headers are larger than the 4096 bytes allowed.")


@pytest.mark.parametrize(
    "rest", [b"x-long: " + b"x" * 5000, b"\r\n".join(b"x-%d: y" % number for number in range(500))]
)
async def test_headers_that_come_at_once_are_bounded_as_well(url: str, rest: bytes) -> None:
    said = await sent(url, HEAD + rest + b"\r\ncontent-length: 2\r\n\r\n{}")
    assert refusal(said) == (413, "request_too_large", "The headers are larger than the 4096 bytes allowed.")
    said = await sent(url, HEAD.replace(b"echo", b"e" * 5000) + b"\r\n")
    assert refusal(said)[:2] == (413, "request_too_large")


async def test_what_is_no_http_is_answered_in_our_envelope(url: str) -> None:
    assert refusal(await sent(url, b"\x16\x03\x01\x02\x00 hello\r\n\r\n"))[:2] == (400, "bad_request")


async def test_a_call_in_pieces_is_answered_if_it_is_whole_in_time(url: str) -> None:
    with anyio.fail_after(10):
        async with await connected(url) as stream:
            for piece in (
                HEAD[:30],
                HEAD[30:],
                b"content-length: 9\r\n",
                b"connection: close\r\n\r\n",
                b'{"a"',
                b": 1 }",
            ):
                await stream.send(piece)
                await anyio.lowlevel.checkpoint()
            said = b"".join([part async for part in stream])
    assert json.loads(said.partition(b"\r\n\r\n")[2])["result"] == {"a": 1}


async def test_a_call_may_run_and_a_stream_stay_open_longer_than_a_request_may_take_to_come(
    url: str, write_tool: WriteTool
) -> None:
    write_tool("slow.py", "import time\ntime.sleep(0.8)\nreturn 1")
    async with httpx2.AsyncClient(base_url=url) as client, client.stream("GET", "/events") as stream:
        events = stream.aiter_lines()
        for _ in range(2):
            assert (await client.post("/tools/slow")).json()["result"] == 1
        async for line in events:
            if '"tool": "slow"' in line:
                return
    pytest.fail("the stream was closed")


async def test_one_client_too_many_is_told_to_come_again(url: str) -> None:
    async with await connected(url), await connected(url), httpx2.AsyncClient(base_url=url) as client:
        assert (await client.get("/health")).status_code == 200
        reply = await sent(url, b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        assert refusal(reply)[:2] == (503, "overloaded")
        assert b"\r\nretry-after: 1\r\n" in reply
    async with httpx2.AsyncClient(base_url=url) as client:
        assert (await client.get("/health")).status_code == 200


@pytest.mark.timeout(60)
async def test_a_hundred_slow_clients_are_all_let_go(url: str) -> None:
    ended: list[bytes] = []

    async def drip() -> None:
        ended.append(await sent(url, HEAD, b"x"))

    async with anyio.create_task_group() as tasks:
        for _ in range(100):
            tasks.start_soon(drip)
    assert len(ended) == 100
    assert {refusal(said)[1] for said in ended if said} == {"bad_request"}
    async with httpx2.AsyncClient(base_url=url) as client:
        assert (await client.post("/tools/echo", json={"a": 1})).json()["result"] == {"a": 1}


@pytest.mark.parametrize("trailers", [b"x: " + b"y" * 100 + b"\r\n", b"y" * 100])
async def test_trailers_without_end_are_refused(url: str, trailers: bytes) -> None:
    first = HEAD + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx: "
    assert b"200 OK" not in await sent(url, first, trailers * 10)


async def test_chunks_with_a_trailer_are_a_body(url: str) -> None:
    rest = b"transfer-encoding: chunked\r\nconnection: close\r\n\r\n2\r\n{}\r\n0\r\nx: y\r\n\r\n"
    assert b"200 OK" in await sent(url, HEAD + rest)


@pytest.mark.timeout(60)
async def test_a_client_that_does_not_read_its_answer_is_let_go(url: str, write_tool: WriteTool) -> None:
    size = 16_000_000
    block = "# /// tool\n# limits = {result_kb = 16384}\n# ///\n"
    write_tool("large.py", f"{block}return 'x' * {size}")
    async with httpx2.AsyncClient(base_url=url) as client:
        assert len((await client.post("/tools/large", timeout=30)).json()["result"]) == size
    async with await connected(url) as stream:
        await stream.send(b"POST /tools/large HTTP/1.1\r\nhost: localhost\r\n\r\n")
        read = len(await stream.receive(1))
        await gone(url)
        with contextlib.suppress(anyio.BrokenResourceError, anyio.EndOfStream):
            while True:
                read += len(await stream.receive())
    assert read < size


async def gone(url: str) -> None:
    """Wait until the server has no connection any more."""
    port = urlsplit(url).port
    with anyio.fail_after(30):
        while open_to(port or 0):
            await anyio.lowlevel.checkpoint()


def open_to(port: int) -> int:
    """Give how many connections the server's end of *port* has, by what the kernel says."""
    lines = [line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
    return sum(line[1].endswith(f":{port:04X}") and line[3] == "01" for line in lines)
