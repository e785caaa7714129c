"""Effort: a bound on the work of judging one value by a schema, which an author or a script may have made endless."""

import math
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

USUAL: Final = 50_000
"""Steps that judging a small value may take: a few tenths of a second."""

EACH: Final = 30
"""Further steps for each part of a value."""

MOST: Final = 500_000
"""Steps that judging any value may take: a few seconds."""

_TEXT: Final = 16
"""How many characters of text count as one part."""


_SPARE: Final = 150
"""Frames of the stack that are left for what is called innermost."""


_PANICS: Final = "pyo3_runtime"
"""Where the exceptions come from that a library written in Rust ends in."""


class TooMuchEffort(Exception):
    """Judging a value took more steps than it may."""


class _Left(threading.local):
    steps: int | None = None
    frames: int = 0


_left = _Left()


@contextmanager
def bounded(value: Any, *, each: int = EACH, most: int = MOST) -> Iterator[None]:
    """Let what the block spends be no more than judging *value* (JSON) may take: so much for *each* of its parts, and
    at *most* so much; inner blocks share that.

    How deep it goes is bounded before Python does that: a library below panics where the stack ends in it.
    """
    if _left.steps is not None:
        yield
        return
    _left.steps = min(USUAL + each * size_of(value, most // each), most)
    _left.frames = sys.getrecursionlimit() - _depth() - _SPARE
    try:
        yield
    except BaseException as error:
        if type(error).__module__ == _PANICS:  # no Exception, so that it would end the server
            raise TooMuchEffort from None
        raise
    finally:
        _left.steps = None


def spend(steps: int = 1) -> None:
    """Take *steps* of what the block around may spend. Raises TooMuchEffort."""
    if _left.steps is not None:
        _left.steps -= steps
        if _left.steps < 0:
            raise TooMuchEffort


def descend(frames: int) -> None:
    """Take so many *frames* of the stack, until `ascend` gives them back. Raises TooMuchEffort, and takes none."""
    if _left.steps is not None and _left.frames < frames:
        raise TooMuchEffort
    _left.frames -= frames


def ascend(frames: int) -> None:
    """Give back what `descend` took."""
    _left.frames += frames


def _depth() -> int:
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def is_large(value: Any, parts: int) -> bool:
    """Say whether a value has more than so many parts, without counting much further."""
    return size_of(value, parts) > parts


def size_of(value: Any, enough: float = math.inf) -> int:
    """Give how many parts a value has; a long text counts as several. Stops counting at *enough*."""
    size, todo = 0, [value]
    while todo and size <= enough:
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
