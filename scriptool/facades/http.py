"""HTTP: the tools as resources, listed with GET and called with POST."""

import asyncio
import hashlib
from collections.abc import Collection, Coroutine, Iterable
from typing import Any, Final

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox import Fault
from scriptool import __version__
from scriptool.app import App
from scriptool.call import Call
from scriptool.errors import did_you_mean, tool_not_found
from scriptool.facades.guard import TRUSTED
from scriptool.facades.openapi import openapi
from scriptool.facades.provider import FORMATS
from scriptool.facades.reply import json_reply, json_text, result_reply
from scriptool.facades.request import MAX_WAIT, arguments, caller, seconds
from scriptool.facades.stream import Event, EventStream, Outlet, tell, until_gone
from scriptool.jobs import Job
from scriptool.tool import Tool

ROUTES: Final = {
    "GET /health": "whether the server is well, without looking at any file",
    "GET /ready": "whether calls would be answered well now; 503 if not",
    "GET /tools": "every tool; ?refresh=1 reads every file again, ?group=, ?format=openai|anthropic|gemini",
    "GET /tools/{name}": "one tool",
    "POST /tools/{name}": "call a tool; the body is its arguments; after ?wait= seconds it runs on as a job",
    "GET /jobs/{id}": "how far a job is; ?wait= seconds for its end; DELETE ends it",
    "GET /events": "what happens, as server-sent events: tools, problems, calls",
    "GET /openapi.json": "the tools as an OpenAPI 3.1 document",
    "GET /metrics": "counters and gauges in the text format of Prometheus",
    "/mcp": "the tools over MCP (Streamable HTTP)",
    "GET /debug/state": "what is loaded and running; also /debug/tools/{name}, cache, errors, calls",
}


def routes(app: App) -> list[Route]:
    """Give the routes by which *app* is used over HTTP."""
    facade = _Http(app)
    return [
        Route("/tools/{name:rest}", facade.tool, methods=["POST", "GET"]),
        Route("/tools", facade.tools),
        Route("/jobs/{job_id}", facade.job, methods=["GET", "DELETE"]),
        Route("/health", facade.health),
        Route("/ready", facade.ready),
        Route("/openapi.json", facade.openapi),
        Route("/", facade.index),
    ]


class _Http:
    """What answers the routes. Lives as long as the server."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def index(self, _request: Request) -> Response:
        return json_reply({"name": "scriptool", "version": __version__, "routes": ROUTES})

    async def health(self, request: Request) -> Response:
        """Say how the server is, without I/O. Strangers learn only that it is there."""
        if not request.scope[TRUSTED]:
            return json_reply({"ok": True})
        settings, sandbox = self._app.settings, self._app.sandbox.report()
        return json_reply(
            {
                "ok": True,
                "version": __version__,
                "projectHash": settings.project_hash,
                "definitionsDir": str(settings.definitions_dir),
                "sharedDefinitionsDir": str(settings.shared_definitions_dir),
                "sandbox": {key: sandbox[key] for key in ("layers", "level", "missing") if key in sandbox},
                "tools": len(self._app.library.catalog.tools),
            }
        )

    async def ready(self, _request: Request) -> Response:
        """Say whether calls would be answered well now: the sandbox stands and every file has been looked at."""
        sandbox = self._app.sandbox.report()
        checking = sum(tool.checking for tool in self._app.library.catalog.listed)
        ready = not checking and (sandbox["level"] in ("full", "strong") or self._app.settings.weak_sandbox)
        state = {"ready": ready, "checking": checking, "sandbox": sandbox["level"]}
        return json_reply(state, 200 if ready else 503, {} if ready else {"retry-after": "1"})

    async def tools(self, request: Request) -> Response:
        catalog = await self._app.library.fresh(reread=request.query_params.get("refresh") in ("1", "true"))
        group = request.query_params.get("group")
        if group is not None and group not in self._app.settings.standard.groups:
            raise _unknown("group", group, self._app.settings.standard.groups)
        chosen = [tool for tool in catalog.tools.values() if group is None or tool.group == group]
        if (name := request.query_params.get("format")) is not None:
            return _with_tag(request, {"tools": _formatted(name, chosen)})
        listed = [tool.listing() for tool in chosen]
        problems = [problem.to_json() for problem in catalog.problems]
        return _with_tag(request, {"tools": listed, "catalog": catalog.number, "problems": problems})

    async def openapi(self, request: Request) -> Response:
        catalog = await self._app.library.fresh()
        return _with_tag(request, openapi(catalog.tools.values(), __version__))

    async def tool(self, request: Request) -> Response:
        name = request.path_params["name"]
        if request.method != "POST":
            catalog = await self._app.library.fresh()
            if name not in catalog.tools:
                raise tool_not_found(name, catalog.tools)
            return _with_tag(request, catalog.tools[name].listing())
        call = Call(name, await arguments(request, self._app.offload), caller(request))
        accepted = request.headers.get("accept", "")
        if "text/event-stream" in accepted and "application/json" not in accepted:
            return self._told(call)
        if "wait" in request.query_params:
            return await _while_there(request, self._awaited(call, seconds(request, "wait", MAX_WAIT)))
        return await _while_there(request, self._called(call))

    async def job(self, request: Request) -> Response:
        """Show a job, after waiting for its end if asked to; DELETE ends it, or forgets one that has ended."""
        jobs = self._app.jobs
        job = jobs.find(request.path_params["job_id"])
        if request.method != "DELETE":
            return await _while_there(request, self._looked_at(job, seconds(request, "wait", MAX_WAIT)))
        elif job.state == "running":
            await jobs.cancel(job)
        else:
            jobs.forget(job)
        return json_reply(job.to_json())

    async def _looked_at(self, job: Job, wait: float) -> Response:
        await self._app.jobs.finished(job, wait)
        return json_reply(job.to_json())

    async def _called(self, call: Call) -> Response:
        return result_reply(await self._app.dispatcher.call(call))

    async def _awaited(self, call: Call, seconds: float) -> Response:
        """Run *call* as a job; answer with its result if it ends in time, else with where to ask for it."""
        jobs = self._app.jobs
        job = jobs.start(call)
        try:
            if await jobs.finished(job, seconds):
                jobs.forget(job)
                return result_reply(job.outcome())
        except asyncio.CancelledError:
            # Nobody has heard of this job yet, so nobody could ever end it.
            await jobs.cancel(job)
            raise
        return json_reply(job.to_json(), 202, {"location": f"/jobs/{job.id}", "retry-after": "1"})

    def _told(self, call: Call) -> EventStream:
        """Give what the running *call* tells as it happens, and at last its result."""

        async def produce(outlet: Outlet) -> None:
            result = await self._app.dispatcher.call(call, lambda kind, told: tell(outlet, Event(kind, told)))
            await outlet.send(Event("result", result.to_json()))

        return EventStream(produce)


async def _while_there(request: Request, work: Coroutine[Any, Any, Response]) -> Response:
    """Do *work* until it is done or the client hangs up; then nobody is left to answer."""
    with anyio.CancelScope() as scope:
        # A bare task, since a task group costs as much as all the rest of this facade. It holds nothing.
        watching = asyncio.create_task(until_gone(request.receive, scope))
        try:
            return await work
        finally:
            watching.cancel()
    return Response(status_code=499)


def _formatted(name: str, tools: Iterable[Tool]) -> list[dict[str, Any]]:
    if name not in FORMATS:
        raise _unknown("tool format", name, FORMATS)
    return FORMATS[name](tools)


def _unknown(kind: str, name: str, known: Collection[str]) -> Fault:
    hint = f"{did_you_mean(name, known)} There are {', '.join(known)}.".strip()
    return Fault("bad_request", f"There is no {kind} {name[:40]!r}.", hint=hint)


def _with_tag(request: Request, value: Any) -> Response:
    """Answer with *value* and an ETag over it, or with 304 when the client has just that."""
    tag = f'"{hashlib.sha256(json_text(value)).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return json_reply(value, headers=headers)
