"""Stdio: MCP over the standard streams, which nothing else in this process can then reach."""

import asyncio
import contextlib
import fcntl
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp.server.stdio import stdio_server

_MAX_LINE: Final = 64 * 1024 * 1024


@asynccontextmanager
async def stdio() -> AsyncIterator[tuple[Any, Any]]:
    """Give the streams of messages in and out; the two descriptors are given back at the end.

    Meanwhile descriptor 0 is empty and 1 leads to the error output, so that a stray `print` cannot break the protocol.
    The SDK reads and writes in threads that cannot be cancelled, hence the streams of our own that it is handed.
    """
    async with contextlib.AsyncExitStack() as exits:
        given = exits.enter_context(_moved(0, os.open(os.devnull, os.O_RDONLY)))
        wire = exits.enter_context(_moved(1, os.dup(2)))
        reader = await _reader(given, exits)
        writer = await _writer(wire, exits)
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
    """Lines of text from a pipe; reading can be cancelled."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    def __aiter__(self) -> "_Lines":
        return self

    async def __anext__(self) -> str:
        line = await self._stream.readline()
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


class _Text:
    """Text into a pipe."""

    def __init__(self, stream: asyncio.StreamWriter) -> None:
        self._stream = stream

    async def write(self, text: str) -> None:
        self._stream.write(text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        await self._stream.drain()


async def _reader(number: int, exits: contextlib.AsyncExitStack) -> Any:
    if not _can_wait(number):
        file = exits.enter_context(os.fdopen(number, encoding="utf-8", errors="replace", closefd=False))
        return anyio.wrap_file(file)
    pipe = os.fdopen(number, "rb", 0, closefd=False)
    stream = asyncio.StreamReader(_MAX_LINE)
    protocol = asyncio.StreamReaderProtocol(stream)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
    exits.callback(transport.close)
    return _Lines(stream)


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
