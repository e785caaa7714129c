"""What a script prints: captured line by line, bounded, and told to the parent as it happens."""

import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from sandbox.runtime.cut import MARK

_LONGEST_LINE = 1 << 16
"""A line that grows longer than this many characters is told in parts: it may never end."""


class Channel(Protocol):
    """How a running script reaches its parent."""

    def tell(self, kind: str, payload: Any) -> None:
        """Send *payload*, one-way, at once."""

    def ask(self, name: str, payload: Any) -> Any:
        """Ask, and wait for the answer. Raises Fault."""

    async def async_ask(self, name: str, payload: Any) -> Any:
        """Ask, and let other tasks of the script run until the answer comes. Raises Fault."""


class Output:
    """The printed text of one run, at most *kilobytes* of it; what comes later is counted and dropped."""

    def __init__(self, channel: Channel, kilobytes: int) -> None:
        self._channel = channel
        self._left = self._size = kilobytes * 1024
        self._dropped = 0
        self._line: list[str] = []
        self._waiting = 0
        self._begun = False

    def write(self, text: str) -> None:
        """Take *text*, and tell what is complete up to its last line end."""
        head, newline, rest = text.rpartition("\n")
        if newline:
            self._tell("".join((*self._line, head, newline)))
            self._line, self._waiting = [], 0
        if rest:
            self._line.append(rest)
            self._waiting += len(rest)
            if self._waiting > _LONGEST_LINE:
                self.flush()

    def flush(self) -> None:
        """Tell the line that was begun."""
        text = "".join(self._line)
        self._line, self._waiting = [], 0
        self._tell(text)

    def spend(self, size: int) -> bool:
        """Take *size* bytes of the bound, for what reaches the parent some other way; say whether they were there."""
        if size > self._left:
            self._dropped += size
            self._left = 0
            return False
        self._left -= size
        return True

    def finish(self) -> list[str]:
        """Tell what is left, and how much was dropped. Gives the warnings for the result."""
        self.flush()
        if not self._dropped:
            return []
        notice = f"output is limited to {self._size // 1024} kB: {self._dropped} bytes were dropped"
        self._channel.tell("print", f"{MARK}\n[{notice}]\n" if self._begun else f"[{notice}]\n")
        return [notice]

    def _tell(self, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        if len(data) > self._left:
            kept, self._dropped = data[: self._left], self._dropped + len(data) - self._left
            self._left = 0
            text = kept.decode("utf-8", "ignore")
            if text and not text.endswith("\n"):
                text += f"{MARK}\n"
        else:
            self._left -= len(data)
            if not text.isascii():
                text = data.decode()
        if text:
            self._begun = not text.endswith("\n")
            self._channel.tell("print", text)


class Stream:
    """`sys.stdout` and `sys.stderr` of a script: both lead to *current* output of the run, until one is redirected."""

    encoding = "utf-8"
    closed = False

    def __init__(self, current: Callable[[], Output]) -> None:
        self._current = current
        self._target: Any = None

    def __repr__(self) -> str:
        return "<captured output>"

    def write(self, text: str) -> int:
        """Write *text*; gives how many characters."""
        if self._target is not None and self._target is not self:
            return int(self._target.write(text) or 0)
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._current().write(str.__str__(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each of *lines*."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Send what was written so far."""
        if self._target is None:
            self._current().flush()

    def isatty(self) -> bool:
        """There is no terminal."""
        return False

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def readable(self) -> bool:
        """It cannot be read."""
        return False


class Redirection(contextlib.AbstractContextManager[Any]):
    """`contextlib.redirect_stdout` of a script: within the block *stream* leads to *target*."""

    def __init__(self, stream: Stream, target: Any) -> None:
        self._stream = stream
        self._target = target
        self._before: list[Any] = []

    def __enter__(self) -> Any:
        self._before.append(self._stream._target)
        self._stream._target = self._target
        return self._target

    def __exit__(self, *_error: object) -> None:
        self._stream._target = self._before.pop()


class Printer:
    """The builtin `print` of a script, to *stdout* unless it names a file."""

    def __init__(self, stdout: Stream) -> None:
        self._stdout = stdout

    def __repr__(self) -> str:
        return "<builtins>"

    def print(self, *values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: Any = False) -> None:
        """Write the values as text, *sep* between and *end* after them."""
        for option, text in (("sep", sep), ("end", end)):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"{option} must be None or a string, not {type(text).__name__}")
        between = " " if sep is None else sep
        (file or self._stdout).write(between.join(map(str, values)) + ("\n" if end is None else end))
        if flush and hasattr(file, "flush"):
            file.flush()


Printer.print.__qualname__ = "print"
