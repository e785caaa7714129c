"""Connection: HTTP as uvicorn speaks it, with bounds on how long and how much a client may send before it is heard."""

import asyncio
import resource
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, cast

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sandbox import Fault
from scriptool.facades.reply import fault_reply

_LATE_SECONDS: Final = 10.0
"""A body that is late by this much is cut off, whatever became of the answer that says so."""

_HEADER_BYTES: Final = 4
"""What stands around the name and value of a header: a colon, a space, and the end of the line."""

_OWN_FILES: Final = 200
"""Files that the server itself may need open: tools it reads, processes, what scripts ask it to fetch."""


class _HeadTooLarge(Exception):
    """Ends the parsing of a head."""


@dataclass(frozen=True)
class Bounds:
    """What one client may take: *head_seconds* and *head_bytes* for the line and headers of a request, *body_seconds*
    for all of its body, *read_seconds* without taking anything of an answer; and how many *connections* there may be
    together."""

    head_seconds: float = 10.0
    head_bytes: int = 64 * 1024
    body_seconds: float = 60.0
    read_seconds: float = 60.0
    connections: int = 4000


def raise_file_limit(bounds: Bounds) -> None:
    """Let this process open as many files as *bounds* asks for, as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(bounds.connections + _OWN_FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def bounded(bounds: Bounds) -> type["Connection"]:
    """Give the connections of a server with these *bounds*, fewer where the process may not open so many files."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    attributes = {"bounds": bounds, "_most": max(1, min(bounds.connections, files - _OWN_FILES))}
    return type("Connection", (Connection,), attributes)


class Connection(HttpToolsProtocol):
    """One connection. A request that comes whole, as nearly all do, starts no timer."""

    bounds: ClassVar[Bounds] = Bounds()
    _most: ClassVar[int] = bounds.connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin; of one connection too many every request is refused."""
        super().connection_made(transport)
        self._part = ""
        self._request = 0
        self._timed = (0, "")
        self._timer: asyncio.TimerHandle | None = None
        self._head = self._read = self._bodiless = self._unread = 0
        self._reading: asyncio.TimerHandle | None = None
        if len(self.connections) > self._most:
            self.app = _refuse
        self._enter("silence")
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._enter("")
        self._set_timer()
        self._watch_reading(begin=False)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, and see to it that the rest comes in time."""
        self._bodiless += len(data)
        super().data_received(data)
        if not self._part and self._is_idle():
            # Line breaks between requests begin none, but they have stopped uvicorn's own clock.
            self._enter("silence")
        if self._timed != (self._request, self._part):
            self._set_timer()
        if self._part == "head":
            self._head += len(data)
            if self._head > self.bounds.head_bytes:
                self._refuse_head()
        else:
            self._head = 0
        if self._part == "body" and self._bodiless > self.bounds.head_bytes:
            self._refuse_head()  # trailers, which are headers too

    def pause_writing(self) -> None:
        """Give a client whose answer waits some time to go on reading."""
        super().pause_writing()
        self._watch_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch_reading(begin=False)

    def timeout_keep_alive_handler(self) -> None:
        """End a connection that is not used; what is not read of the last answer is not waited for without end."""
        super().timeout_keep_alive_handler()
        self._watch_reading()

    def _watch_reading(self, *, begin: bool = True) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        if begin:
            self._unread = self.transport.get_write_buffer_size()
            self._reading = self.loop.call_later(self.bounds.read_seconds, self._check_reading)

    def _check_reading(self) -> None:
        if self.transport.get_write_buffer_size() < self._unread:
            self._watch_reading()
        else:
            self.transport.abort()

    def on_body(self, body: bytes) -> None:
        self._bodiless = 0
        super().on_body(body)

    def on_message_begin(self) -> None:
        self._request += 1
        self._read = 0
        self._enter("head")
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value) + _HEADER_BYTES)
        super().on_header(name, value)

    def _count(self, size: int) -> None:
        """Count what came of a head at once; what is left of that read is then parsed no further."""
        self._read += size
        if self._read > self.bounds.head_bytes:
            raise _HeadTooLarge

    def on_headers_complete(self) -> None:
        self._bodiless = 0
        self._enter("body")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._enter("")
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP in the envelope that every answer has."""
        if self._read > self.bounds.head_bytes:
            self._refuse_head()
        else:
            self._refuse("bad_request", msg)

    def _refuse_head(self) -> None:
        most = self.bounds.head_bytes
        self._refuse("request_too_large", f"The headers are larger than the {most} bytes allowed.")

    def _enter(self, part: str) -> None:
        """Expect this *part* of a request now."""
        self._part = part

    def _is_idle(self) -> bool:
        """Say whether every request so far is answered."""
        last = cast("RequestResponseCycle | None", self.cycle)
        return last is None or last.response_complete

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._timed = (self._request, self._part)
        if self._part:
            bounds = self.bounds
            seconds = bounds.body_seconds + _LATE_SECONDS if self._part == "body" else bounds.head_seconds
            self._timer = self.loop.call_later(seconds, partial(self._late, self._part))

    def _late(self, part: str) -> None:
        self._timer = None
        if part == "head":
            seconds = self.bounds.head_seconds
            self._refuse("bad_request", f"The headers did not come within {seconds:g} seconds.")
        else:
            self.transport.close()

    def _refuse(self, code: str, message: str) -> None:
        """Answer what never became a request, and end the connection."""
        self._enter("")
        self._set_timer()
        if self.transport.is_closing():
            return
        if self._is_idle():
            reply = fault_reply(Fault(code, message), {"connection": "close"})
            lines = [b"HTTP/1.1 %d \r\n" % reply.status_code]
            lines += [b"%s: %s\r\n" % header for header in reply.raw_headers]
            self.transport.write(b"".join([*lines, b"\r\n", bytes(reply.body)]))
        self.transport.close()


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request on a connection too many."""
    fault = Fault("overloaded", "Too many clients are connected.", hint="Come again later.", retry_after=1)
    await fault_reply(fault, {"connection": "close"})(scope, receive, send)
