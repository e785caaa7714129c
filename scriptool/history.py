"""History: the last calls, in memory, bounded, with secrets masked before anything is kept."""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

from scriptool.call import Call, Result
from scriptool.mask import HIDDEN, Mask

MAX_CALLS: Final = 1000
MAX_TEXT: Final = 4000
"""Most characters kept of arguments, result, output or warnings of one call."""


class History:
    """The last calls, newest last. Lives as long as the server.

    Each of the *listeners* is given every call as it is recorded; it must not block or raise.
    """

    def __init__(self, most: int = MAX_CALLS) -> None:
        self._calls: deque[dict[str, Any]] = deque(maxlen=most)
        self.listeners: list[Callable[[Mapping[str, Any]], None]] = []

    def record(
        self, call: Call, result: Result, mask: Mask, logged: Sequence[Any] = (), *, judged: bool = True
    ) -> None:
        """Keep what can be shown of a call that ended, and what it *logged*; of arguments only those *judged*."""
        started = datetime.now(UTC) - timedelta(milliseconds=result.duration_ms)
        recorded = {
            "call_id": result.call_id,
            "parent": call.parent,
            "tool": mask.text(call.tool)[:200],
            "facade": call.caller.facade,
            "client": call.caller.client,
            "started": started.isoformat(timespec="milliseconds"),
            "duration_ms": result.duration_ms,
            "ok": result.ok,
            "args": _clipped(mask.value(dict(call.args))) if judged or not call.args else HIDDEN,
            "result": _clipped(mask.value(result.value)) if result.ok else None,
            "error": _clipped_error(mask.error(result.error)),
            "output": mask.text(result.output)[:MAX_TEXT],
            "log": _clipped([mask.told("log", line) for line in logged]),
            "warnings": [mask.text(text) for text in _fitting(result.warnings)],
            "digest": result.digest,
        }
        self._calls.append(recorded)
        for listener in self.listeners:
            listener(recorded)

    def recent(self, tool: str | None = None, limit: int = 50) -> list[dict[str, Any]]:
        """Give the last calls (of *tool*, else of all), newest first, at most *limit*."""
        chosen = (call for call in reversed(self._calls) if tool is None or call["tool"] == tool)
        return list(islice(chosen, max(limit, 0)))

    def get(self, call_id: str) -> dict[str, Any] | None:
        """Give one call by its id, or None when it is not (or no longer) kept."""
        return next((call for call in reversed(self._calls) if call["call_id"] == call_id), None)

    def last_error(self, tool: str) -> dict[str, Any] | None:
        """Give the last failed call of *tool* that is kept, or None."""
        return next((call for call in reversed(self._calls) if call["tool"] == tool and not call["ok"]), None)


def _clipped_error(error: Mapping[str, Any] | None) -> Any:
    """Give what is kept of an error: always its code, by which it is counted and looked for."""
    kept = _clipped(error)
    return kept if error is None or kept is error else {"code": error["code"], **kept}


def _fitting(texts: Sequence[str]) -> list[str]:
    """Give the first of *texts*, as many as fit."""
    kept: list[str] = []
    size = 0
    for text in texts:
        size += len(text) + 2
        if size > MAX_TEXT:
            return [*kept, f"and {len(texts) - len(kept)} more"]
        kept.append(text)
    return kept


def _clipped(value: Any) -> Any:
    """Give the value itself when its JSON text is short, else the beginning of that text."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= MAX_TEXT else {"truncated": text[:MAX_TEXT], "characters": len(text)}
