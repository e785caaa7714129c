"""Offload: work on what is large, in threads of its own, so that nobody else waits for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

LARGE_TEXT: Final = 64 * 1024
"""Bytes of JSON from which on reading them is left to a thread: ten milliseconds or more."""

LARGE_VALUE: Final = 1000
"""Parts of a value from which on judging it is; the same."""

_MOST_THREADS: Final = 2
"""Few, since Python runs one at a time, and the more want to run the longer the event loop waits for its turn."""

Parameters = ParamSpec("Parameters")
Given = TypeVar("Given")


class Offload:
    """Runs functions at once, or in a thread where what they work on is large. Lives as long as the server."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_MOST_THREADS, "offload")

    async def run(
        self, large: bool, function: Callable[Parameters, Given], *args: Parameters.args, **named: Parameters.kwargs
    ) -> Given:
        """Give what *function* gives; while it works on what is *large*, others go on."""
        if not large:
            return function(*args, **named)
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: function(*args, **named))

    def close(self) -> None:
        """Wait for nothing any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
