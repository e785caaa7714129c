"""Main thread: a queue of what other threads want done there, and `pump`, which does it. Standard library only."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

Schedule = Callable[[Callable[[], object]], object]
"""Has a function called soon on the application's main thread: `loop.call_soon_threadsafe`, a toolkit's own queue."""


class NotPumped(TimeoutError):
    """The application's main thread did not begin with what was asked of it in time; it will not begin any more."""


class StillRunning(TimeoutError):
    """The application's main thread began with what was asked of it and has not ended in time."""


class MainThread:
    """Work for one thread, from any other; lives as long as the application.

    With *schedule* each piece of work asks for a `pump` by itself; without, the application pumps from its loop.
    """

    def __init__(self, schedule: Schedule | None = None) -> None:
        self._schedule = schedule
        self._waiting: deque[_Job] = deque()
        self._pumping = threading.Lock()

    def pump(self) -> int:
        """Do what waits, in order, on this thread; give how many pieces that were.

        What is added meanwhile waits for the next pump, so that it comes back. While another pump is under way, also
        further up this very thread, it does nothing.
        """
        if not self._pumping.acquire(blocking=False):
            return 0
        try:
            return self.go_on()
        finally:
            self._pumping.release()

    def go_on(self) -> int:
        """Do what waits in the middle of a piece of work that waits itself, on the thread that does that one."""
        count = 0
        for _ in range(len(self._waiting)):
            if not self._waiting:  # what was done here went on with the rest itself
                break
            count += self._waiting.popleft().do()
        return count

    async def run(self, function: Callable[[], T], seconds: float, *, grace: float = 0.0, withdraw: bool = True) -> T:
        """Have *function* called on the main thread and give what it returns, or raise what it raises.

        It must begin within *seconds*, and from then on be done within as many again and *grace*. Work that has not
        begun when that time is over, or when the waiting task is cancelled, is withdrawn, unless *withdraw* is false:
        then it stays and is done whenever the application pumps next.

        Raises: NotPumped, StillRunning.
        """
        job = _Job(function)
        self._add(job)
        try:
            if not await _within(job.begun, seconds) and (not withdraw or job.done.cancel()):
                raise NotPumped
            if not await _within(job.done, seconds + grace):
                raise StillRunning
        finally:
            if withdraw:
                job.done.cancel()
        result: T = job.done.result()
        return result

    def _add(self, job: "_Job") -> None:
        self._waiting.append(job)
        if self._schedule is not None:
            self._schedule(self.pump)


class _Job:
    """One function to be called, and two futures that tell how far it is."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self.begun: Future[None] = Future()
        self.done: Future[Any] = Future()

    def do(self) -> bool:
        """Call the function, unless it was withdrawn; say whether it was called."""
        if not self.done.set_running_or_notify_cancel():
            return False
        self.begun.set_result(None)
        try:
            self.done.set_result(self._function())
        except KeyboardInterrupt:  # Ctrl-C is meant for the application, not for the server's thread
            self.done.set_exception(RuntimeError("the application was interrupted"))
            raise
        except BaseException as error:
            self.done.set_exception(error)
        return True


async def _within(future: "Future[Any]", seconds: float) -> bool:
    """Wait for *future*, made in another thread, and leave it alone; say whether it was done in time."""
    loop = asyncio.get_running_loop()
    arrived = asyncio.Event()

    def tell(_: object) -> None:
        with suppress(RuntimeError):  # the server closed meanwhile, and nobody waits any more
            loop.call_soon_threadsafe(arrived.set)

    future.add_done_callback(tell)
    try:
        async with asyncio.timeout(seconds):
            await arrived.wait()
    except TimeoutError:
        return future.done()
    return True
