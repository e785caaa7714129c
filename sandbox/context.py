"""`ctx`: what a running script may say to its surroundings."""

import time
from typing import Any

from sandbox.errors import Fault
from sandbox.run import Run
from sandbox.values import dumps, to_json

_LEVELS = ("debug", "info", "warning", "error")
_PROGRESS_INTERVAL = 0.05
"""Seconds between two reports of progress; a loop may report each of a million steps."""


class Log:
    """`ctx.log`: messages for whoever watches the call, with fields."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def debug(self, message: Any, **fields: Any) -> None:
        """Say something only a debugger wants to know."""
        self._tell("debug", message, fields)

    def info(self, message: Any, **fields: Any) -> None:
        """Say something."""
        self._tell("info", message, fields)

    def warning(self, message: Any, **fields: Any) -> None:
        """Say that something is odd."""
        self._tell("warning", message, fields)

    def error(self, message: Any, **fields: Any) -> None:
        """Say that something failed."""
        self._tell("error", message, fields)

    def _tell(self, level: str, message: Any, fields: dict[str, Any]) -> None:
        record = {"level": level, "message": _text(message), "fields": {key: _json(fields[key]) for key in fields}}
        self._run.tell("log", record, len(dumps(record)))


class Context:
    """The object scripts know as `ctx`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._told = 0.0
        self.log = Log(run)

    def progress(self, done: float, total: float | None = None, message: Any = None) -> None:
        """Say that *done* of *total* steps are done."""
        if type(done) not in (int, float) or type(total) not in (int, float, type(None)):
            raise TypeError("ctx.progress(done, total=None, message=None) takes numbers")
        now = time.monotonic()
        if done != total and now - self._told < _PROGRESS_INTERVAL:
            return
        self._told = now
        payload = {
            "done": to_json(done),
            "total": to_json(total),
            "message": None if message is None else _text(message),
        }
        self._run.tell("progress", payload, len(dumps(payload)))


def _text(value: Any) -> str:
    return str.__str__(str(value)).encode("utf-8", "backslashreplace").decode()


def _json(value: Any) -> Any:
    try:
        return to_json(value)
    except Fault:
        return _text(repr(value))[:1000]
