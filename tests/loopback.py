"""A real HTTP server on loopback that misbehaves in every way a tool may meet."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = Callable[["Loopback", "Received", asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Received:
    """A request as it came in."""

    def __init__(self, head: bytes, body: bytes) -> None:
        first, *rest = head.decode("latin-1").split("\r\n")
        self.method, target, _ = first.split(" ")
        self.url = urlsplit(target)
        self.query = {name: values[0] for name, values in parse_qs(self.url.query).items()}
        self.headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest if line)
        }
        self.body = body

    def to_json(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "path": self.url.path,
            "query": self.query,
            "headers": self.headers,
            "body": self.body.decode("utf-8", "replace"),
        }


class Loopback:
    """The server; lives as long as the block that `loopback` opened."""

    def __init__(self) -> None:
        self.port = 0
        self.received: list[Received] = []
        self.connections = 0
        self.at_once = self.most_at_once = 0
        self.gate = asyncio.Event()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = Received(head[:-4], b"").headers.get("content-length", "0")
                one = Received(head[:-4], await reader.readexactly(int(length)))
                self.received.append(one)
                answer = ANSWERS.get(one.url.path.split("/")[1], _missing)
                await answer(self, one, writer)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def loopback() -> AsyncIterator[Loopback]:
    one = Loopback()
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.port = server.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        one.gate.set()
        server.close()


def _reply(writer: asyncio.StreamWriter, body: bytes, *headers: str, status: str = "200 OK") -> None:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)


async def _echo(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    body = b"" if one.method == "HEAD" else json.dumps(one.to_json()).encode()
    _reply(writer, body, "Content-Type: application/json")


async def _missing(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    _reply(writer, b"no such page", status="404 Not Found")


async def _redirect(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    _reply(writer, b"", f"Location: {one.query['to']}", "Set-Cookie: seen=yes", status="302 Found")


async def _loop(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    _reply(writer, b"", f"Location: /loop/{len(one.url.path)}{'x' * len(one.url.path)}", status="302 Found")


async def _silent(server: Loopback, _: Received, writer: asyncio.StreamWriter) -> None:
    """Send the head, and then nothing until the gate opens."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    await writer.drain()
    await server.gate.wait()


async def _meet(server: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    """Answer nobody before as many ask at once as `of` says."""
    server.at_once += 1
    server.most_at_once = max(server.most_at_once, server.at_once)
    if server.at_once >= int(one.query["of"]):
        server.gate.set()
    await server.gate.wait()
    server.at_once -= 1
    _reply(writer, str(server.most_at_once).encode())


async def _big(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    """Send 100 MB in chunks, for as long as somebody reads."""
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _part in range(100):
        writer.write(b"100000\r\n" + b"x" * 0x100000 + b"\r\n")
        await writer.drain()
    writer.write(b"0\r\n\r\n")


async def _bomb(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    """Send a small body that becomes 200 MB; also as the body of a redirect."""
    body = gzip.compress(bytes(200_000_000), 1)
    status = "302 Found" if "to" in one.query else "200 OK"
    _reply(writer, body, "Content-Encoding: gzip", f"Location: {one.query.get('to', '/')}", status=status)


async def _gzip(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    _reply(writer, gzip.compress(b"plain text"), "Content-Encoding: gzip")


async def _coded(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    """Send `of` bytes, packed by the codings of `as`, which has a line of its own for each part between `;`."""
    body = b"x" * int(one.query["of"])
    for _coding in range(one.query["as"].lower().count("gzip")):
        body = gzip.compress(body, 1)
    _reply(writer, body, *(f"Content-Encoding: {line}" for line in one.query["as"].split(";")))


async def _twice(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    """Send an answer that nobody asked for right behind the one that is due."""
    _reply(writer, b"due")
    _reply(writer, b"undue")


async def _torn(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    _reply(writer, b"this is no gzip", "Content-Encoding: gzip")


async def _latin(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    _reply(writer, b"caf\xe9 \xff", one.query.get("type", "X-None: 1"))


async def _chunked(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n4\r\n two\r\n0\r\n\r\n")


async def _reset(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
    await writer.drain()
    writer.transport.abort()
    raise ConnectionResetError


async def _garbage(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x00\x01 this is not HTTP\r\n\r\n")
    raise ConnectionResetError


async def _cookie(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    _reply(writer, one.headers.get("cookie", "").encode(), "Set-Cookie: session=abc; Path=/")


async def _cookies(_: Loopback, one: Received, writer: asyncio.StreamWriter) -> None:
    """Set cookies of one name for two paths, and one without a value; `to` redirects."""
    set_them = ["Set-Cookie: a=1; Path=/", "Set-Cookie: a=2; Path=/x", "Set-Cookie: flag"]
    status = "302 Found" if "to" in one.query else "200 OK"
    _reply(writer, b"", *set_them, f"Location: {one.query.get('to', '/')}", status=status)


ANSWERS: dict[str, Answer] = {
    "echo": _echo,
    "redirect": _redirect,
    "loop": _loop,
    "silent": _silent,
    "meet": _meet,
    "big": _big,
    "bomb": _bomb,
    "gzip": _gzip,
    "coded": _coded,
    "twice": _twice,
    "torn": _torn,
    "latin": _latin,
    "chunked": _chunked,
    "reset": _reset,
    "garbage": _garbage,
    "cookie": _cookie,
    "cookies": _cookies,
}
