"""Transport: calls of the older MCP era over HTTP at half the SDK's cost.

The SDK opens an event stream, with four tasks to feed it, for every request. Most calls tell nothing before they end,
so here an answer is plain JSON, as in the newer era, and a stream is opened only when there is something to put on it.
All else is the SDK's.
"""

import asyncio
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import types
from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
from mcp.server.streamable_http import EventMessage, StreamableHTTPServerTransport, check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from scriptool.facades.stream import KEEP_ALIVE_SECONDS, until_gone

_VERSION: Final = "2025-06-18"
"""What the SDK asks a version for: whether the client can resume streams, which are none here."""

_MAX_UNREAD: Final = 16


class Sessions(StreamableHTTPSessionManager):
    """The SDK's sessions, each with a transport of ours."""

    def _admit_session(self, requestor: AuthorizationContext | None) -> StreamableHTTPServerTransport | None:
        admitted = super()._admit_session(requestor)
        if admitted is None or admitted.mcp_session_id is None:
            return None
        ours = _Transport(admitted.mcp_session_id, idle_timeout=self.session_idle_timeout)
        self._server_instances[admitted.mcp_session_id] = ours
        return ours


class _Transport(StreamableHTTPServerTransport):
    """One session's transport; answers calls itself and leaves everything else to the SDK."""

    async def _handle_post_request(self, scope: Scope, request: Request, receive: Receive, send: Send) -> None:
        call = await self._call_in(request)
        if call is None:
            await super()._handle_post_request(scope, request, receive, send)
        elif await self._validate_request_headers(request, send):
            with anyio.CancelScope() as scope_of_call:
                watching = asyncio.create_task(until_gone(receive, scope_of_call))
                try:
                    await self._answer(call, request, send)
                finally:
                    watching.cancel()
                    await self._clean_up_memory_streams(str(call.id))

    async def _call_in(self, request: Request) -> types.JSONRPCRequest | None:
        """Give the call a request holds; None for anything else, and for what the SDK would refuse."""
        if not all(check_accept_headers(request)) or not self._check_content_type(request):
            return None
        try:
            message = types.JSONRPCRequest.model_validate_json(await request.body(), by_name=False)
        except ValueError:
            return None
        return message if message.method == "tools/call" else None

    async def _answer(self, call: types.JSONRPCRequest, request: Request, send: Send) -> None:
        """Pass *call* on and send what comes back, as JSON if the answer is the first thing to come."""
        assert self._read_stream_writer is not None
        key = str(call.id)
        outlet, inlet = anyio.create_memory_object_stream[EventMessage](_MAX_UNREAD)
        self._request_streams[key] = (outlet, inlet)
        await self._read_stream_writer.send(self._create_session_message(call, request, key, _VERSION))
        first = await _next(inlet)
        if first is not None and _ends(first):
            await self._create_json_response(first.message)(request.scope, request.receive, send)
            return
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
        headers.append((b"mcp-session-id", str(self.mcp_session_id).encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        event = first
        while event is None or not _ends(event):
            await send({"type": "http.response.body", "body": _encoded(event), "more_body": True})
            event = await _next(inlet)
        await send({"type": "http.response.body", "body": _encoded(event), "more_body": False})


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


def _encoded(event: EventMessage | None) -> bytes:
    if event is None:
        return b": still here\r\n\r\n"
    data = event.message.model_dump_json(by_alias=True, exclude_unset=True)
    return f"event: message\r\ndata: {data}\r\n\r\n".encode()
