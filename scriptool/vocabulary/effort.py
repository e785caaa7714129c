"""Effort: a bound on the work of judging one value by a schema, which an author or a script may have made endless."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

USUAL: Final = 50_000
"""Steps that judging a small value may take: a few tenths of a second."""

_EACH: Final = 30
"""Further steps for each part of a value."""

_TEXT: Final = 16
"""How many characters of text count as one part."""


class TooMuchEffort(Exception):
    """Judging a value took more steps than it may."""


class _Left(threading.local):
    steps: int | None = None


_left = _Left()


@contextmanager
def bounded(value: Any) -> Iterator[None]:
    """Let what the block spends be no more than judging *value* (JSON) may take; inner blocks share that."""
    if _left.steps is not None:
        yield
        return
    _left.steps = USUAL + _EACH * size_of(value)
    try:
        yield
    finally:
        _left.steps = None


def spend(steps: int = 1) -> None:
    """Take *steps* of what the block around may spend. Raises TooMuchEffort."""
    if _left.steps is not None:
        _left.steps -= steps
        if _left.steps < 0:
            raise TooMuchEffort


def size_of(value: Any) -> int:
    """Give how many parts a value has; a long text counts as several."""
    size, todo = 0, [value]
    while todo:
        part = todo.pop()
        size += 1
        if isinstance(part, str):
            size += len(part) // _TEXT
        elif isinstance(part, dict):
            size += len(part)
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    return size
