"""App: builds all parts and hands them to each other."""

import asyncio
import time
from contextlib import AsyncExitStack
from types import TracebackType

from sandbox import Sandbox
from scriptool.builtin import builtins
from scriptool.dispatcher import Dispatcher
from scriptool.history import History
from scriptool.library import Library
from scriptool.settings import Settings
from scriptool.watch import watch


class App:
    """One scriptool at work. An async context manager; lives as long as the server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sandbox = Sandbox(weak=settings.weak_sandbox)
        self.history = History()
        self.library = Library(settings, self.sandbox)
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

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._exits.aclose()


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
