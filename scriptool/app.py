"""App: builds all parts and hands them to each other."""

import asyncio
import time
from contextlib import AsyncExitStack
from types import TracebackType

from sandbox import Sandbox
from scriptool.attachment import Attachment
from scriptool.builtin import builtins
from scriptool.dispatcher import Dispatcher
from scriptool.history import History
from scriptool.library import Library
from scriptool.settings import Settings
from scriptool.standalone import ServerView, Standalone
from scriptool.watch import watch


class App:
    """One scriptool at work. An async context manager; lives as long as the server.

    *attachment* leads to the application it is served from; without one its probes read the server itself.
    """

    def __init__(self, settings: Settings, attachment: Attachment | None = None) -> None:
        self.settings = settings
        self.sandbox = Sandbox(weak=settings.weak_sandbox)
        self.history = History()
        standalone = Standalone(self._view, settings.probe_types)
        self.library = Library(settings, self.sandbox, attachment or Attachment(standalone))
        self.dispatcher = Dispatcher(self.library, self.history)
        self.started = time.monotonic()
        self._exits = AsyncExitStack()

    async def __aenter__(self) -> "App":
        await self._exits.enter_async_context(self.sandbox)
        await self._exits.enter_async_context(self.library)
        self.library.add_builtins(list(builtins(self.library)))
        if self.settings.watch:
            watching = asyncio.create_task(
                watch(self.library, self.settings.folders, poll=self.settings.poll), name="watch"
            )
            self._exits.push_async_callback(_ended, watching)
        return self

    def _view(self) -> ServerView:
        return ServerView(self.library, self.sandbox, self.history)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._exits.aclose()


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
