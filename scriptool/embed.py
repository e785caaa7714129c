"""Embed: serve tools from a thread inside any Python application, with the application's own objects in reach."""

import asyncio
import atexit
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final

from scriptool import web
from scriptool.app import App
from scriptool.application.attachment import Attachment
from scriptool.application.guest import Guests
from scriptool.host import Host
from scriptool.permission import Rules, read_allowance
from scriptool.settings import DEFAULT_PORT, OTHERS_RATE, Settings, choose_folders

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches, and that need no token."""

_PUMP_SECONDS: Final = 0.02


def serve(
    host: Host,
    folder: str | Path | Sequence[str | Path],
    *,
    main_thread_scripts: bool = False,
    port: int = DEFAULT_PORT,
    address: str = "127.0.0.1",
    token: str | None = None,
    shared: bool = False,
    allow: Sequence[str] = (),
) -> "Serving":
    """Serve the tools of *folder* (or of several, the first that has a name wins) over MCP and HTTP, from a thread.

    Returns once clients can connect; from then on the application must call `host.pump()` often. Scripts whose
    definition asks for the main thread run there, in this process and behind no wall, only with *main_thread_scripts*.
    *port* 0 takes any free one. With *shared* the folder that all projects share is searched last. *allow* is what
    tools may reach that ask for it, each as `scriptool serve --allow` takes it: `net=api.example.com`.

    Raises: OSError when the address cannot be had, ValueError when *address* is not a loopback one and no *token* is
    set, or when an *allow* says nothing.
    """
    if token is None and address not in LOOPBACK:
        raise ValueError(f"{address} can be reached by others: set a token")
    named = [folder] if isinstance(folder, str | Path) else folder
    folders = [Path(one) for one in named]
    settings = choose_folders(folders, project=folders[0].absolute(), shared=shared)
    rules = Rules(tuple(read_allowance(one) for one in allow))
    settings = settings.model_copy(
        update={
            "host": address,
            "port": port,
            "token": token,
            "rules": rules,
            "rate": None if address in LOOPBACK else OTHERS_RATE,
        }
    )
    scripts = Guests(host) if main_thread_scripts else None
    serving = Serving(host, settings, Attachment(host, application=True, scripts=scripts))
    serving._start()
    return serving


class Serving:
    """A server at work in a thread of this application, until `close` is called or a `with` block around it ends.

    `url` is where it is reached: MCP at `/mcp`, HTTP at `/tools`.
    """

    url: str

    def __init__(self, host: Host, settings: Settings, attachment: Attachment) -> None:
        self._host = host
        self._settings = settings
        self._attachment = attachment
        self._ready: Future[str] = Future()
        self._stop: Callable[[], None] | None = None
        # A daemon, so that an application that forgets to close ends all the same; it is then closed at exit.
        self._thread = threading.Thread(target=self._run, name="scriptool", daemon=True)

    def __enter__(self) -> "Serving":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving; calls that run are waited for a few seconds. On the main thread it pumps meanwhile."""
        atexit.unregister(self.close)
        asked = False
        while self._thread.is_alive():
            if self._stop is not None and not asked:
                asked = True
                self._stop()
            if threading.current_thread() is threading.main_thread():
                self._host.pump()
            self._thread.join(_PUMP_SECONDS)

    def _start(self) -> None:
        self._thread.start()
        atexit.register(self.close)
        try:
            self.url = self._ready.result()
        except BaseException:
            self.close()
            raise

    def _run(self) -> None:
        try:
            with suppress(asyncio.CancelledError):
                asyncio.run(self._serve())
        except Exception as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)

    async def _serve(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._stop = partial(_call_soon, loop, task.cancel)
        async with App(self._settings, self._attachment) as app:
            await web.serve(app, self._announce)

    def _announce(self, line: str) -> None:
        if not self._ready.done():
            self._ready.set_result(line.split()[-1].rpartition("/")[0])


def _call_soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # it was closed a moment ago
        loop.call_soon_threadsafe(function)
