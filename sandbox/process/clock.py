"""Clock: how long one call has run; it can stand still while the call waits for a person."""

import asyncio
from collections.abc import Callable

LOOK_SECONDS = 1.0
"""How often it is looked whether a call computes on while its clock stands still."""


class Clock:
    """Calls *on_time_out* after *seconds*; lives as long as the call. The caller must be in an event loop.

    *processor* gives the seconds of processor time that the call has used, and may block: a call that has used up its
    seconds in this way is over also while the clock stands still.
    """

    def __init__(
        self, seconds: float, on_time_out: Callable[[], None], processor: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._seconds = seconds
        self._on_time_out = on_time_out
        self._processor = processor
        self._looking: asyncio.TimerHandle | None = None
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
        self._stand_still()
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def pause(self) -> None:
        """Let it stand still until as many `resume` were called."""
        self._pauses += 1
        if self._pauses == 1:
            self._stand_still()
            self._looking = self._loop.call_later(LOOK_SECONDS, self._look)

    def resume(self) -> None:
        """Let it run again."""
        self._pauses -= 1
        if not self._pauses:
            self.stop()
            self.start()

    def _stand_still(self) -> None:
        if self._timer is not None:
            self._spent = self.spent
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._loop.run_in_executor(None, self._processor).add_done_callback(self._judge)

    def _judge(self, reading: asyncio.Future[float]) -> None:
        """End a call that computed on while a person was asked."""
        if self._looking is None or reading.cancelled():
            return
        if reading.result() >= self._seconds:
            self._on_time_out()
        else:
            self._looking = self._loop.call_later(LOOK_SECONDS, self._look)
