"""Dispatcher: the one path every call takes. It speaks no protocol."""

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from sandbox import Ask, Fault
from scriptool.arguments import fit
from scriptool.call import Call, Context, Listener, Result, unheard
from scriptool.capability.broker import Broker
from scriptool.confidential import mask_of
from scriptool.content import blocks_of
from scriptool.deadline import stopped
from scriptool.errors import internal_error, invalid_params
from scriptool.folders.library import Library
from scriptool.history import History
from scriptool.mask import HIDDEN, Mask
from scriptool.offload import LARGE_VALUE, Offload
from scriptool.permission import Grant, Rules
from scriptool.questions import NOBODY, Question, Questions, Respondent, masked, read_questions
from scriptool.schema import Problem, Schema, endless
from scriptool.tool import SWITCHES, SWITCHES_SCHEMA, Loaded, Tool
from scriptool.vocabulary import effort

log = logging.getLogger("scriptool.dispatcher")

MAX_DEPTH: Final = 16
"""How deep calls may nest."""

_MAX_SHOWN: Final = 1000
"""Characters of arguments that a person who is to confirm them is shown."""

_SWITCHES: Final = Schema({"type": "object", "properties": dict(SWITCHES_SCHEMA)})


class Dispatcher:
    """Finds, checks, runs and records. Lives as long as the server."""

    def __init__(
        self,
        library: Library,
        history: History,
        broker: Broker,
        rules: Rules,
        questions: Questions,
        offload: Offload,
    ) -> None:
        self._library = library
        self._history = history
        self._broker = broker
        self._rules = rules
        self._questions = questions
        self._offload = offload

    async def call(
        self,
        call: Call,
        listener: Listener = unheard,
        *,
        above: Context | None = None,
        respondent: Respondent = NOBODY,
    ) -> Result:
        """Run *call*, for the call *above* if one asks for it, and say how it ended; *listener* hears what it tells,
        and *respondent* answers what it asks.

        Never raises but CancelledError: cancelling the task that waits here ends the call and its process.
        """
        context = Context(call, listener, above=above, respondent=respondent)
        if above is not None:
            context.confirmed, context.mask = above.confirmed, above.mask
        context.nested = partial(self._nested, context)
        context.check = partial(self._check, context)
        value, error = None, None
        try:
            value = await self._value(context)
        except Fault as fault:
            error = fault.to_json()
        except asyncio.CancelledError:
            self._ended(context, None, {"code": "cancelled", "message": "The caller went away."})
            raise
        except Exception:
            log.exception("call %s of %s failed inside the server", context.call_id, call.tool)
            error = internal_error(context.call_id).to_json()
        return self._ended(context, value, error)

    async def _nested(self, context: Context, tool: str, args: Mapping[str, Any]) -> Result:
        """Call *tool* for the call of *context*: a destructive one only if that call was confirmed itself."""
        _check_circle(context, self._library.name(tool), args)
        call = Call(tool, args, context.call.caller, parent=context.call_id)
        listener = partial(_overheard, context.listener)
        return await self.call(call, listener, above=context, respondent=context.respondent)

    async def _check(self, context: Context, tool: str, args: Mapping[str, Any]) -> None:
        """Raise the fault that a call of *tool* would end with before it runs, if any."""
        loaded = await self._library.load(tool)
        await self._taken(loaded.tool, Context(Call(tool, args, context.call.caller), confirmed=True, above=context))

    async def _value(self, context: Context) -> Any:
        """Take the path of a call: load, check, run, check again."""
        name = context.call.tool
        if context.depth > MAX_DEPTH:
            raise Fault("bad_request", f"Calls nest deeper than {MAX_DEPTH}; {name} was not called.")
        loaded = await self._library.load(name, nested=context.depth > 0)
        tool = loaded.tool
        context.digest = loaded.digest
        context.given = self._given
        grant = Grant(tool.name, tool.permissions, self._rules.allowed(tool.name), loaded.folder, tool.form)
        context.answer = self._answering(context, self._broker.answering(grant, context))
        if name in tool.aliases:
            context.warnings.append(f"{name} is a former name of {tool.name}; use that")
        arguments, dry_run = await self._taken(tool, context)
        if tool.destructive and not dry_run and not context.confirmed:
            await self._confirm(tool, arguments, context)
        if dry_run:
            told = {"dry_run": True, "tool": tool.name, "would_execute": True, "arguments": arguments}
            return told | (await loaded.rehearse(arguments, context) if loaded.rehearse is not None else {})
        value = await self._run(loaded, arguments, context)
        judged = tool.output is not None or tool.max_result_chars > 0
        large = judged and effort.is_large(value, LARGE_VALUE)
        await self._offload.run(large, _check_result, tool, value, context)
        return value

    async def _taken(self, tool: Tool, context: Context) -> tuple[dict[str, Any], bool]:
        large = effort.is_large(dict(context.call.args), LARGE_VALUE)
        try:
            return await self._offload.run(large, _taken, tool, context)
        finally:
            for link in context.chain():  # what those above give on and get back holds the same secrets
                link.mask |= context.mask

    def _given(self) -> Mask:
        return self._broker.vault.mask

    def _answering(self, context: Context, granted: Ask) -> Ask:
        """Give what answers the asks of one call: whoever called, and for all that needs a grant the broker."""

        async def answer(name: str, payload: Any) -> Any:
            if name == "client":
                return {**context.respondent.abilities, "facade": context.call.caller.facade}
            if name == "ask":
                hides = context.mask | self._given()
                with stopped(link.deadline for link in context.chain()):
                    return await self._questions.ask(
                        context.respondent, read_questions(masked(payload, hides.text)), context.call.caller.client
                    )
            return await granted(name, payload)

        return answer

    async def _confirm(self, tool: Tool, arguments: Mapping[str, Any], context: Context) -> None:
        """Have a person confirm what the call did not, if whoever called can ask one.

        Raises: Fault `confirmation_required`, and those of asking.
        """
        if context.depth or not context.respondent.abilities.get("elicitation"):
            raise _unconfirmed(tool, context)
        shown = json.dumps((context.mask | self._given()).value(dict(arguments)), ensure_ascii=False)
        message = f"{tool.title or tool.name} is destructive. Really do it with {shown[:_MAX_SHOWN]}?"
        form = {"confirm": {"type": "boolean", "title": "Yes, do it"}}
        question = Question("elicitation", message, {"type": "object", "properties": form, "required": ["confirm"]})
        answers = await self._questions.ask(context.respondent, {"confirm": question}, context.call.caller.client)
        if answers["confirm"].get("content", {}).get("confirm") is not True:
            message = f"{tool.name} is destructive, and the person who was asked did not confirm it."
            raise Fault("confirmation_required", message, hint="Respect that; do not call it again unasked.")
        context.confirmed = True

    async def _run(self, loaded: Loaded, arguments: dict[str, Any], context: Context) -> Any:
        try:
            return await loaded.run(arguments, context)
        except Fault as fault:
            if fault.code != "worker_lost" or not loaded.tool.idempotent:
                raise
        context.warnings.append("the process that ran this call was lost; it was run again, once")
        return await loaded.run(arguments, context)

    def _ended(self, context: Context, value: Any, error: dict[str, Any] | None) -> Result:
        """Make the result, with secrets masked in all but the value, and record it."""
        context.end()
        mask = context.mask | self._given()
        result = Result(
            call_id=context.call_id,
            duration_ms=round((time.perf_counter() - context.started) * 1000, 3),
            value=value,
            error=mask.error(error),
            output=_printed(context, mask, error),
            warnings=tuple(mask.text(text) for text in context.warnings),
            digest=context.digest,
            content=blocks_of(value) if context.shows_content and error is None else None,
            meta=mask.value(context.meta),
            mask=mask,
        )
        self._history.record(context.call, result, mask, context.logged, judged=context.judged)
        return result


def _taken(tool: Tool, context: Context) -> tuple[dict[str, Any], bool]:
    """Give the arguments to run with and whether this is a dry run; the context knows then whether it was confirmed,
    and what of it is secret.

    Raises: Fault `invalid_params`.
    """
    sent = dict(context.call.args)
    confirm = dry_run = False
    if tool.destructive:
        problems, confirm, dry_run = _switches(sent, context)
    else:
        problems = _part_with_switches(tool, sent)
    fitted = fit(tool.input, sent)
    try:
        context.mask |= mask_of(tool.input, context.call.args, fitted.value)
    except effort.TooMuchEffort as refusal:
        raise invalid_params(tool.name, [endless(refusal)]) from None
    context.judged = True
    context.warnings += fitted.warnings
    if problems or fitted.problems:
        raise invalid_params(tool.name, problems + fitted.problems)
    if not tool.destructive:
        context.confirmed = False
        return fitted.value, False
    context.confirmed = context.confirmed if context.depth else confirm
    return {name: value for name, value in fitted.value.items() if name not in SWITCHES}, dry_run


def _switches(sent: dict[str, Any], context: Context) -> tuple[list[Problem], bool, bool]:
    """Give what is wrong with `confirm` and `dry_run`, and what they say, as they were sent: no default that an
    author's schema may have confirms anything. In *sent* they are booleans afterwards."""
    fitted = fit(_SWITCHES, {name: sent.pop(name) for name in SWITCHES if name in sent})
    sent |= fitted.value if not fitted.problems else {}
    context.warnings += fitted.warnings
    confirm, dry_run = (fitted.value.get(name) is True for name in SWITCHES)
    return fitted.problems, confirm, dry_run


def _printed(context: Context, mask: Mask, error: Any) -> str:
    """Give what was printed, masked; of a call that was ended it may end in the middle of a secret."""
    text = "".join(context.printed)
    begun = mask.held_back(text) if error is not None else 0
    return mask.text(text) if not begun else mask.text(text[:-begun]) + HIDDEN


def _overheard(listener: Listener, kind: str, payload: Any) -> None:
    """Let who listens to a call hear what the calls below it log; their progress and prints are their own."""
    if kind == "log":
        listener(kind, payload)


def _check_circle(context: Context, tool: str, args: Mapping[str, Any]) -> None:
    """Raise Fault `bad_request` where a call asks, over others, for itself with the same arguments."""
    chain = [link.call for link in context.chain()]
    if any(call.tool == tool and dict(call.args) == dict(args) for call in chain):
        way = " -> ".join([*(call.tool for call in reversed(chain)), tool])
        message = f"Calls go in a circle: {way}, with the same arguments again."
        raise Fault("bad_request", message, hint="Call it with other arguments, or not at all.")


def _unconfirmed(tool: Tool, context: Context) -> Fault:
    if context.depth:
        above = context.above.call.tool if context.above is not None else "the call"
        message = f"{tool.name} is destructive, and {above}, which asks for it, was not confirmed."
        hint = f"{tool.name} may be called only by a tool that is destructive itself and was confirmed in this call."
        return Fault("confirmation_required", message, hint=hint)
    hint = "Call it again with confirm: true, or with dry_run: true to see what would be done."
    return Fault("confirmation_required", f"{tool.name} is destructive and was not confirmed.", hint=hint)


def _part_with_switches(tool: Tool, sent: dict[str, Any]) -> list[Problem]:
    """Drop what only destructive tools take, unless the tool declares it; a dry run that cannot be is a problem."""
    declared = tool.input.document.get("properties", {})
    for name in SWITCHES:
        if name in sent and name not in declared:
            if name == "dry_run" and sent[name] is not False:
                message = "this tool has no dry run; it would be executed"
                return [{"path": "/dry_run", "message": message, "expected": "nothing", "got": "true"}]
            del sent[name]
    return []


def _check_result(tool: Tool, value: Any, context: Context) -> None:
    """Hold a value against what the tool promises.

    Raises: Fault `invalid_result`, `result_too_large`.
    """
    if tool.output is not None:
        problems = tool.output.problems(value)
        if problems and tool.output_written:
            said = "; ".join(f"{one['path'] or '(result)'}: {one['message']}" for one in problems)
            message = f"The result of {tool.name} does not fit its outputSchema: {said}"
            raise Fault("invalid_result", message, file=tool.file, path=problems[0]["path"], problems=problems)
        if problems:
            context.warnings.append(f"the result does not fit the return annotation: {problems[0]['message']}")
    if tool.max_result_chars:
        size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        if size > tool.max_result_chars:
            raise _too_large(tool, size)


def _too_large(tool: Tool, size: int) -> Fault:
    inputs: Mapping[str, Any] = tool.input.document.get("properties", {})
    names = [name for name in inputs if name not in SWITCHES]
    hint = f"Ask for less with {', '.join(names)}." if names else "The tool takes no argument that narrows it."
    cap = tool.max_result_chars
    message = f"The result of {tool.name} has {size} characters; its maxResultSizeChars is {cap}."
    return Fault("result_too_large", message, hint=hint, limit=cap, size=size, file=tool.file)
