"""Log: what the server says about itself, on the error output only, as text or as one JSON object a line."""

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final


class Level(StrEnum):
    """The least important messages to log."""

    debug = "debug"
    info = "info"
    warning = "warning"
    error = "error"


class Format(StrEnum):
    """How to write a message."""

    text = "text"
    json = "json"


_calls = logging.getLogger("scriptool.calls")

_FIELDS: Final = ("call_id", "tool", "code", "duration_ms", "client")
"""What a message may say beside its words, under the names the answers use."""


def set_up(level: Level, format: Format) -> None:
    """Send every message of *level* and above to the error output: the standard output may be a protocol's."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter() if format is Format.json else _TextFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for foreign in ("mcp", "watchfiles", "httpx", "httpcore", "httpx2", "asyncio", "sse_starlette"):
        # What libraries do well is of no interest; their warnings are.
        logging.getLogger(foreign).setLevel(max(logging.WARNING, logging.getLogger().level))


def log_call(call: Mapping[str, Any]) -> None:
    """Log a call as it was recorded, under its id."""
    error = call["error"] or {}
    fields = {name: call.get(name) for name in _FIELDS} | {"code": error.get("code", "ok")}
    _calls.info("called", extra=fields)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    found = {name: getattr(record, name, None) for name in _FIELDS}
    return {name: value for name, value in found.items() if value is not None}


def _in_one_line(text: str) -> str:
    """Give *text* with escapes for all that ends a line, moves a cursor or is not seen: callers choose some of it."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


class _TextFormatter(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        return _in_one_line(super().formatMessage(record) + fields)

    def formatException(self, ei: Any) -> str:
        return "\n".join(map(_in_one_line, super().formatException(ei).split("\n")))


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        said: dict[str, object] = {"time": moment, "level": record.levelname.lower(), "logger": record.name}
        said |= {"message": record.getMessage(), **_fields(record)}
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=str)
