"""Calls: `tools/call` in both eras of MCP, whether the call ends at once, takes long, or asks its caller."""

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import anyio
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from scriptool.app import App
from scriptool.call import Call, Caller, Result
from scriptool.excerpt import one_line
from scriptool.facades.asking import BackChannel, Exchange, abilities
from scriptool.facades.content import call_result, still_running
from scriptool.facades.conversation import Conversations
from scriptool.facades.guard import GONE
from scriptool.facades.listing import Listing
from scriptool.facades.relay import Relay
from scriptool.jobs import Job
from scriptool.jsontext import NotJson, parse
from scriptool.offload import LARGE_TEXT, Offload
from scriptool.questions import KINDS

PATIENCE_SECONDS: Final = 45.0
"""After so long a call that may take longer is answered with a job."""

Request = ServerRequestContext[Any, Any]
Outcome = Result | Job | dict[str, Any]
"""How a request to call ends: with a result, with the job that the call is now, or with what it asks (the answer)."""


class Calls:
    """Answers `tools/call`. Lives as long as the server."""

    def __init__(self, app: App, listing: Listing) -> None:
        self._app = app
        self._listing = listing
        self._conversations = Conversations(app)

    async def __call__(self, request: Request, params: types.CallToolRequestParams) -> dict[str, Any]:
        """Answer one request; one that is cancelled, or whose client is gone, ends its call."""
        relay = Relay(request, modern=is_modern(request))
        with anyio.CancelScope() as scope:
            _end_with_stream(request, scope)
            async with relay:
                outcome = await self._outcome(request, params, relay)
        if scope.cancelled_caught:
            raise MCPError(types.INTERNAL_ERROR, "The caller went away.")
        return self._answer(request, params.name, outcome)

    async def _outcome(self, request: Request, params: types.CallToolRequestParams, relay: Relay) -> Outcome:
        call = Call(
            params.name, await strict(params.arguments or {}, self._app.offload), Caller("mcp", client_of(request))
        )
        if not is_modern(request):
            return await self._older(call, relay, BackChannel(request))
        answers = _answers(params)
        if params.request_state is not None:
            return await self._conversations.go_on(params.request_state, answers, relay.listener, PATIENCE_SECONDS)
        able = abilities(request)
        if any(able[kind] for kind in KINDS) or self._may_take_long(call):
            return await self._conversations.begin(call, able, answers, relay.listener, PATIENCE_SECONDS)
        return await self._app.dispatcher.call(call, relay.listener, respondent=Exchange(able, {}))

    async def _older(self, call: Call, relay: Relay, respondent: BackChannel) -> Outcome:
        """Run a call of the older era within its request or, if it may take longer than clients wait, as a job."""
        run = partial(self._app.dispatcher.call, respondent=respondent)
        if not self._may_take_long(call):
            return await run(call, relay.listener)
        jobs = self._app.jobs
        job = jobs.start(call, relay.listener, run)
        try:
            while not await jobs.finished(job, PATIENCE_SECONDS):
                if not respondent.asking:
                    respondent.close()
                    return job
        except asyncio.CancelledError:
            # Nobody has heard of this job yet, so nobody could ever end it.
            await jobs.cancel(job)
            raise
        jobs.forget(job)
        return job.outcome()

    def _may_take_long(self, call: Call) -> bool:
        tool = self._app.library.catalog.tools.get(call.tool)
        # One that is not known yet may have been written a moment ago.
        return tool is None or tool.limits.seconds > PATIENCE_SECONDS

    def _answer(self, request: Request, name: str, outcome: Outcome) -> dict[str, Any]:
        """Give what came out in the shape the tool is listed with to clients of this era."""
        tool = self._app.library.catalog.tools.get(name)
        promised = tool is not None and self._listing.promises(tool)
        if isinstance(outcome, dict):
            return outcome
        if isinstance(outcome, Job):
            return still_running(outcome, promised=promised)
        if outcome.error is not None:
            _raise_for_protocol(request, name, outcome.error)
        wrapped = self._listing.wraps(tool) if tool is not None and promised else not isinstance(outcome.value, dict)
        return call_result(outcome, wrapped=wrapped and not is_modern(request), promised=promised)


def _raise_for_protocol(request: Request, name: str, error: Mapping[str, Any]) -> None:
    """Raise what the protocol wants as an error of its own, which is not the tool's result."""
    if error["code"] == "tool_not_found":
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name}", dict(error))
    capability = error.get("capability")
    if error["code"] == "cannot_ask" and is_modern(request) and abilities(request).get(str(capability)) is False:
        needed: dict[str, Any] = {"requiredCapabilities": {capability: {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, one_line(error), needed)


def _answers(params: types.CallToolRequestParams) -> dict[str, Any]:
    given = params.input_responses or {}
    return {name: one.model_dump(mode="json", by_alias=True, exclude_none=True) for name, one in given.items()}


async def strict(arguments: dict[str, Any], offload: Offload) -> dict[str, Any]:
    """Give the *arguments* if they are what JSON can say: the SDK's parsers also take NaN and halves of characters."""
    try:
        text = json.dumps(arguments).encode()
        await offload.run(len(text) > LARGE_TEXT, parse, text)
    except (NotJson, RecursionError) as error:
        raise MCPError(types.INVALID_PARAMS, f"The arguments are not JSON: {error}") from None
    return arguments


def is_modern(request: Request) -> bool:
    """Say whether a request is of the newer era."""
    return request.protocol_version in MODERN_PROTOCOL_VERSIONS


def client_of(request: Request) -> str | None:
    """Name the caller: its session, the client its header names, or the one at the other end of stdio."""
    if request.request is None:
        return "stdio"
    named = request.request.headers.get("x-client-id", "")[:200] or None
    session: str | None = request.session._connection.session_id
    return session or named


def _end_with_stream(request: Request, scope: anyio.CancelScope) -> None:
    """Have *scope* cancelled when the HTTP stream that waits for the answer is closed.

    The newer era's transport does so itself. In the older one it is put off while the client may come back, and read
    what it missed.
    """
    if request.request is not None and GONE in request.request.scope:
        request.request.scope[GONE].append(scope.cancel)
