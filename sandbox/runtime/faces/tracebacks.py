"""`traceback` for scripts: the text Python would print, with the script's own frames and none of ours."""

import sys
from typing import Any

from sandbox.runtime.output import Stream
from sandbox.runtime.report import notes_of, summary
from sandbox.runtime.run import Run


class Tracebacks:
    """The functions of that module for one *run*, printing to its *stderr*."""

    def __init__(self, run: Run, stderr: Stream) -> None:
        self._run = run
        self._stderr = stderr

    def __repr__(self) -> str:
        return "<traceback>"

    def names(self) -> dict[str, Any]:
        """Give the functions by name."""
        return {
            "format_exc": self.format_exc,
            "print_exc": self.print_exc,
            "format_exception": self.format_exception,
            "format_exception_only": self.format_exception_only,
            "print_exception": self.print_exception,
        }

    def format_exc(self, limit: Any = None, chain: bool = True) -> str:  # noqa: ARG002 - all frames are the script's
        """Give the traceback of the exception that is being handled."""
        return self._text(sys.exception(), chain)

    def print_exc(self, limit: Any = None, file: Any = None, chain: bool = True) -> None:  # noqa: ARG002
        """Print the traceback of the exception that is being handled, whole: all frames are the script's."""
        (file or self._stderr).write(self.format_exc(chain=chain))

    def format_exception(self, exc: Any, value: Any = None, *_rest: Any, chain: bool = True) -> list[str]:
        """Give the traceback of an exception, in lines that end in line ends."""
        return self._text(_exception(exc, value), chain).splitlines(keepends=True)

    def format_exception_only(self, exc: Any, value: Any = None) -> list[str]:
        """Give the last lines of a traceback: type, message and notes."""
        error = _exception(exc, value)
        if error is None:
            return ["NoneType: None\n"]
        return [f"{line}\n" for line in (summary(error), *notes_of(error))]

    def print_exception(self, exc: Any, value: Any = None, *_rest: Any, file: Any = None, chain: bool = True) -> None:
        """Print the traceback of an exception."""
        (file or self._stderr).write("".join(self.format_exception(exc, value, chain=chain)))

    def _text(self, error: BaseException | None, chain: bool) -> str:
        return "NoneType: None\n" if error is None else self._run.report.traceback(error, chain)


def _exception(exc: Any, value: Any) -> BaseException | None:
    """The exception meant, in the form of one argument or of three."""
    found = exc if isinstance(exc, BaseException) else value
    if found is not None and not isinstance(found, BaseException):
        raise TypeError(f"an exception is wanted, not a {type(found).__name__}")
    return found
