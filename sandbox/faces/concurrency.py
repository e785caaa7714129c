"""`asyncio` for scripts: tasks, time and queues on the one loop of the run; no loop, thread or stream is handed out."""

from collections.abc import Callable, Coroutine
from typing import Any

from sandbox.event_loop import EventLoop


class Concurrency:
    """The parts of that module that need the run's own loop, which *event_loop* gives."""

    def __init__(self, event_loop: Callable[[], EventLoop]) -> None:
        self._event_loop = event_loop

    def names(self) -> dict[str, Any]:
        """Give them by name."""
        return {"run": self.run, "to_thread": to_thread}

    def run(self, main: Coroutine[Any, Any, Any], *, debug: Any = None, **_options: Any) -> Any:  # noqa: ARG002
        """`asyncio.run`."""
        if not hasattr(main, "send"):
            raise ValueError(f"a coroutine was expected, got {main!r}")
        return self._event_loop().run(main)


async def to_thread(function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    """`asyncio.to_thread`: there are no threads, so the function runs here and now."""
    return function(*arguments, **named)
