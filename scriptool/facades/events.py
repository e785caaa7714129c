"""Events: what happens to tools, problems and calls, as one stream that a listener may come back to."""

import secrets
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import anyio
from starlette.requests import Request
from starlette.routing import Route

from scriptool.app import App
from scriptool.facades.stream import MAX_UNREAD, Event, EventStream, Outlet
from scriptool.folders.catalog import Catalog

_KEPT: Final = MAX_UNREAD
"""Events kept for listeners that come back; no more than one stream can take at once."""

_OF_A_CALL: Final = ("call_id", "parent", "tool", "facade", "client", "started", "duration_ms", "ok", "digest")


class Events:
    """The last events and who listens. Lives as long as the server; `feed` fills it."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._server = secrets.token_hex(4)
        self._count = 0
        self._ring: deque[Event] = deque(maxlen=_KEPT)
        self._outlets: set[Outlet] = set()

    @property
    def listening(self) -> int:
        """Give how many listen now."""
        return len(self._outlets)

    def routes(self) -> list[Route]:
        """Give the route to listen on."""
        return [Route("/events", self._listen)]

    async def feed(self) -> None:
        """Publish what happens, until cancelled."""
        before = self._app.library.catalog
        self._app.history.listeners.append(self._called)
        try:
            async for now in self._app.library.changes(Catalog.same_news):
                self._changed(before, now)
                before = now
        finally:
            self._app.history.listeners.remove(self._called)

    def publish(self, kind: str, data: Any) -> None:
        """Tell all who listen. One who has left too much unread is cut off, and may come back for the rest."""
        self._count += 1
        event = Event(kind, data, f"{self._server}-{self._count}")
        self._ring.append(event)
        for outlet in list(self._outlets):
            try:
                outlet.send_nowait(event)
            except (anyio.WouldBlock, anyio.BrokenResourceError):
                outlet.close()
                self._outlets.discard(outlet)

    def close(self) -> None:
        """End every stream."""
        for outlet in self._outlets:
            outlet.close()
        self._outlets.clear()

    async def _listen(self, request: Request) -> EventStream:
        last = request.headers.get("last-event-id")

        async def produce(outlet: Outlet) -> None:
            for event in self._missed(last):
                outlet.send_nowait(event)
            self._outlets.add(outlet)
            try:
                await anyio.sleep_forever()
            finally:
                self._outlets.discard(outlet)

        return EventStream(produce)

    def _missed(self, last: str | None) -> list[Event]:
        """Give what came after the event *last*; if that is not known here, say that anything may have happened."""
        if last is None:
            return []
        kept = list(self._ring)
        with suppress(ValueError):
            return kept[[event.id for event in kept].index(last) + 1 :]
        return [] if last == f"{self._server}-{self._count}" else [Event("missed", {"hint": "List the tools again."})]

    def _changed(self, before: Catalog, now: Catalog) -> None:
        old, new = before.tools, now.tools
        differ = [name for name in new if name in old and new[name] is not old[name]]
        changed = [name for name in differ if new[name].listing() != old[name].listing()]
        added, removed = [name for name in new if name not in old], [name for name in old if name not in new]
        if not now.same_tools(before):
            self.publish("tools", {"catalog": now.number, "added": added, "removed": removed, "changed": changed})
        was = [problem.to_json() for problem in before.problems]
        told = [problem.to_json() for problem in now.problems]
        for problem in was:
            if problem not in told:
                self.publish("problem_cleared", problem)
        for problem in told:
            if problem not in was:
                self.publish("problem_appeared", problem)

    def _called(self, call: Mapping[str, Any]) -> None:
        error = call["error"] or {}
        self.publish("call", {key: call[key] for key in _OF_A_CALL} | {"code": error.get("code")})
