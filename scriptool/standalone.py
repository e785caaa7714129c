"""Standalone: the host of a server that no application embeds: itself, as `@server`, and importable types."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sandbox import Sandbox
from scriptool import __version__
from scriptool.folders.library import Library
from scriptool.history import History
from scriptool.host import Answer, Host, Request


class ServerView:
    """What `@server` shows of a running server: its catalog, cache, workers and counters, as they are when read."""

    def __init__(self, library: Library, sandbox: Sandbox, history: History) -> None:
        self._library = library
        self._sandbox = sandbox
        self._history = history
        self.version = __version__

    @property
    def catalog(self) -> Mapping[str, Any]:
        """Give what is loaded and what is wrong."""
        catalog = self._library.catalog
        tools = {
            name: {"source": tool.source, "file": tool.file, "group": tool.group, "blocked": tool.blocked is not None}
            for name, tool in catalog.tools.items()
        }
        problems = [fault.to_json() for fault in catalog.problems]
        return {"number": catalog.number, "count": len(tools), "tools": tools, "problems": problems}

    @property
    def cache(self) -> Mapping[str, Any]:
        """Give the compiled-module cache: its entries and counters."""
        return self._sandbox.cache.report()

    @property
    def workers(self) -> Mapping[str, Any]:
        """Give the processes scripts run in and the walls around them."""
        return self._sandbox.report()

    @property
    def calls(self) -> Mapping[str, Any]:
        """Count the calls that are remembered: all, by outcome and by tool."""
        by_code: dict[str, int] = {}
        by_tool: dict[str, int] = {}
        for call in self._history.recent(limit=10**6):
            code = "ok" if call["ok"] else call["error"].get("code", "error")
            by_code[code] = by_code.get(code, 0) + 1
            by_tool[call["tool"]] = by_tool.get(call["tool"], 0) + 1
        return {"count": sum(by_code.values()), "by_code": by_code, "by_tool": by_tool}


class Standalone:
    """Answers for a server without an application, on the server's own loop.

    *view* gives what `@server` shows; *types* are the classes that may be imported to be read.
    """

    def __init__(self, view: Callable[[], ServerView], types: Iterable[str]) -> None:
        self._host = Host(roots={"server": view}, types=types)

    async def ask(self, request: Request, _seconds: float) -> Answer:
        """Answer one request at once."""
        return self._host.answer(request)
