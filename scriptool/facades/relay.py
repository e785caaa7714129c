"""Relay: passes progress and log lines of one running call on to its MCP client, in order, without holding it up."""

import asyncio
import math
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, TypeGuard, get_args

from mcp import types
from mcp.server.context import ServerRequestContext

LEVELS: Final = "scriptool.log_level"
"""In the state of a connection: the level an older client asked for."""

_LOG_LEVEL: Final = "io.modelcontextprotocol/logLevel"
_ORDER: Final[tuple[types.LoggingLevel, ...]] = get_args(types.LoggingLevel)
_MAX_WAITING: Final = 1000
_MOST: Final = 2**53


class Relay:
    """Hears one call and tells its client. An async context manager around the call; sends nothing that is unasked."""

    def __init__(self, request: ServerRequestContext[Any, Any], *, modern: bool) -> None:
        self._request = request
        self._modern = modern
        self._waiting: deque[tuple[str, Mapping[str, Any]]] = deque(maxlen=_MAX_WAITING)
        self._sender: asyncio.Task[None] | None = None
        self._done = -math.inf
        self._open = True

    async def __aenter__(self) -> "Relay":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let what was told go out before the answer does; after a cancelled call, drop it.

        A call that runs on as a job is heard no longer: its request is over.
        """
        self._open = False
        if self._sender is not None:
            if error is not None:
                self._sender.cancel()
            await asyncio.gather(self._sender, return_exceptions=True)

    def listener(self, kind: str, payload: Any) -> None:
        """Hear what the call tells; the oldest is dropped when the client reads too slowly."""
        if not self._open or kind not in ("progress", "log") or not isinstance(payload, Mapping):
            return
        self._waiting.append((kind, payload))
        if self._sender is None or self._sender.done():
            # Most calls tell nothing; those that do get a task that sends, since a listener may not wait.
            self._sender = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self._waiting:
            kind, payload = self._waiting.popleft()
            if kind == "progress":
                await self._progress(payload)
            else:
                await self._say(payload)

    async def _progress(self, told: Mapping[str, Any]) -> None:
        """Send progress; the protocol wants it to grow."""
        done, total, message = told.get("done"), told.get("total"), told.get("message")
        if _is_number(done) and done > self._done:
            self._done = done
            total = total if _is_number(total) else None
            await self._request.session.report_progress(done, total, None if message is None else str(message))

    async def _say(self, told: Mapping[str, Any]) -> None:
        level = told.get("level")
        if level not in self._wanted():
            return
        message, fields = told.get("message"), told.get("fields")
        data = {"message": message, **fields} if isinstance(fields, Mapping) and fields else message
        params = types.LoggingMessageNotificationParams(level=level, data=data, logger="scriptool")
        note = types.LoggingMessageNotification(params=params)
        await self._request.session.send_notification(note, related_request_id=self._request.request_id)

    def _wanted(self) -> tuple[types.LoggingLevel, ...]:
        """Give the levels the client asked for: with this request in the newer era, with its session in the older."""
        if self._modern:
            least = (self._request.meta or {}).get(_LOG_LEVEL)
        else:
            least = self._request.session._connection.state.get(LEVELS, "info")
        return _ORDER[_ORDER.index(least) :] if least in _ORDER else ()


def _is_number(value: Any) -> TypeGuard[float]:
    """Say whether *value* can be told as progress; an integer may be too large for any client's numbers."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= _MOST if isinstance(value, int) else math.isfinite(value)
