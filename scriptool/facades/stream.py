"""Stream: server-sent events as an HTTP response, ended when either side is done."""

import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

KEEP_ALIVE_SECONDS: Final = 15.0
"""A silent stream says this often that it is alive, so that proxies do not close it."""

MAX_UNREAD: Final = 1000
"""Events kept for a client that reads slowly."""


@dataclass(frozen=True)
class Event:
    """One event: its *kind*, its *data* (JSON), and, where a client may come back for what follows it, an *id*."""

    kind: str
    data: Any
    id: str | None = None

    @cached_property
    def encoded(self) -> bytes:
        """Give the event as it goes over the wire; JSON text has no line breaks, so `data` is one line."""
        head = f"id: {self.id}\n" if self.id is not None else ""
        data = json.dumps(self.data, ensure_ascii=False, allow_nan=False)
        return f"{head}event: {self.kind}\ndata: {data}\n\n".encode("utf-8", "replace")


Outlet = MemoryObjectSendStream[Event]
"""Where the producer of a stream puts its events; `tell` puts without waiting, `send` waits for room."""


def tell(outlet: Outlet, event: Event) -> None:
    """Put *event* without waiting; it is dropped when the client has left too many unread, or is gone."""
    with contextlib.suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
        outlet.send_nowait(event)


class EventStream(Response):
    """Answers with what *produce* puts into its outlet, as it comes. A client that hangs up cancels the producer."""

    media_type = "text/event-stream"

    def __init__(self, produce: Callable[[Outlet], Awaitable[None]]) -> None:
        # The second header keeps nginx from collecting the events until its buffer is full.
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._produce = produce

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the producer ends or the client hangs up."""
        outlet, inlet = anyio.create_memory_object_stream[Event](MAX_UNREAD)
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(until_gone, receive, tasks.cancel_scope)
            tasks.start_soon(self._run, outlet)
            with inlet:
                await _copy(inlet, send)
            tasks.cancel_scope.cancel()

    async def _run(self, outlet: Outlet) -> None:
        with outlet:
            await self._produce(outlet)


async def _copy(inlet: MemoryObjectReceiveStream[Event], send: Send) -> None:
    """Pass events on until there are no more, with a sign of life in every long silence."""
    while True:
        body = b": still here\n\n"
        with anyio.move_on_after(KEEP_ALIVE_SECONDS):
            try:
                body = (await inlet.receive()).encoded
            except anyio.EndOfStream:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                return
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """Cancel *scope* once the client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
