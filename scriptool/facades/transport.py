"""Transport: calls of the older MCP era over HTTP at half the SDK's cost, and streams that a client may come back to.

The SDK opens an event stream, with four tasks to feed it, for every request. Most calls tell nothing before they end,
so here an answer is plain JSON, as in the newer era, and a stream is opened only when there is something to put on it.
What is put there is kept for a while, since a connection may break: the client then names the last event it has seen.
All else is the SDK's.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import types
from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import (
    GET_STREAM_KEY,
    LAST_EVENT_ID_HEADER,
    EventMessage,
    StreamableHTTPServerTransport,
    check_accept_headers,
)
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.types.version import is_version_at_least
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from scriptool.facades.backlog import Backlog, Ended, read_id
from scriptool.facades.guard import GONE
from scriptool.facades.stream import KEEP_ALIVE_SECONDS, until_gone

_RESUMING: Final = "2025-11-25"
"""Clients of this revision and later know from the first event of a stream that they may come back to it."""

_NOT_RESUMED_BY_THE_SDK: Final = "2025-06-18"
"""What the SDK is told of a request's version: it has no part in resuming."""

_MAX_UNREAD: Final = 16


class Sessions(StreamableHTTPSessionManager):
    """The SDK's sessions, each with a transport of ours."""

    def __init__(self, app: Server[Any], *, max_request_body_size: int) -> None:
        super().__init__(app, max_request_body_size=max_request_body_size)
        self._ended = Ended()

    def _admit_session(self, requestor: AuthorizationContext | None) -> StreamableHTTPServerTransport | None:
        admitted = super()._admit_session(requestor)
        if admitted is None or admitted.mcp_session_id is None:
            return None
        ours = _Transport(admitted.mcp_session_id, self._ended, idle_timeout=self.session_idle_timeout)
        self._server_instances[admitted.mcp_session_id] = ours
        return ours


class _Transport(StreamableHTTPServerTransport):
    """One session's transport; answers calls and listeners itself and leaves everything else to the SDK."""

    def __init__(self, session: str, ended: Ended, *, idle_timeout: float | None) -> None:
        super().__init__(session, idle_timeout=idle_timeout)
        self._ended = ended
        self._numbers = itertools.count()
        self._backlogs: dict[int, Backlog] = {}
        self._listened: Backlog | None = None
        self._keeping: set[asyncio.Task[None]] = set()

    async def _handle_post_request(self, scope: Scope, request: Request, receive: Receive, send: Send) -> None:
        asked = await self._asked_in(request)
        if asked is not None and str(asked.id) in self._request_streams:
            words = f"A request with the id {asked.id!r} is running in this session."
            await self._create_error_response(words, HTTPStatus.BAD_REQUEST)(scope, receive, send)
        elif asked is None or asked.method != "tools/call":
            await super()._handle_post_request(scope, request, receive, send)
        elif await self._validate_request_headers(request, send):
            await self._answer(asked, request, send)

    async def _asked_in(self, request: Request) -> types.JSONRPCRequest | None:
        """Give the request for an answer a body holds; None for anything else, and for what the SDK would refuse."""
        if not all(check_accept_headers(request)) or not self._check_content_type(request):
            return None
        try:
            return types.JSONRPCRequest.model_validate_json(await request.body(), by_name=False)
        except ValueError:
            return None

    async def _answer(self, call: types.JSONRPCRequest, request: Request, send: Send) -> None:
        """Pass *call* on and send what comes back, as JSON if the answer is the first thing to come."""
        assert self._read_stream_writer is not None
        key = str(call.id)
        inlet = self._stream_of(key)
        streaming = False
        try:
            async with _while_connected(request):
                message = self._create_session_message(call, request, key, _NOT_RESUMED_BY_THE_SDK)
                await self._read_stream_writer.send(message)
                first = await _next(inlet)
                if first is not None and _ends(first):
                    await self._create_json_response(first.message)(request.scope, request.receive, send)
                    return
                streaming = True
        finally:
            if not streaming:
                await self._clean_up_memory_streams(key)
        if streaming:
            await self._send(self._backlog_of_call(key, inlet, first, request), 0, request, send)

    async def _handle_get_request(self, request: Request, send: Send) -> None:
        """Let a client listen: to what concerns no call or, coming back, to what followed the last event it names."""
        if not check_accept_headers(request)[1]:
            await super()._handle_get_request(request, send)
        elif await self._validate_request_headers(request, send):
            last = request.headers.get(LAST_EVENT_ID_HEADER)
            stream, position = self._listening() if last is None else self._left(last)
            if stream is None:
                words = f"No event {last[:40]!r} is kept here." if last else "Another connection listens already."
                status = HTTPStatus.BAD_REQUEST if last else HTTPStatus.CONFLICT
                await self._create_error_response(words, status)(request.scope, request.receive, send)
            else:
                await self._send(stream, position, request, send)

    def _listening(self) -> tuple[Backlog | None, int]:
        """Give the stream of what concerns no call, from now on; None while somebody listens."""
        if self._listened is None or self._listened.ended:
            self._listened = self._backlog()
            self._keep(self._listened, GET_STREAM_KEY, self._stream_of(GET_STREAM_KEY))
        return (None, 0) if self._listened.is_read else (self._listened, self._listened.position)

    def _left(self, last: str) -> tuple[Backlog | None, int]:
        """Give the stream that the event *last* is of, and the position after it; None if it is kept no longer."""
        number, position = read_id(last) or (-1, 0)
        return self._backlogs.get(number), position

    def _stream_of(self, key: str) -> MemoryObjectReceiveStream[EventMessage]:
        """Give what the SDK's router puts under *key* from now on."""
        outlet, inlet = anyio.create_memory_object_stream[EventMessage](_MAX_UNREAD)
        self._request_streams[key] = (outlet, inlet)
        return inlet

    def _backlog(self) -> Backlog:
        backlog = Backlog(next(self._numbers))
        self._backlogs[backlog.number] = backlog
        return backlog

    def _backlog_of_call(
        self, key: str, inlet: MemoryObjectReceiveStream[EventMessage], first: EventMessage | None, request: Request
    ) -> Backlog:
        """Give the stream of a call; a client that may come back to it is told so first, and waited for."""
        backlog = self._backlog()
        if is_version_at_least(request.headers.get(MCP_PROTOCOL_VERSION_HEADER, ""), _RESUMING):
            gone: list[Any] = request.scope.get(GONE, [])
            backlog.abandoned += gone
            gone.clear()
            backlog.add("")
        if first is not None:
            backlog.add(_encoded(first))
        self._keep(backlog, key, inlet)
        return backlog

    def _keep(self, backlog: Backlog, key: str, inlet: MemoryObjectReceiveStream[EventMessage]) -> None:
        task = asyncio.create_task(self._fill(backlog, key, inlet))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def _fill(self, backlog: Backlog, key: str, inlet: MemoryObjectReceiveStream[EventMessage]) -> None:
        """Put what comes for *key* into its backlog until the answer has come or the session ends, read or not."""
        try:
            while not backlog.ended:
                event = await _next(inlet)
                if event is not None and (key != GET_STREAM_KEY or not _ends(event)):
                    backlog.add(_encoded(event), last=_ends(event))
                elif event is not None:
                    backlog.end()
        finally:
            if self._request_streams.get(key, (None, None))[1] is inlet:
                await self._clean_up_memory_streams(key)
            self._ended.keep(backlog, partial(self._backlogs.pop, backlog.number))

    async def _send(self, backlog: Backlog, position: int, request: Request, send: Send) -> None:
        """Send what a stream says from *position* on."""
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
        headers.append((b"mcp-session-id", str(self.mcp_session_id).encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async with _while_connected(request) as scope:
            with backlog.read_by(scope):
                async for event in backlog.after(position):
                    await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@asynccontextmanager
async def _while_connected(request: Request) -> AsyncIterator[anyio.CancelScope]:
    """Run the block until the client of *request* hangs up; give the scope that ends it."""
    with anyio.CancelScope() as scope:
        watching = asyncio.create_task(until_gone(request.receive, scope))
        try:
            yield scope
        finally:
            watching.cancel()


async def _next(inlet: MemoryObjectReceiveStream[EventMessage]) -> EventMessage | None:
    """Give the next message of a call, or None when there was none for long; a session that ends answers for it."""
    with anyio.move_on_after(KEEP_ALIVE_SECONDS):
        try:
            return await inlet.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            error = types.ErrorData(code=types.INTERNAL_ERROR, message="The session ended before the call did.")
            return EventMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
    return None


def _ends(event: EventMessage) -> bool:
    return isinstance(event.message, types.JSONRPCResponse | types.JSONRPCError)


def _encoded(event: EventMessage) -> str:
    return event.message.model_dump_json(by_alias=True, exclude_unset=True)
