"""`ctx`: what a running script may say to its surroundings, and ask of them."""

import time
from typing import Any

from sandbox.asking import Asking
from sandbox.errors import Fault
from sandbox.faces.files import Files
from sandbox.faces.web import Http
from sandbox.failures import CallFailed
from sandbox.run import Run
from sandbox.values import dumps, to_json

_LEVELS = ("debug", "info", "warning", "error")
_PROGRESS_INTERVAL = 0.05
"""Seconds between two reports of progress; a loop may report each of a million steps."""


class Log:
    """`ctx.log`: messages for whoever watches the call, with fields."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __repr__(self) -> str:
        return "<ctx.log>"

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

    def __init__(self, run: Run, asking: Asking, files: Files) -> None:
        self._run = run
        self._asking = asking
        self._told = 0.0
        self.log = Log(run)
        self.http = Http(asking)
        self.files = files

    def __repr__(self) -> str:
        return "<ctx>"

    def secret(self, name: Any) -> str:
        """Give the secret *name*, which the tool must have been granted. Raises PermissionDenied."""
        return str(self._asking.now("secret", {"name": _text(name)}))

    def call(self, tool: Any, /, **args: Any) -> Any:
        """Call another tool and give its result; in `async` code, where a loop runs, to be awaited.

        Raises: PermissionDenied, and ToolError with `code` and `details` where that tool failed.
        """
        asked = {"tool": _text(tool), "args": to_json(args)}
        return self._asking.either("call", asked, _called)

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


def _called(told: Any) -> Any:
    """Open the result of another tool."""
    if told["ok"]:
        return told["result"]
    error = told["error"]
    raise CallFailed(error["message"], **{"code": error["code"], "tool": told["tool"], "error": error})


def _text(value: Any) -> str:
    return str.__str__(str(value)).encode("utf-8", "backslashreplace").decode()


def _json(value: Any) -> Any:
    try:
        return to_json(value)
    except Fault:
        return _text(repr(value))[:1000]
