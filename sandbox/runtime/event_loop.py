"""The event loop that async scripts run on: a stock asyncio loop over poll that holds no descriptor."""

import asyncio
import contextlib
import functools
import selectors
from asyncio import coroutines, format_helpers
from collections.abc import Callable, Coroutine
from typing import Any

from sandbox.runtime.cut import cut
from sandbox.runtime.ownership import running
from sandbox.runtime.report import LIBRARY


class _PollLoop(asyncio.SelectorEventLoop):
    """A loop without the pipe that wakes it: only other threads and signals do that, and a child has neither.

    So it can be made once, before all children are forked, and they share nothing by it.
    """

    def __init__(self) -> None:
        super().__init__(selectors.PollSelector())

    def _make_self_pipe(self) -> None:
        self._ssock = self._csock = None

    def _close_self_pipe(self) -> None:
        """There is none."""


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Give a loop that needs no system call but poll."""
    return _PollLoop()


@functools.cache
def _tell_no_paths() -> None:
    """From now on, tell a script of a task without the path under which the library lies."""
    for module, name in ((format_helpers, "_format_callback_source"), (coroutines, "_format_coroutine")):
        setattr(module, name, _without_paths(getattr(module, name)))


def _without_paths(tell: Callable[..., str]) -> Callable[..., str]:
    def told(*arguments: Any, **named: Any) -> str:
        text = tell(*arguments, **named)
        return text if running.own is None else text.replace(LIBRARY, "")

    return told


class EventLoop:
    """One loop for all that a run awaits; what is left over of a coroutine's tasks is cancelled when it ends.

    Lives as long as its process; `close` is for processes that outlive the run. Only a loop that *new_loop* makes with
    a pipe can be woken.
    """

    def __init__(
        self, tell: Callable[[str], None], new_loop: Callable[[], asyncio.AbstractEventLoop] = new_event_loop
    ) -> None:
        _tell_no_paths()
        self._tell = tell
        self._loop = new_loop()
        self._loop.set_exception_handler(self._note)

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run *coroutine* to its end and give its value. Raises what it raises."""
        if asyncio._get_running_loop() is not None:
            coroutine.close()
            raise RuntimeError("asyncio.run() cannot be called from a running event loop; use await")
        loop = self._loop
        task = loop.create_task(coroutine)
        try:
            return loop.run_until_complete(task)
        finally:
            leftover = [other for other in asyncio.all_tasks(loop) if not other.done()]
            for other in leftover:
                other.cancel()
            if leftover:
                loop.run_until_complete(asyncio.gather(*leftover, return_exceptions=True))
            with contextlib.closing(loop.shutdown_asyncgens()) as shutdown:
                loop.run_until_complete(shutdown)

    def wake(self) -> None:
        """End a wait of the loop, from another thread."""
        with contextlib.suppress(RuntimeError):  # it was closed a moment ago
            self._loop.call_soon_threadsafe(lambda: None)

    def close(self) -> None:
        """Give the loop's descriptors back."""
        self._loop.close()

    def _note(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        told = f"{type(error).__name__}: {error}" if error is not None else ""
        self._tell(cut(f"{context.get('message', 'an asyncio task failed')}: {told}", 500))
