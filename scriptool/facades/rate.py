"""Rate: how often one caller may ask, as a bucket that fills again with time."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from sandbox import Fault

_MAX_CALLERS: Final = 10_000
"""Callers remembered; the one unheard of for longest starts afresh."""

BURST_SECONDS: Final = 4
"""A caller that was silent may ask as often at once as it may in this many seconds."""


class Rate:
    """Counts what each caller asks. Lives as long as the server; *per_second* None admits everything."""

    def __init__(self, per_second: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._clock = clock
        self._filled: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count one request of *caller*. Raises: Fault `rate_limited`, saying when to come again."""
        if self._per_second is None:
            return
        now = self._clock()
        most = max(1.0, self._per_second * BURST_SECONDS)
        left, since = self._filled.pop(caller, (most, now))
        left = min(most, left + (now - since) * self._per_second)
        admitted = left >= 1
        self._filled[caller] = (left - admitted, now)
        if len(self._filled) > _MAX_CALLERS:
            self._filled.popitem(last=False)
        if not admitted:
            seconds = (1 - left) / self._per_second
            raise Fault(
                "rate_limited",
                f"This caller may ask {self._per_second:g} times a second.",
                hint=f"Come again in {seconds:.2g} seconds; the operator sets the rate with --rate-limit.",
                retry_after=round(seconds, 3),
            )
