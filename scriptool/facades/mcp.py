"""MCP: the tools, prompts and resources for agents, over Streamable HTTP and stdio, in both eras of the protocol."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import anyio
from mcp import types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)
from starlette.types import Receive, Scope, Send

from scriptool import __version__
from scriptool.app import App
from scriptool.facades.calls import Calls, Request, is_modern
from scriptool.facades.listing import Listing
from scriptool.facades.offers import Offers
from scriptool.facades.relay import LEVELS
from scriptool.facades.sealing import kept_key, sealing
from scriptool.facades.transport import Sessions
from scriptool.facades.updates import Updates
from scriptool.folders.catalog import Catalog

_log = logging.getLogger("scriptool.mcp")

_INSTRUCTIONS: Final = (
    "Each tool is a Python file in a folder, run in a sandbox. Files may be edited at any time; the next call runs the "
    "new text. When a tool fails, its answer names the file, the line and how to mend it."
)

_SEND_SECONDS: Final = 1.0
"""How long one client may take to accept a notification before it goes without."""


class Mcp:
    """Serves the tools of an App over MCP. Lives as long as the server; `running` must be entered once."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._listing = Listing()
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._updates = Updates(app, self._bus, self._listen)
        self._sessions: set[ServerSession] = set()
        self.server = _Server(
            "scriptool",
            version=__version__,
            title="scriptool",
            instructions=_INSTRUCTIONS,
            on_subscriptions_listen=self._updates.listen,
            get_tool_input_schema=self._mirrored_schema,
        )
        self.server.add_request_handler("tools/list", types.PaginatedRequestParams, self._list)
        self.server.add_request_handler("tools/call", types.CallToolRequestParams, Calls(app, self._listing))
        Offers(app).register(self.server)
        self.server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self._updates.subscribe)
        self.server.add_request_handler(
            "resources/unsubscribe", types.UnsubscribeRequestParams, self._updates.unsubscribe
        )
        self.server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _set_level)
        # In place of the tracing that the SDK puts there: nothing here exports traces.
        self.server.middleware[:] = [self._remember_session]
        # No security settings: the guard around all routes has checked Host, Origin and the size of the body.
        self._manager = Sessions(self.server, max_request_body_size=app.settings.max_body)

    @property
    def sessions(self) -> int:
        """Give how many clients of the older era are connected."""
        return len(self._sessions)

    @asynccontextmanager
    async def running(self, *, http: bool = True) -> AsyncIterator[None]:
        """Announce changed lists, and with *http* keep sessions, while the block runs."""
        key = await asyncio.to_thread(kept_key, self._app.settings.data / "request-state.key")
        self.server.middleware.append(sealing(key))
        async with self._updates.running(), anyio.create_task_group() as tasks:
            for change in _CHANGES:
                tasks.start_soon(self._announce, change)
            try:
                if http:
                    async with self._manager.run():
                        yield
                else:
                    yield
            finally:
                self.close()
                tasks.cancel_scope.cancel()

    def close(self) -> None:
        """End the streams that would otherwise stay open: those on which clients listen for changes."""
        self._listen.close()
        for transport in list(self._manager._server_instances.values()):
            transport.close_standalone_sse_stream()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request (ASGI)."""
        await self._manager.asgi_app(scope, receive, send)

    async def _list(self, request: Request, params: types.PaginatedRequestParams) -> dict[str, Any]:
        catalog = await self._app.library.fresh()
        return self._listing.page(catalog, modern=is_modern(request), cursor=params.cursor)

    def _mirrored_schema(self, name: str) -> Mapping[str, Any] | None:
        """Give the input schema of a tool whose arguments clients must mirror in headers; None for all others."""
        tool = self._app.library.catalog.tools.get(name)
        return tool.input.document if tool is not None and self._listing.mirrors(tool) else None

    async def _remember_session(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        """Keep each session of the older era from its first moment to its end: the SDK cannot list them."""
        if ctx.method == "notifications/initialized":
            session = ctx.session
            self._sessions.add(session)
            session._connection.exit_stack.callback(self._sessions.discard, session)
        return await call_next(ctx)

    async def _announce(self, change: "_Change") -> None:
        """Tell every client whose list is out of date, once the new one is live."""
        async for _catalog in self._app.library.changes(change.same):
            await self._bus.publish(change.event)
            async with anyio.create_task_group() as tasks:
                for session in list(self._sessions):
                    tasks.start_soon(_send_changed, session, change)


class _Change(NamedTuple):
    """A list that may change: when two catalogs have the *same*, and how clients of each era are told that not."""

    same: Callable[[Catalog, Catalog], bool]
    event: ServerEvent
    send: Callable[[ServerSession], Awaitable[None]]


_CHANGES: Final = (
    _Change(Catalog.same_tools, ToolsListChanged(), ServerSession.send_tool_list_changed),
    _Change(Catalog.same_prompts, PromptsListChanged(), ServerSession.send_prompt_list_changed),
    _Change(Catalog.same_resources, ResourcesListChanged(), ServerSession.send_resource_list_changed),
)


class _Server(Server[Any]):
    """The SDK's server, but one that says to older clients too that it announces changed lists."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(
            prompts_changed=True, resources_changed=True, tools_changed=True
        )
        return super().create_initialization_options(options, experimental_capabilities, extensions)


async def _set_level(request: Request, params: types.SetLevelRequestParams) -> types.EmptyResult:
    request.session._connection.state[LEVELS] = params.level
    return types.EmptyResult()


async def _send_changed(session: ServerSession, change: _Change) -> None:
    with anyio.move_on_after(_SEND_SECONDS):
        try:
            await change.send(session)
        except Exception:
            _log.info("a client could not be told that a list changed", exc_info=True)
