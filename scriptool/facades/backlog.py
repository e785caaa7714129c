"""Backlog: what one stream of a session says, kept for a client that loses its connection and comes back.

Events have ids `STREAM-NUMBER`, both numbers counted by the session, as the protocol wants them for resuming
(MCP 2025-11-25, Streamable HTTP, "Resumability and Redelivery").
"""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Final

import anyio

from scriptool.facades.stream import KEEP_ALIVE_SECONDS

GRACE_SECONDS: Final = 5.0
"""How long a stream that broke goes on without its client; the SDK's clients come back after one second."""

MAX_EVENTS: Final = 256
MAX_BYTES: Final = 1024 * 1024
"""Older events of a stream are forgotten beyond either bound; the newest, which may be the answer, is always kept."""

KEPT_SECONDS: Final = 60.0
MAX_KEPT: Final = 32 * 1024 * 1024
"""How long a stream can be read again after its end, and how many bytes of such streams are kept in all."""

_ID: Final = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


class Backlog:
    """The last events of a stream and whoever reads them; *number* is the stream's own within its session."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.abandoned: list[Callable[[], object]] = []
        """What to call when its reader is gone and none came back."""
        self.ended = False
        self.bytes = 0
        self._reader: anyio.CancelScope | None = None
        self._waiting: asyncio.TimerHandle | None = None
        self._events: deque[bytes] = deque()
        self._next = 0
        self._news = anyio.Event()

    def add(self, data: str, *, last: bool = False) -> None:
        """Add an event with *data*, one line of text; it may be the *last* of the stream."""
        event = f"id: {self.number}-{self._next}\nevent: message\ndata: {data}\n\n".encode()
        self._next += 1
        self._events.append(event)
        self.bytes += len(event)
        while len(self._events) > 1 and (len(self._events) > MAX_EVENTS or self.bytes > MAX_BYTES):
            self.bytes -= len(self._events.popleft())
        self.ended = self.ended or last
        self._tell()

    def end(self) -> None:
        """End the stream without a further event."""
        self.ended = True
        self._tell()

    @contextmanager
    def read_by(self, scope: anyio.CancelScope) -> Iterator[None]:
        """Read the stream in the block, which is in *scope*. The latest reader has it: an older may be long dead."""
        if self._reader is not None:
            self._reader.cancel()
        if self._waiting is not None:
            self._waiting.cancel()
        self._reader = scope
        try:
            yield
        finally:
            if self._reader is scope:
                self._reader = None
                self._waiting = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._abandon)

    @property
    def is_read(self) -> bool:
        """Say whether somebody reads it now."""
        return self._reader is not None

    async def after(self, position: int) -> AsyncIterator[bytes]:
        """Give each event from *position* on as it goes over the wire, with a sign of life in every long silence.

        One who reads slowly misses what was forgotten meanwhile.
        """
        while True:
            first = self._next - len(self._events)
            position = max(position, first)
            if position < self._next:
                yield self._events[position - first]
                position += 1
            elif self.ended:
                return
            else:
                news = self._news
                with anyio.move_on_after(KEEP_ALIVE_SECONDS) as silence:
                    await news.wait()
                if silence.cancelled_caught:
                    yield b": still here\n\n"

    @property
    def position(self) -> int:
        """Give the position of the event that comes next."""
        return self._next

    def _abandon(self) -> None:
        if not self.ended:
            for end in self.abandoned:
                end()

    def _tell(self) -> None:
        self._news.set()
        self._news = anyio.Event()


class Ended:
    """The streams of all sessions that have ended and can still be read again."""

    def __init__(self) -> None:
        self._forget: dict[Backlog, Callable[[], object]] = {}
        self._bytes = 0

    def keep(self, backlog: Backlog, forget: Callable[[], object]) -> None:
        """Keep *backlog* for a while, then call *forget*; sooner when there is too much."""
        self._forget[backlog] = forget
        self._bytes += backlog.bytes
        asyncio.get_running_loop().call_later(KEPT_SECONDS, self._drop, backlog)
        while self._bytes > MAX_KEPT:
            self._drop(next(iter(self._forget)))

    def _drop(self, backlog: Backlog) -> None:
        if (forget := self._forget.pop(backlog, None)) is not None:
            self._bytes -= backlog.bytes
            forget()


def read_id(text: str) -> tuple[int, int] | None:
    """Give the stream's number and the position after the event named *text* (`Last-Event-ID`); None for no such id."""
    found = _ID.fullmatch(text)
    return (int(found[1]), int(found[2]) + 1) if found else None
