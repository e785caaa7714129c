"""Web: all routes as one Starlette application, and serving it until a signal comes."""

import asyncio
import contextlib
import gc
import math
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Final

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox import Fault
from scriptool.app import App
from scriptool.connection import Bounds, bounded, raise_file_limit
from scriptool.facades import debug, http
from scriptool.facades.events import Events
from scriptool.facades.guard import Admission, Guard
from scriptool.facades.mcp import Mcp
from scriptool.facades.metrics import Metrics
from scriptool.facades.rate import Rate
from scriptool.facades.reply import fault_reply
from scriptool.facades.stdio import stdio
from scriptool.instance import noted
from scriptool.settings import Settings

GRACE_SECONDS: Final = 5
"""How long calls that still run may take to end once a signal has come."""

_BOUNDS: Final = Bounds()

_LAST_SECONDS: Final = 3
"""How long clients may take to read the last answers."""


def build(app: App, bounds: Bounds = _BOUNDS) -> Starlette:
    """Give the web application of a running *app*; its lifespan keeps MCP sessions."""
    mcp, events, settings = Mcp(app), Events(app), app.settings
    metrics = Metrics(app, {"events": lambda: events.listening, "mcp_sessions": lambda: mcp.sessions})

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with mcp.running(), anyio.create_task_group() as tasks:
            tasks.start_soon(events.feed)
            yield
            tasks.cancel_scope.cancel()

    def close() -> None:
        mcp.close()
        events.close()

    application = Starlette(
        routes=[
            *http.routes(app),
            Route("/mcp", mcp),
            Route("/mcp/", mcp),
            *events.routes(),
            *metrics.routes(),
            *debug.routes(app),
        ],
        middleware=[_guarding(settings, bounds)],
        exception_handlers={HTTPException: _refused},
        lifespan=lifespan,
    )
    application.router.redirect_slashes = False
    application.state.close = close
    return application


def _guarding(settings: Settings, bounds: Bounds) -> Middleware:
    admission = Admission(settings.host, settings.allowed_hosts, settings.allowed_origins, settings.token)
    rate = Rate(settings.rate)
    return Middleware(
        Guard, admission=admission, max_body=settings.max_body, body_seconds=bounds.body_seconds, rate=rate
    )


async def serve(
    app: App, announce: Callable[[str], None], *, grace: float = GRACE_SECONDS, bounds: Bounds = _BOUNDS
) -> None:
    """Serve *app* over HTTP until a signal comes; *announce* is given each line that says where, once it is true.

    Calls that run *grace* seconds after the signal are answered with `shutting_down`.
    Raises: OSError when the address cannot be had.
    """
    settings = app.settings
    application = build(app, bounds)
    if threading.current_thread() is threading.main_thread():
        # In a thread of an application its limits are its own.
        raise_file_limit(bounds)
    listener = _listen(settings.host, settings.port)
    config = uvicorn.Config(
        application,
        http=bounded(bounds),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=math.ceil(grace) + _LAST_SECONDS,
        # The peer's own address counts; what a header claims about it is the proxy's business.
        proxy_headers=False,
        ws="none",
    )
    url = f"http://{_shown(settings.host)}:{listener.getsockname()[1]}"

    def ready() -> None:
        for name, path in (("Tools", "/tools"), ("MCP", "/mcp"), ("Debug", "/debug")):
            announce(f"{name + ':':<7}{url}{path}")

    async def close() -> None:
        application.state.close()
        await anyio.sleep(grace)
        await app.sandbox.__aexit__(None, None, None)

    with listener, noted(settings, url):
        await _Server(config, ready, close).serve([listener])


async def serve_stdio(app: App) -> None:
    """Serve *app* over MCP on the standard streams until the client closes them or a signal comes."""
    mcp = Mcp(app)
    with anyio.CancelScope() as scope, _signals(scope.cancel):
        async with mcp.running(http=False), stdio() as (read, write):
            await mcp.server.run(read, write, mcp.server.create_initialization_options())


class _Server(uvicorn.Server):
    """uvicorn, but one that says when it is ready, ends open streams first, and leaves the process to its owner."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], close: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._close = close

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal comes or the task is cancelled; calls that run are waited for in both cases."""
        try:
            await super().serve(sockets)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await self.shutdown(sockets)
            raise

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            if threading.current_thread() is threading.main_thread():
                # What was imported stays; the collector need not look at it again in the middle of a call. In a thread
                # of an application it is the application's to decide.
                gc.collect()
                gc.freeze()
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._close)
            await super().shutdown(sockets)
            tasks.cancel_scope.cancel()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn's own sends the signal to this process again at the end, which would kill it with tools still running.
        with _signals(self._stop):
            yield

    def _stop(self) -> None:
        """Stop; when asked a second time, without waiting for calls that run."""
        self.force_exit = self.should_exit
        self.should_exit = True


@contextlib.contextmanager
def _signals(handler: Callable[[], object]) -> Iterator[None]:
    """Have *handler* called when this process is asked to end; only a main thread is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    chosen = (signal.SIGINT, signal.SIGTERM)
    for one in chosen:
        loop.add_signal_handler(one, handler)
    try:
        yield
    finally:
        for one in chosen:
            loop.remove_signal_handler(one)


def _listen(host: str, port: int) -> socket.socket:
    """Take the address now, so that a failure is said before anything else is started."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every answer waits 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(False)
    return listener


def _shown(host: str) -> str:
    """Give the host as a URL that works on this machine shows it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]" if ":" in host else host


async def _refused(request: Request, error: Exception) -> Response:
    """Answer in our envelope what the router refused."""
    assert isinstance(error, HTTPException)
    path = request.url.path[:200]
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        message = f"{path} does not take {request.method}."
        return fault_reply(Fault("method_not_allowed", message, hint=f"It takes {allowed}."), error.headers)
    return fault_reply(Fault("not_found", f"There is nothing at {path}.", hint="GET / lists what there is."))
