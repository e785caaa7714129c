"""Debug: what is loaded, cached, running and wrong, as JSON, for whoever looks after the server. Shows full paths."""

import time
from pathlib import PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox import Fault
from scriptool import __version__
from scriptool.app import App
from scriptool.errors import tool_not_found
from scriptool.excerpt import excerpt
from scriptool.facades.reply import json_reply
from scriptool.facades.request import number
from scriptool.folders.catalog import Claim
from scriptool.tool import name_of

_CALLS = 50
_MAX_CALLS = 1000


def routes(app: App) -> list[Route]:
    """Give the routes that show the inside of *app*."""
    facade = _Debug(app)
    return [
        Route("/debug", facade.state),
        Route("/debug/state", facade.state),
        Route("/debug/cache", facade.cache),
        Route("/debug/errors", facade.errors),
        Route("/debug/calls", facade.calls),
        Route("/debug/calls/{call_id}", facade.call),
        Route("/debug/tools/{name:rest}", facade.tool),
    ]


class _Debug:
    """What answers the routes. Lives as long as the server."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def state(self, _request: Request) -> Response:
        """Show the whole server at a glance."""
        app, catalog = self._app, await self._app.library.fresh()
        cache = app.sandbox.cache.report()
        return json_reply(
            {
                "version": __version__,
                "uptime_seconds": round(time.monotonic() - app.started, 3),
                "folders": [str(folder) for folder in app.settings.folders],
                "catalog": catalog.number,
                "tools": [_brief(name, claim) for name, claim in catalog.claims.items()],
                "shadowed": [{"name": one.name, "file": str(one.path), "by": str(one.by)} for one in catalog.shadowed],
                "problems": len(catalog.problems),
                "cache": {key: value for key, value in cache.items() if key != "entries"},
                "sandbox": app.sandbox.report(),
                "calls": len(app.history.recent(limit=_MAX_CALLS)),
            }
        )

    async def cache(self, _request: Request) -> Response:
        """Show what is compiled and how often that helped."""
        names = self._app.library.tools_by_digest()
        report = self._app.sandbox.cache.report()
        entries = [{**entry, "tools": names.get(entry["digest"], [])} for entry in report["entries"]]
        return json_reply({**report, "entries": entries})

    async def errors(self, _request: Request) -> Response:
        """Show what is wrong with the files now."""
        catalog = await self._app.library.fresh()
        return json_reply({"problems": [_shown(problem) for problem in catalog.problems]})

    async def calls(self, request: Request) -> Response:
        limit = number(request, "limit", _CALLS, _MAX_CALLS)
        return json_reply({"calls": self._app.history.recent(request.query_params.get("tool"), limit)})

    async def call(self, request: Request) -> Response:
        call_id = request.path_params["call_id"]
        found = self._app.history.get(call_id)
        if found is None:
            hint = "Only the last calls are kept; /debug/calls lists them."
            raise Fault("not_found", f"No call {call_id[:40]!r} is kept.", hint=hint)
        return json_reply(found)

    async def tool(self, request: Request) -> Response:
        """Show one tool: its source, what is wrong with it, its last failure and calls."""
        name = request.path_params["name"]
        catalog = await self._app.library.fresh()
        claim = catalog.claims.get(name)
        about = [_shown(problem) for problem in catalog.problems if _concerns(problem, name)]
        if claim is None:
            if not about:
                raise tool_not_found(name, catalog.tools)
            return json_reply({"name": name, "file": None, "source": None, "digest": None, "problems": about})
        path, text = await self._app.library.source_of(name)
        digests = self._app.library.tools_by_digest()
        shown: dict[str, Any] = {
            "name": name,
            "file": path,
            "definition": str(claim.definition) if claim.definition is not None else None,
            "source": text,
            "digest": next((digest for digest, names in digests.items() if name in names), None),
            "problems": [_shown(problem) for problem in claim.tool.problems],
            "warnings": list(claim.tool.warnings),
            "last_error": self._app.history.last_error(name),
            "calls": self._app.history.recent(name, 20),
            "listing": claim.tool.listing(),
        }
        # Also where an author wrote a secret into the script that the operator keeps elsewhere.
        return json_reply(self._app.broker.vault.mask.value(shown))


def _brief(name: str, claim: Claim) -> dict[str, Any]:
    tool = claim.tool
    return {
        "name": name,
        "source": tool.source,
        "file": str(claim.script or claim.path),
        "broken": tool.blocked is not None,
        "problems": len(tool.problems),
        "checking": tool.checking,
    }


def _shown(problem: Fault) -> dict[str, Any]:
    """Give a problem together with the lines that show it to people, source and caret among them."""
    error = problem.to_json()
    return error | {"excerpt": "\n".join(excerpt(error))}


def _concerns(problem: Fault, name: str) -> bool:
    """Say whether a problem is about a file whose stem is *name*: one that could not become a tool of that name."""
    file = problem.details.get("file")
    return isinstance(file, str) and name_of(PurePosixPath(file).stem) == name
