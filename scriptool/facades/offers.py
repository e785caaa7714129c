"""Offers: prompts, resources and completion as MCP speaks of them, in both eras."""

import base64
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from sandbox import Fault
from scriptool.app import App
from scriptool.call import Caller
from scriptool.facades.asking import BackChannel, abilities
from scriptool.facades.calls import Request, client_of, is_modern
from scriptool.facades.paging import page
from scriptool.kinds.offer import Prompt, Resource
from scriptool.kinds.reading import Reading, type_of
from scriptool.offers.completion import MAX_VALUES, complete
from scriptool.offers.own_resources import OwnResource
from scriptool.offers.prompter import Said, missing
from scriptool.questions import Question

_log = logging.getLogger("scriptool.mcp")

_FRESH: Final[Mapping[str, Any]] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
"""What newer clients are told beside a list. It may change with any edit, so clients must not keep it."""

_UNKNOWN_RESOURCE: Final = -32002
"""What the older era calls a resource that is not there."""

_INPUTS: Final = "inputs"
"""The key under which a newer client is asked for what a prompt lacks."""

_CALLERS: Final = ("not_found", "tool_not_found", "invalid_params", "cannot_ask")
"""What the caller of a request can mend."""

P = TypeVar("P")


class Offers:
    """Answers everything about prompts, resources and completion. Lives as long as the server."""

    def __init__(self, app: App) -> None:
        self._app = app

    def register(self, server: Server[Any]) -> None:
        """Have *server* hand over the requests of its clients."""
        add = server.add_request_handler
        add("prompts/list", types.PaginatedRequestParams, _guarded(self._prompts))
        add("prompts/get", types.GetPromptRequestParams, _guarded(self._prompt))
        add("resources/list", types.PaginatedRequestParams, _guarded(self._resources))
        add("resources/templates/list", types.PaginatedRequestParams, _guarded(self._templates))
        add("resources/read", types.ReadResourceRequestParams, _guarded(self._read))
        add("completion/complete", types.CompleteRequestParams, _guarded(self._complete))

    async def _prompts(self, request: Request, params: types.PaginatedRequestParams) -> dict[str, Any]:
        catalog = await self._app.library.looked_over()
        entries = {name: _prompt_entry(prompt) for name, prompt in catalog.prompts.items()}
        return page("prompts", entries, params.cursor) | _freshness(request)

    async def _resources(self, request: Request, params: types.PaginatedRequestParams) -> dict[str, Any]:
        entries = {one.template.text: _entry(one, "uri") for one in await self._listed() if not one.template.variables}
        return page("resources", entries, params.cursor) | _freshness(request)

    async def _templates(self, request: Request, params: types.PaginatedRequestParams) -> dict[str, Any]:
        found = [one for one in await self._listed() if one.template.variables]
        entries = {one.template.text: _entry(one, "uriTemplate") for one in found}
        return page("resourceTemplates", entries, params.cursor) | _freshness(request)

    async def _listed(self) -> list[Resource | OwnResource]:
        """Give all resources that have a URI; where two have the same, the one that answers stands last."""
        catalog = await self._app.library.looked_over()
        written = sorted(catalog.resources.values(), key=lambda one: one.blocked is None)
        return [*(one for one in written if one.template.text), *self._app.reader.own]

    async def _prompt(self, request: Request, params: types.GetPromptRequestParams) -> dict[str, Any]:
        prompt = await self._app.prompter.find(params.name)
        arguments: dict[str, Any] = dict(params.arguments or {})
        question = _question(prompt, arguments)
        if question is not None and abilities(request)["elicitation"]:
            answer = await self._answered(request, params, question)
            if answer is None:
                return _input_required(question)
            arguments |= answer
        said = await self._app.prompter.fill(prompt, arguments, _caller(request))
        messages = [{"role": one.role, "content": _content(one)} for one in said]
        return {"resultType": "complete", "description": prompt.description, "messages": messages}

    async def _answered(
        self, request: Request, params: types.GetPromptRequestParams, question: Question
    ) -> dict[str, Any] | None:
        """Ask the person for what a prompt lacks; None while a newer client has not come back with the answer."""
        if is_modern(request):
            given = (params.input_responses or {}).get(_INPUTS)
            sent = given.model_dump(mode="json", by_alias=True, exclude_none=True) if given is not None else None
            answer = question.fitted(sent)
        else:
            answer = dict((await BackChannel(request).answer({_INPUTS: question}))[_INPUTS])
        if answer is None:
            return None
        if answer["action"] != "accept":
            raise MCPError(types.INVALID_PARAMS, "The person did not give what the prompt needs.")
        return dict(answer["content"])

    async def _read(self, request: Request, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        reading = await self._app.reader.read(str(params.uri), _caller(request))
        private = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if is_modern(request) else {}
        return {"contents": [_contents(reading)], **private}

    async def _complete(self, _request: Request, params: types.CompleteRequestParams) -> dict[str, Any]:
        ref, argument = params.ref, params.argument
        if isinstance(ref, types.PromptReference):
            values: list[Any] | None = await self._app.prompter.values(ref.name, argument.name)
        else:
            values = await self._app.reader.values(str(ref.uri), argument.name)
        if values is None:
            raise Fault("not_found", f"There is no resource template {str(ref)[:200]!r}.")
        found = complete(values, argument.value)
        proposal = {"values": found.values, "total": found.total, "hasMore": found.total > MAX_VALUES}
        return {"resultType": "complete", "completion": proposal}


def _guarded(
    answer: Callable[[Request, P], Awaitable[dict[str, Any]]],
) -> Callable[[Request, P], Awaitable[dict[str, Any]]]:
    """Have faults told as the protocol tells errors, and anything else kept in the log: the SDK would show it."""

    async def guarded(request: Request, params: P) -> dict[str, Any]:
        try:
            return await answer(request, params)
        except Fault as fault:
            raise _error(request, fault) from None
        except MCPError:
            raise
        except Exception:
            _log.exception("%s failed inside the server", request.method)
            raise MCPError(types.INTERNAL_ERROR, "The server failed while it handled this request.") from None

    return guarded


def _error(request: Request, fault: Fault) -> MCPError:
    code = types.INVALID_PARAMS if fault.code in _CALLERS else types.INTERNAL_ERROR
    if fault.code in ("not_found", "tool_not_found") and request.method == "resources/read" and not is_modern(request):
        code = _UNKNOWN_RESOURCE
    return MCPError(code, f"{fault.code}: {fault.message} {fault.hint}".rstrip(), fault.to_json())


def _question(prompt: Prompt, arguments: Mapping[str, Any]) -> Question | None:
    """Give what to ask the person where *prompt* lacks something that a form can ask for."""
    lacking = missing(prompt, arguments)
    plain = ("string", "integer", "number", "boolean")
    if lacking is None or lacking.marks_secrets:  # forms are shown and logged by clients
        return None
    if any(one.get("type") not in plain for one in lacking.document["properties"].values()):
        return None
    return Question("elicitation", f"{prompt.title or prompt.name} needs a word more.", _form(lacking.document))


def _form(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give a schema with what the protocol allows in a form, and no more."""
    kept = ("type", "description", "enum", "minimum", "maximum", "format")
    properties = {
        name: {key: value for key, value in one.items() if key in kept and (key != "format" or value in _FORMATS)}
        for name, one in document["properties"].items()
    }
    return {**document, "properties": properties}


_FORMATS: Final = ("email", "uri", "date", "date-time")


def _input_required(question: Question) -> dict[str, Any]:
    form = types.ElicitRequestFormParams.model_validate(
        {"message": question.message, "requestedSchema": dict(question.schema)}
    )
    wish = types.ElicitRequest(params=form).model_dump(mode="json", by_alias=True, exclude_none=True)
    return {"resultType": "input_required", "inputRequests": {_INPUTS: wish}}


def _caller(request: Request) -> Caller:
    return Caller("mcp", client_of(request))


def _freshness(request: Request) -> dict[str, Any]:
    return dict(_FRESH) if is_modern(request) else {}


def _prompt_entry(prompt: Prompt) -> dict[str, Any]:
    arguments = [
        {"name": name, "required": one.required} | ({"description": one.description} if one.description else {})
        for name, one in prompt.inputs.items()
    ]
    return {"name": prompt.name, "description": prompt.description, "arguments": arguments} | _title(prompt.title)


def _entry(one: Resource | OwnResource, key: str) -> dict[str, Any]:
    kind = one.mime_type
    if kind is None and isinstance(one, Resource) and one.kind == "file":
        kind = type_of(one.place)
    entry = {key: one.template.text, "name": one.name, "description": one.description} | _title(one.title)
    return entry | ({"mimeType": kind} if kind is not None else {})


def _title(title: str | None) -> dict[str, Any]:
    return {"title": title} if title else {}


def _contents(reading: Reading) -> dict[str, Any]:
    whole = {"uri": reading.uri, "mimeType": reading.mime_type}
    if isinstance(reading.content, str):
        return whole | {"text": reading.content}
    return whole | {"blob": base64.b64encode(reading.content).decode()}


def _content(said: Said) -> dict[str, Any]:
    """Give one message's content as a block."""
    if isinstance(said.content, str):
        return {"type": "text", "text": said.content}
    if said.resource:
        return {"type": "resource", "resource": _contents(said.content)}
    reading = said.content
    data = reading.content.encode() if isinstance(reading.content, str) else reading.content
    kind = reading.mime_type.partition("/")[0]
    return {"type": kind, "data": base64.b64encode(data).decode(), "mimeType": reading.mime_type}
