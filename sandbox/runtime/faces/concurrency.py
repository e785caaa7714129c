"""`asyncio` for scripts: tasks, time and queues on the one loop of the run; no thread and no real loop is given out."""

import asyncio
import functools
import time
import types
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from sandbox.runtime.event_loop import EventLoop
from sandbox.runtime.fields import check_names
from sandbox.runtime.ownership import Ownership
from sandbox.runtime.safe_type import class_meant

_OF_FUTURES = ("as_completed", "ensure_future", "gather", "shield", "wait", "wait_for")


class Concurrency:
    """The parts of that module that need the run's own loop, which *event_loop* gives."""

    def __init__(self, event_loop: Callable[[], EventLoop], own: Ownership) -> None:
        self._event_loop = event_loop
        self._own = own
        self._loop = Loop(event_loop)

    def __repr__(self) -> str:
        return "<asyncio>"

    def names(self) -> dict[str, Any]:
        """Give them by name."""
        return {
            "current_task": self.current_task,
            "get_event_loop": self.get_event_loop,
            "get_running_loop": self.get_running_loop,
            "new_event_loop": self.get_event_loop,
            "run": self.run,
            "set_event_loop": self.set_event_loop,
            "to_thread": to_thread,
            "Future": Future,
            "Task": Task,
        } | {name: self._of_futures(getattr(asyncio, name)) for name in _OF_FUTURES}

    def current_task(self, loop: Any = None) -> Any:  # noqa: ARG002 - taken as CPython does
        """`asyncio.current_task`: loops are looked up by what one asks for, and there is one."""
        return asyncio.current_task()

    def _of_futures(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Give *function* as it is, but that it takes no loop, and objects of the script's own as coroutines only.

        One that said it is a future would name a loop, which is told where the server's own code is at work.
        """

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            check_names(named)
            named.pop("loop", None)
            return function(*map(self._plain, arguments), **{name: self._plain(one) for name, one in named.items()})

        return call

    def _plain(self, given: Any) -> Any:
        """Give *given*, an awaitable or several or something else, with those of the script's own as coroutines."""
        if self._own.has_instance(given):
            return _awaited(given)
        if isinstance(given, Iterable) and not isinstance(given, Awaitable | str):
            return [self._plain(part) for part in given]
        return given

    def run(self, main: Coroutine[Any, Any, Any], *, debug: Any = None, **_options: Any) -> Any:  # noqa: ARG002 - taken as CPython does
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


class _WithoutLoop(type):
    """Classes that stand for one of the library's, which takes the loop it belongs to."""

    _library: type

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        check_names(named)
        named.pop("loop", None)
        return cls._library(*arguments, **named)

    def __instancecheck__(cls, candidate: Any) -> bool:
        return isinstance(candidate, cls._library)

    def __subclasscheck__(cls, candidate: Any) -> bool:
        return issubclass(class_meant(candidate), cls._library)

    def __getitem__(cls, item: Any) -> types.GenericAlias:
        return types.GenericAlias(cls, item)


class Future(metaclass=_WithoutLoop):
    """`asyncio.Future` of the one loop."""

    _library = asyncio.Future


class Task(metaclass=_WithoutLoop):
    """`asyncio.Task` of the one loop."""

    _library = asyncio.Task


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
