"""Updates: tells MCP clients of either era which of the resources they subscribed to read differently now."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp import types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, SubscriptionBus
from mcp.shared.exceptions import MCPError

from scriptool.app import App
from scriptool.definitions.uritemplate import MAX_URI
from scriptool.facades.calls import Request

_log = logging.getLogger("scriptool.mcp")

MAX_WATCHED: Final = 1000
"""Most resources one client may subscribe to."""

_PAUSE_SECONDS: Final = 0.05
"""How long changes are gathered before it is looked what they changed."""

_SEND_SECONDS: Final = 1.0


class Updates:
    """Subscriptions to resources. Lives as long as the server; `running` must be entered once."""

    def __init__(self, app: App, bus: SubscriptionBus, listen: ListenHandler) -> None:
        self._app = app
        self._bus = bus
        self._listen = listen
        self._moved = asyncio.Event()
        self._stamps: dict[str, object] = {}
        self._watchers: Counter[str] = Counter()
        self._sessions: dict[ServerSession, set[str]] = {}

    async def listen(
        self, request: Request, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answer `subscriptions/listen`, and watch meanwhile the resources it names."""
        uris = set(params.notifications.resource_subscriptions or ())
        _check(uris)
        await self._watch(uris)
        try:
            return await self._listen(request, params)
        finally:
            self._leave(uris)

    async def subscribe(self, request: Request, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/subscribe` of the older era; the subscription ends with the session."""
        session, uri = request.session, str(params.uri)
        uris = self._sessions.get(session)
        if uris is None:
            uris = self._sessions[session] = set()
            session._connection.exit_stack.callback(self._gone, session)
        _check({*uris, uri})
        if uri not in uris:
            uris.add(uri)
            await self._watch({uri})
        return types.EmptyResult()

    async def unsubscribe(self, request: Request, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/unsubscribe` of the older era."""
        uris, uri = self._sessions.get(request.session, set()), str(params.uri)
        if uri in uris:
            uris.discard(uri)
            self._leave({uri})
        return types.EmptyResult()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Tell clients of updates while the block runs."""
        wake = self._wake
        self._app.history.listeners.append(wake)
        library = self._app.library
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._whenever, library.looks)
                tasks.start_soon(self._whenever, library.published)
                tasks.start_soon(self._tell)
                yield
                tasks.cancel_scope.cancel()
        finally:
            self._app.history.listeners.remove(wake)

    def _wake(self, _call: object = None) -> None:
        self._moved.set()

    async def _whenever(self, happens: Callable[[], Awaitable[Any]]) -> None:
        while True:
            await happens()
            self._wake()

    async def _watch(self, uris: set[str]) -> None:
        self._watchers.update(uris)
        new = uris - self._stamps.keys()
        self._stamps |= await asyncio.to_thread(self._now, new)

    def _leave(self, uris: set[str]) -> None:
        self._watchers.subtract(uris)
        for uri in uris:
            if self._watchers[uri] <= 0:
                del self._watchers[uri]
                self._stamps.pop(uri, None)

    def _gone(self, session: ServerSession) -> None:
        self._leave(self._sessions.pop(session, set()))

    def _now(self, uris: Iterable[str]) -> dict[str, object]:
        """Give the stamp of each resource. Blocks."""
        return {uri: self._app.reader.stamp(uri) for uri in uris}

    async def _tell(self) -> None:
        while True:
            await self._moved.wait()
            await asyncio.sleep(_PAUSE_SECONDS)
            self._moved.clear()
            if not self._stamps:
                continue
            try:
                now = await asyncio.to_thread(self._now, list(self._stamps))
                changed = [uri for uri, stamp in now.items() if uri in self._stamps and stamp != self._stamps[uri]]
                self._stamps |= {uri: now[uri] for uri in changed}
                for uri in changed:
                    await self._send(uri)
            except Exception:
                # Our own bug: it must not end the updates of whatever changes later.
                _log.exception("telling of updated resources failed inside the server")

    async def _send(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=uri))
        async with anyio.create_task_group() as tasks:
            for session, uris in list(self._sessions.items()):
                if uri in uris:
                    tasks.start_soon(_send_updated, session, uri)


def _check(uris: set[str]) -> None:
    if len(uris) > MAX_WATCHED or any(len(uri) > MAX_URI for uri in uris):
        message = f"A client may subscribe to {MAX_WATCHED} resources, each of {MAX_URI} characters, at most."
        raise MCPError(types.INVALID_PARAMS, message)


async def _send_updated(session: ServerSession, uri: str) -> None:
    with anyio.move_on_after(_SEND_SECONDS):
        try:
            await session.send_resource_updated(uri)
        except Exception:
            _log.info("a client could not be told that a resource was updated", exc_info=True)
