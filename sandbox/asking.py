"""Asking: how the parts of a script's surroundings ask the parent, and what a refusal becomes in the script."""

import asyncio
from collections.abc import Callable
from typing import Any

from sandbox.errors import Fault
from sandbox.failures import PermissionDenied
from sandbox.output import Channel


class Asking:
    """Asks over the channel of the current run, which *channel* gives."""

    def __init__(self, channel: Callable[[], Channel]) -> None:
        self._channel = channel

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
        try:
            return await self._channel().async_ask(name, payload)
        except Fault as fault:
            raise _met(fault) from None

    def either(self, name: str, payload: Any, opened: Callable[[Any], Any]) -> Any:
        """Ask now where no event loop runs, else give a coroutine; both end with what *opened* makes of the answer."""
        if asyncio._get_running_loop() is None:
            return opened(self.now(name, payload))
        return self._opened_later(name, payload, opened)

    async def _opened_later(self, name: str, payload: Any, opened: Callable[[Any], Any]) -> Any:
        return opened(await self.later(name, payload))


def _met(fault: Fault) -> Exception:
    """Give what the script meets: a refusal as an exception it can catch under a name of Python's own."""
    if fault.code != "permission_denied":
        return fault
    return PermissionDenied(fault.message, hint=fault.hint, **fault.details)
