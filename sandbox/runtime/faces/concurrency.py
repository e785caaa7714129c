"""`asyncio` for scripts: tasks, time and queues on the one loop of the run; no thread and no real loop is given out."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from sandbox.runtime.event_loop import EventLoop


class Concurrency:
    """The parts of that module that need the run's own loop, which *event_loop* gives."""

    def __init__(self, event_loop: Callable[[], EventLoop]) -> None:
        self._event_loop = event_loop
        self._loop = Loop(event_loop)

    def __repr__(self) -> str:
        return "<asyncio>"

    def names(self) -> dict[str, Any]:
        """Give them by name."""
        return {
            "get_event_loop": self.get_event_loop,
            "get_running_loop": self.get_running_loop,
            "new_event_loop": self.get_event_loop,
            "run": self.run,
            "set_event_loop": self.set_event_loop,
            "to_thread": to_thread,
        }

    def run(self, main: Coroutine[Any, Any, Any], *, debug: Any = None, **_options: Any) -> Any:  # noqa: ARG002
        """`asyncio.run`; its options choose how a loop of its own would be made, and there is one loop for all."""
        if not hasattr(main, "send"):
            raise ValueError(f"a coroutine was expected, got {main!r}")
        return self._event_loop().run(main)

    def get_event_loop(self) -> "Loop":
        """`asyncio.get_event_loop` and `new_event_loop`: there is one."""
        return self._loop

    def get_running_loop(self) -> "Loop":
        """`asyncio.get_running_loop`."""
        asyncio.get_running_loop()  # raises where there is none
        return self._loop

    def set_event_loop(self, loop: Any) -> None:
        """`asyncio.set_event_loop`: there is one."""


class Loop:
    """What scripts get for the event loop: the methods that older code calls on it."""

    def __init__(self, event_loop: Callable[[], EventLoop]) -> None:
        self._event_loop = event_loop

    def __repr__(self) -> str:
        return "<event loop>"

    def run_until_complete(self, future: Awaitable[Any]) -> Any:
        """Run an awaitable to its end and give its value."""
        return self._event_loop().run(_awaited(future))

    def create_task(self, coroutine: Coroutine[Any, Any, Any], **options: Any) -> Any:
        """Start a task."""
        return asyncio.create_task(coroutine, **options)

    def create_future(self) -> Any:
        """Give a future of the running loop."""
        return asyncio.get_running_loop().create_future()

    def run_in_executor(self, _executor: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call *function*: there are no threads, so it runs on the loop."""
        return asyncio.ensure_future(to_thread(function, *arguments))

    def call_soon(self, callback: Callable[..., Any], *arguments: Any) -> Any:
        """Call *callback* in the next round."""
        return asyncio.get_running_loop().call_soon(callback, *arguments)

    def call_later(self, delay: float, callback: Callable[..., Any], *arguments: Any) -> Any:
        """Call *callback* after *delay* seconds."""
        return asyncio.get_running_loop().call_later(delay, callback, *arguments)

    def time(self) -> float:
        """Give the loop's clock, in seconds."""
        return time.monotonic()

    def is_running(self) -> bool:
        """Say whether a coroutine runs."""
        return asyncio._get_running_loop() is not None

    def is_closed(self) -> bool:
        """It is there as long as the run."""
        return False

    def close(self) -> None:
        """It is there as long as the run."""


async def _awaited(future: Awaitable[Any]) -> Any:
    return await future


async def to_thread(function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    """`asyncio.to_thread`: there are no threads, so the function runs here and now."""
    return function(*arguments, **named)
