"""Deadline: when a call that waits for others has to end; it stands still while a person is asked."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType

from sandbox import Fault


class Deadline:
    """An async context manager around such a call; ends it after *seconds* with the fault `timeout`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._left = seconds
        self._asked = 0
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> "Deadline":
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            raise _over(self._seconds) from None

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let no time pass while the block runs; blocks may overlap."""
        now = asyncio.get_running_loop().time
        if not self._asked:
            self._left = (self._timeout.when() or now()) - now()
            self._timeout.reschedule(None)
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1
            if not self._asked and not self._timeout.expired():
                self._timeout.reschedule(now() + self._left)


@contextmanager
def stopped(deadlines: Iterable[Deadline | None]) -> Iterator[None]:
    """Let no time pass for any of *deadlines* while the block runs."""
    with ExitStack() as exits:
        for deadline in deadlines:
            if deadline is not None:
                exits.enter_context(deadline.stopped())
        yield


def _over(seconds: float) -> Fault:
    return Fault(
        "timeout",
        f"The steps took longer than {seconds:g} seconds in all; the one that ran was ended.",
        hint="Raise `limits.seconds` in the definition, or leave it out: each step has limits of its own.",
        limit="seconds",
        allowed=seconds,
    )
