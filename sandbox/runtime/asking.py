"""Asking: how the parts of a script's surroundings ask the parent, and what a refusal becomes in the script."""

import asyncio
from collections.abc import Callable
from typing import Any

from sandbox.errors import Fault
from sandbox.runtime.failures import PermissionDenied
from sandbox.runtime.output import Channel
from sandbox.values import dumps

MAX_OPEN = 32
"""How many asks of a script are open at one time; more wait for their turn."""

MAX_BYTES = 4 << 20
"""How many bytes they have together, unless one alone has more."""


class Asking:
    """Asks over the channel of the current run, which *channel* gives."""

    def __init__(self, channel: Callable[[], Channel]) -> None:
        self._channel = channel
        self._changed = asyncio.Condition()
        self._open = self._bytes = 0

    def now(self, name: str, payload: Any) -> Any:
        """Ask and wait for the answer; nothing else of the script runs meanwhile.

        Raises: PermissionDenied, and the parent's other faults as they are.
        """
        try:
            return self._channel().ask(name, payload)
        except Fault as fault:
            raise _met(fault) from None

    async def later(self, name: str, payload: Any) -> Any:
        """Ask, and let other tasks of the script run until the answer comes. Raises as `now` does."""
        # In a task of its own: what a script does not wait for any more is still open at the parent, and counts.
        asked = asyncio.get_running_loop().create_task(self._asked(name, payload))
        asked.add_done_callback(_looked_at)
        try:
            return await asyncio.shield(asked)
        except Fault as fault:
            raise _met(fault) from None

    async def _asked(self, name: str, payload: Any) -> Any:
        size = len(dumps(payload))
        async with self._changed:
            await self._changed.wait_for(lambda: self._has_room(size))
            self._open += 1
            self._bytes += size
        try:
            return await self._channel().async_ask(name, payload)
        finally:
            self._open -= 1
            self._bytes -= size
            async with self._changed:
                self._changed.notify_all()

    def _has_room(self, size: int) -> bool:
        return not self._open or (self._open < MAX_OPEN and self._bytes + size <= MAX_BYTES)

    def either(self, name: str, payload: Any, opened: Callable[[Any], Any]) -> Any:
        """Ask now where no event loop runs, else give a coroutine; both end with what *opened* makes of the answer."""
        if asyncio._get_running_loop() is None:
            return opened(self.now(name, payload))
        return self._opened_later(name, payload, opened)

    async def _opened_later(self, name: str, payload: Any, opened: Callable[[Any], Any]) -> Any:
        return opened(await self.later(name, payload))


def _looked_at(asked: "asyncio.Task[Any]") -> None:
    """Take note of how an ask ended, though nobody may wait for it any more."""
    if not asked.cancelled():
        asked.exception()


def _met(fault: Fault) -> Exception:
    """Give what the script meets: a refusal as an exception it can catch under a name of Python's own."""
    if fault.code != "permission_denied":
        return fault
    return PermissionDenied(fault.message, hint=fault.hint, **fault.details)
