"""Waits of scripts on a thread of an application: in steps, between which the script can be ended.

A sandbox child is killed in the middle of one. Here it would be the application that waits, perhaps for ever: nobody
fills a queue that a script waits at, for it has no threads.
"""

import operator
import queue
import time
from collections.abc import Callable, Mapping
from typing import Any

_STEP = 0.05
_LONGEST = 1 << 34
"""Seconds that are too many for the library, and its to refuse."""


def sleep(seconds: Any, /) -> None:
    """`time.sleep`."""
    # An exact number: one of the script's own could say something else when it is asked again.
    length = float.__float__(seconds) if isinstance(seconds, float) else operator.index(seconds)
    if not _STEP < length < _LONGEST:
        time.sleep(length)
        return
    end = time.monotonic() + length
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, _STEP))


def _in_steps(wait: Callable[..., Any], block: Any, timeout: Any, failure: type[Exception]) -> Any:
    """Give what *wait*, which takes *block* and *timeout*, gives; it raises *failure* when its time is over."""
    left = None if timeout is None else float(timeout)
    if not block or (left is not None and left <= _STEP):
        return wait(block, left)
    end = None if left is None else time.monotonic() + left
    while True:
        try:
            return wait(True, _STEP if end is None else max(0.0, min(_STEP, end - time.monotonic())))
        except failure:
            if end is not None and time.monotonic() >= end:
                raise


class Queue(queue.Queue[Any]):
    """`queue.Queue`."""

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        """Take what is next, waiting for it."""
        return _in_steps(super().get, block, timeout, queue.Empty)

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        """Put *item* in, waiting for room."""
        put = super().put
        _in_steps(lambda *waiting: put(item, *waiting), block, timeout, queue.Full)

    def join(self) -> None:
        """Wait until all that was put in was done."""
        while self.unfinished_tasks:
            time.sleep(_STEP)


class LifoQueue(Queue, queue.LifoQueue[Any]):
    """`queue.LifoQueue`."""


class PriorityQueue(Queue, queue.PriorityQueue[Any]):
    """`queue.PriorityQueue`."""


class SimpleQueue(queue.SimpleQueue[Any]):
    """`queue.SimpleQueue`."""

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        """Take what is next, waiting for it."""
        return _in_steps(super().get, block, timeout, queue.Empty)


_QUEUES = (Queue, LifoQueue, PriorityQueue, SimpleQueue)

WAITS: Mapping[str, Mapping[str, Any]] = {
    "queue": {kind.__name__: kind for kind in _QUEUES},
    "time": {"sleep": sleep},
}
