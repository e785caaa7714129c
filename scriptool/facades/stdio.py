"""Stdio: MCP over the standard streams, which nothing else in this process can then reach."""

import asyncio
import contextlib
import fcntl
import json
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp import types
from mcp.server.stdio import stdio_server

_MAX_LINE: Final = 64 * 1024 * 1024
_MAX_DIGITS: Final = 4000


@asynccontextmanager
async def stdio() -> AsyncIterator[tuple[Any, Any]]:
    """Give the streams of messages in and out; the two descriptors are given back at the end.

    Meanwhile descriptor 0 is empty and 1 leads to the error output, so that a stray `print` cannot break the protocol.
    The SDK reads and writes in threads that cannot be cancelled, hence the streams of our own that it is handed.
    """
    async with contextlib.AsyncExitStack() as exits:
        given = exits.enter_context(_moved(0, os.open(os.devnull, os.O_RDONLY)))
        wire = exits.enter_context(_moved(1, os.dup(2)))
        writer = await _writer(wire, exits)
        reader = await _reader(given, writer, exits)
        async with stdio_server(reader, writer) as streams:
            yield streams


@contextlib.contextmanager
def _moved(number: int, instead: int) -> Any:
    """Give a private descriptor for what *number* stands for, which meanwhile stands for *instead*."""
    private = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)
    os.dup2(instead, number)
    os.close(instead)
    try:
        yield private
    finally:
        os.dup2(private, number)
        os.close(private)


class _Lines:
    """Lines of text from a pipe, each a message; reading can be cancelled.

    The SDK drops what is no message without a word, and a client would wait for its answer; here it gets one.
    """

    def __init__(self, stream: asyncio.StreamReader, writer: Any) -> None:
        self._stream = stream
        self._writer = writer

    def __aiter__(self) -> "_Lines":
        return self

    async def __anext__(self) -> str:
        while True:
            try:
                line = await self._stream.readline()
            except ValueError:
                await self._refuse("", f"A message is larger than {_MAX_LINE >> 20} MB.")
                continue
            if not line:
                raise StopAsyncIteration
            text = line.decode("utf-8", "replace")
            try:
                types.jsonrpc_message_adapter.validate_json(text, by_name=False)
            except (RecursionError, ValueError):
                if text.strip():
                    await self._refuse(text, "A line is no message of JSON-RPC, or holds what JSON cannot say.")
                continue
            return text

    async def _refuse(self, line: str, message: str) -> None:
        error = {"code": types.PARSE_ERROR, "message": message}
        answer = {"jsonrpc": "2.0", "id": _id_in(line), "error": error}
        await self._writer.write(json.dumps(answer) + "\n")
        await self._writer.flush()


def _id_in(line: str) -> int | str | None:
    """Give the id of the request that a line was meant as, as far as that can be seen."""
    try:
        meant = json.loads(line, parse_int=lambda digits: int(digits[:_MAX_DIGITS]))
    except (RecursionError, ValueError):
        return None
    found = meant.get("id") if isinstance(meant, dict) else None
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None


class _Text:
    """Text into a pipe."""

    def __init__(self, stream: asyncio.StreamWriter) -> None:
        self._stream = stream

    async def write(self, text: str) -> None:
        self._stream.write(text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        await self._stream.drain()


async def _reader(number: int, writer: Any, exits: contextlib.AsyncExitStack) -> Any:
    if not _can_wait(number):
        file = exits.enter_context(os.fdopen(number, encoding="utf-8", errors="replace", closefd=False))
        return anyio.wrap_file(file)
    pipe = os.fdopen(number, "rb", 0, closefd=False)
    stream = asyncio.StreamReader(_MAX_LINE)
    protocol = asyncio.StreamReaderProtocol(stream)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
    exits.callback(transport.close)
    return _Lines(stream, writer)


async def _writer(number: int, exits: contextlib.AsyncExitStack) -> Any:
    if not _can_wait(number):
        file = exits.enter_context(os.fdopen(number, "w", encoding="utf-8", errors="replace", closefd=False))
        return anyio.wrap_file(file)
    pipe = os.fdopen(number, "wb", 0, closefd=False)
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, pipe)
    exits.callback(transport.close)
    return _Text(asyncio.StreamWriter(transport, protocol, None, loop))


def _can_wait(number: int) -> bool:
    """Say whether the event loop can wait for this descriptor: a file is always ready, a terminal is shared."""
    mode = os.fstat(number).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
