"""App: builds all parts and hands them to each other."""

import asyncio
import os
import time
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType

from sandbox import Sandbox
from scriptool.application.attachment import Attachment
from scriptool.builtin import builtins
from scriptool.capability.broker import Broker
from scriptool.capability.files import Files
from scriptool.capability.vault import Vault, masked_logs
from scriptool.dispatcher import Dispatcher
from scriptool.folders.library import Library
from scriptool.folders.watch import watch
from scriptool.history import History
from scriptool.jobs import Jobs
from scriptool.offers.own_resources import own_resources
from scriptool.offers.prompter import Prompter
from scriptool.offers.reader import Reader
from scriptool.offload import Offload
from scriptool.permission import tool_place
from scriptool.questions import Questions
from scriptool.settings import Settings
from scriptool.standalone import ServerView, Standalone


class App:
    """One scriptool at work. An async context manager; lives as long as the server.

    *attachment* leads to the application it is served from; without one its probes read the server itself.
    """

    def __init__(self, settings: Settings, attachment: Attachment | None = None) -> None:
        self.settings = settings
        self.sandbox = Sandbox(weak=settings.weak_sandbox, modules=settings.modules)
        self.history = History()
        self.offload = Offload()
        standalone = Standalone(self._view, settings.probe_types)
        self.library = Library(settings, self.sandbox, attachment or Attachment(standalone))
        files = Files(self._place, settings.secret_files, self._private)
        self.broker = Broker(files, Vault(settings.secret_files), self._name)
        self.questions = Questions()
        self.dispatcher = Dispatcher(
            self.library, self.history, self.broker, settings.rules, self.questions, self.offload
        )
        self.jobs = Jobs(self.dispatcher.call)
        own = own_resources(self.library, self.history, lambda: self.broker.vault.mask)
        self.reader = Reader(self.library, self.dispatcher.call, tuple(own), self._operators_files())
        self.prompter = Prompter(self.library, self.reader)
        self.started = time.monotonic()
        self._exits = AsyncExitStack()

    async def __aenter__(self) -> "App":
        self._exits.callback(self.offload.close)
        await self._exits.enter_async_context(self.sandbox)
        await self._exits.enter_async_context(self.broker)
        await self._exits.enter_async_context(self.library)
        self._exits.enter_context(masked_logs(self.broker.vault))
        await self._exits.enter_async_context(self.jobs)
        self.library.add_builtins(list(builtins(self.library, self.jobs)))
        if self.settings.watch:
            watching = asyncio.create_task(
                watch(self.library, self.settings.folders, poll=self.settings.poll), name="watch"
            )
            self._exits.push_async_callback(_ended, watching)
        return self

    def _name(self, name: str) -> str:
        return self.library.name(name)

    def _place(self, path: str) -> str | None:
        """Say what no script may write to: tools, and what the operator decides by. Blocks."""
        if self._private(path) or any(os.path.realpath(file) == path for file in self._operators_files()):
            return "the operator's files"
        return self.library.place(path) or tool_place(path, self._tools_in_data())

    def _private(self, path: str) -> bool:
        """Say whether a real path lies in the data folder, but not among the tools there. Blocks."""
        data = os.path.realpath(self.settings.data)
        return Path(path).is_relative_to(data) and not Path(path).is_relative_to(f"{data}/tools")

    def _tools_in_data(self) -> list[Path]:
        """Give the tools folders of all projects: another server may search them. Blocks."""
        tools = Path(os.path.realpath(self.settings.data)) / "tools"
        return list(tools.iterdir()) if tools.is_dir() else []

    def _operators_files(self) -> list[Path]:
        """Give the files that the operator decides by."""
        return [file for file in (self.settings.config, *self.settings.secret_files) if file is not None]

    def _view(self) -> ServerView:
        return ServerView(self.library, self.sandbox, self.history)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._exits.aclose()


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
