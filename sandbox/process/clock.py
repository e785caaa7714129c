"""Clock: how long one call has run; it can stand still while the call waits for a person."""

import asyncio
from collections.abc import Callable


class Clock:
    """Calls *on_time_out* after *seconds*; lives as long as the call. The caller must be in an event loop."""

    def __init__(self, seconds: float, on_time_out: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._seconds = seconds
        self._on_time_out = on_time_out
        self._spent = 0.0
        self._since = 0.0
        self._pauses = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def spent(self) -> float:
        """Seconds used so far."""
        return self._spent + (self._loop.time() - self._since if self._timer else 0.0)

    def start(self, spent: float = 0.0) -> None:
        """Let it run; *spent* seconds were used before."""
        self._spent += spent
        self._since = self._loop.time()
        self._timer = self._loop.call_at(self._since + self._seconds - self._spent, self._on_time_out)

    def stop(self) -> None:
        """Let it stand still for good."""
        if self._timer is not None:
            self._spent = self.spent
            self._timer.cancel()
            self._timer = None

    def pause(self) -> None:
        """Let it stand still until as many `resume` were called."""
        self._pauses += 1
        self.stop()

    def resume(self) -> None:
        """Let it run again."""
        self._pauses -= 1
        if not self._pauses:
            self.start()
