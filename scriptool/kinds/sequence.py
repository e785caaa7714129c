"""Sequence: a definition that calls other tools, one after the other, handing results on."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any, Final, NamedTuple

from sandbox import Fault, Limits
from scriptool.call import Context, Result
from scriptool.deadline import Deadline
from scriptool.definitions.definition import defined, with_switches
from scriptool.definitions.filling import Filling
from scriptool.definitions.judgement import MAX_PROBLEMS
from scriptool.errors import did_you_mean
from scriptool.fields import SequenceDefinition, Step
from scriptool.schema import Problem, Schema, shown
from scriptool.standard import Standard
from scriptool.tool import Tool

MAX_DEPTH: Final = 8
"""How deep sequences may nest."""

MAX_CALLS: Final = 1000
"""How many calls a sequence may come to, those of the sequences it calls counted in."""

_KIBIBYTE: Final = 1024

Undo = Callable[[str], AbstractAsyncContextManager[None]]
"""Opens an undo group of the host around a block, by its title."""

_INPUT: Final = re.compile(r"(?<!\{)\{([a-zA-Z_][a-zA-Z0-9_]*)\}(?!\})")
_REFERENCE: Final = re.compile(r"\{\{([^{}]*)\}\}")
_PART: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_CLOSED: Final[Mapping[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": False}
_ABSENT: Final = object()


def sequence_tool(definition: SequenceDefinition, shown_file: str, standard: Standard) -> Tool:
    """Give the tool of one sequence, judged by itself alone; `linked` judges it beside the other tools."""
    tool = Tool(
        name=definition.name,
        description=definition.description,
        source="sequence",
        input=Schema(definition.input_document() or _CLOSED),
        file=shown_file,
        main_thread=definition.main_thread is True or definition.undo_group is not None,
    )
    problems = list(islice(_own_problems(definition), MAX_PROBLEMS))
    tool = defined(tool, definition, standard)
    return _blocked(tool, problems) if problems else tool


def _blocked(tool: Tool, problems: list[Problem]) -> Tool:
    said = "; ".join(f"{one['path']}: {one['message']}" for one in problems)
    hint = " ".join(dict.fromkeys(one["hint"] for one in problems if one.get("hint")))
    message = f"The sequence {tool.name} is not valid: {said}"
    fault = Fault("definition_error", message, hint=hint, problems=problems, file=tool.file)
    return replace(tool, problems=(fault,), blocked=fault)


def _own_problems(definition: SequenceDefinition) -> Iterator[Problem]:
    declared = (definition.input_document() or _CLOSED).get("properties", {})
    every = {step.id for step in definition.steps}
    earlier: dict[str, None] = {}
    for index, step in enumerate(definition.steps):
        for path, text in _texts(step.arguments, f"/steps/{index}/arguments"):
            yield from _text_problems(path, text, declared, earlier, every)
        earlier[step.id] = None


def _text_problems(
    path: str, text: str, declared: Mapping[str, Any], earlier: Collection[str], every: Collection[str]
) -> Iterator[Problem]:
    for found in _REFERENCE.finditer(text):
        if found.group() != text.strip():
            message = f"{found.group()} stands inside a longer text; a reference is the whole string"
            yield {"path": path, "message": message, "hint": "Use {input} for text, or split the argument."}
            continue
        step, parts = _split(found[1].strip())
        if parts is None:
            message = f"{found.group()} is not a reference"
            yield {"path": path, "message": message, "hint": "Write {{step.member[0]}}."}
        elif step not in earlier:
            later = "a later step or this one" if step in every else "no step"
            yield {"path": path, "message": f"{step!r} is {later}", "hint": did_you_mean(step, earlier)}
    for found in _INPUT.finditer(_REFERENCE.sub("", text)):
        if found[1] not in declared:
            hint = did_you_mean(found[1], declared) or "Declare it in `inputs`."
            yield {"path": path, "message": f"{found.group()} names no input", "hint": hint}


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield path, value
        case list():
            for index, item in enumerate(value):
                yield from _texts(item, f"{path}/{index}")
        case dict():
            for name, item in value.items():
                yield from _texts(item, f"{path}/{name}")


def _split(reference: str) -> tuple[str, list[str | int] | None]:
    """Split `step.a[0]["b"]` into the step's id and the parts of the path; None for the parts when it is none."""
    step = re.match(r"[^.\[\]]+", reference)
    if step is None:
        return reference, None
    parts: list[str | int] = []
    at = step.end()
    while at < len(reference):
        found = _PART.match(reference, at)
        if found is None:
            return step.group(), None
        name, index, key = found.groups()
        try:
            parts.append(int(index) if index else json.loads(f'"{key}"') if key is not None else name)
        except ValueError:
            return step.group(), None
        at = found.end()
    return step.group(), parts


def linked(sequences: Mapping[str, SequenceDefinition], tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Give the tools of *sequences* by name, judged beside all *tools*: unknown steps, circles, what they inherit.

    A sequence with a destructive step is destructive, one with a step on the main thread runs there, and so on up
    through those that call it; one with a step that cannot be loaded cannot be loaded either.
    """
    circles = _circles(sequences)
    found = dict(tools)
    sizes: dict[str, Size] = {}
    calls = {name: _called(one, sequences) for name, one in sequences.items() if name not in circles}
    for name in TopologicalSorter({name: called - circles.keys() for name, called in calls.items()}).static_order():
        sizes[name] = _size(sequences[name], sizes)
        found[name] = _judged(found[name], sequences[name], found, circles, sizes[name])
    for name, circle in circles.items():
        way = " -> ".join(circle)
        found[name] = _blocked(found[name], [{"path": "/steps", "message": f"the steps go in a circle: {way}"}])
    return {name: found[name] for name in sequences}


class Size(NamedTuple):
    """How deep a sequence nests, and how many calls it comes to."""

    depth: int
    calls: int


def _size(definition: SequenceDefinition, known: Mapping[str, Size]) -> Size:
    steps = [known.get(step.tool, Size(0, 1)) for step in definition.steps]
    return Size(1 + max((step.depth for step in steps), default=0), sum(step.calls for step in steps))


def _called(definition: SequenceDefinition, sequences: Mapping[str, SequenceDefinition]) -> set[str]:
    return {step.tool for step in definition.steps} & sequences.keys()


def _circles(sequences: Mapping[str, SequenceDefinition]) -> dict[str, list[str]]:
    """Give, for each sequence that calls itself in the end, the way it does: `[a, b, a]`."""
    left = {name: _called(one, sequences) for name, one in sequences.items()}
    circles: dict[str, list[str]] = {}
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            names = list(reversed(error.args[1]))[:-1]
            for at, name in enumerate(names):
                circles[name] = [*names[at:], *names[:at], name]
            left = {name: called - circles.keys() for name, called in left.items() if name not in circles}
        else:
            return circles


def _judged(
    tool: Tool, definition: SequenceDefinition, tools: Mapping[str, Tool], circles: Mapping[str, Any], size: Size
) -> Tool:
    if tool.blocked is not None:
        return tool
    steps = [tools.get(step.tool) for step in definition.steps]
    problems = list(islice(_step_problems(definition, tools, circles), MAX_PROBLEMS))
    if size.depth > MAX_DEPTH:
        problems.append({"path": "/steps", "message": f"sequences nest deeper than {MAX_DEPTH}"})
    if size.calls > MAX_CALLS:
        message = f"the steps come to {size.calls} calls in all, more than {MAX_CALLS}"
        problems.append({"path": "/steps", "message": message, "hint": "Let a script call them, in a loop."})
    problems += islice(_inheritance_problems(definition, steps), MAX_PROBLEMS)
    return _blocked(tool, problems) if problems else _inherited(tool, [one for one in steps if one is not None])


def _step_problems(
    definition: SequenceDefinition, tools: Mapping[str, Tool], circles: Mapping[str, Any]
) -> Iterator[Problem]:
    for index, step in enumerate(definition.steps):
        path, target = f"/steps/{index}/tool", tools.get(step.tool)
        broken = target is not None and target.blocked is not None and target.blocked.code == "definition_error"
        if target is None:
            message = f"there is no tool {step.tool!r}"
            yield {"path": path, "message": message, "hint": did_you_mean(step.tool, tools)}
        elif broken or step.tool in circles:
            message = f"{step.tool!r} cannot be loaded"
            yield {"path": path, "message": message, "hint": f"Mend {step.tool} first."}


def _inheritance_problems(definition: SequenceDefinition, steps: list[Tool | None]) -> Iterator[Problem]:
    for step, target in zip(definition.steps, steps, strict=True):
        if target is None:
            continue
        if definition.destructive is False and target.destructive:
            message = f"is false, but step {step.id!r} calls {target.name}, which is destructive"
            yield {"path": "/destructive", "message": message, "hint": "Take it out."}
        if definition.main_thread is False and target.main_thread:
            message = f"is false, but step {step.id!r} calls {target.name}, which runs on the main thread"
            yield {"path": "/mainThread", "message": message, "hint": "Take it out."}


def _inherited(tool: Tool, steps: list[Tool]) -> Tool:
    main_thread = tool.main_thread or any(step.main_thread for step in steps)
    tool = replace(tool, main_thread=main_thread)
    destructive = not tool.destructive and any(step.destructive for step in steps)
    return with_switches(tool) if destructive else tool


class Sequence:
    """A sequence, ready to run within *limits*. *undo* opens an undo group of the host, by its title."""

    def __init__(self, definition: SequenceDefinition, limits: Limits, undo: Undo | None = None) -> None:
        self._definition = definition
        self._limits = limits
        self._undo = undo

    async def run(self, arguments: dict[str, Any], context: Context) -> dict[str, Any]:
        """Run the steps in order and give `{steps: [{id, tool, ok, result | error}]}`.

        Raises: Fault `step_failed` with `step`, `cause` and `steps` at the first failure that is not allowed, `timeout`
        where the definition bounds all steps together, `result_too_large`.
        """
        done: dict[str, Result] = {}
        told: list[dict[str, Any]] = []
        size = 0
        if self._definition.limits.seconds is not None:
            context.deadline = Deadline(self._limits.seconds)
        async with self._undo_group(), context.deadline or nullcontext():
            for step in self._definition.steps:
                result = await self._step(step, arguments, done, context)
                done[step.id] = result
                outcome = {"result": result.value} if result.error is None else {"error": dict(result.error)}
                told.append({"id": step.id, "tool": step.tool, "ok": result.ok} | outcome)
                size += len(json.dumps(told[-1], ensure_ascii=False))
                if size > self._limits.result_kb * _KIBIBYTE:
                    raise _too_large(step, size, self._limits.result_kb)
                if result.error is not None and not step.continue_on_error:
                    raise _failed(step, result.error, told)
        return {"steps": told}

    def _undo_group(self) -> AbstractAsyncContextManager[None]:
        title = self._definition.undo_group
        return self._undo(title) if self._undo is not None and title is not None else nullcontext()

    async def _step(
        self, step: Step, arguments: Mapping[str, Any], done: Mapping[str, Result], context: Context
    ) -> Result:
        try:
            filled = _filled(step.arguments, arguments, done, Filling())
        except Fault as fault:
            return Result(context.call_id, 0.0, error=fault.to_json())
        return await context.nested(step.tool, filled if isinstance(filled, dict) else {})

    async def rehearse(self, arguments: dict[str, Any], context: Context) -> dict[str, Any]:
        """Give what a run would do: each step with its arguments, references as written; known ones are checked."""
        steps = []
        for step in self._definition.steps:
            filled = _filled(step.arguments, arguments, None, Filling())
            steps.append({"id": step.id, "tool": step.tool, "arguments": filled})
            if not any(_REFERENCE.fullmatch(text.strip()) for _, text in _texts(step.arguments, "")):
                await context.check(step.tool, filled if isinstance(filled, dict) else {})
        return {"steps": steps}


def _failed(step: Step, cause: Mapping[str, Any], told: list[dict[str, Any]]) -> Fault:
    message = f"Step {step.id!r} ({step.tool}) failed: {cause['message']}"
    return Fault("step_failed", message, hint=cause.get("hint", ""), step=step.id, cause=dict(cause), steps=told)


def _too_large(step: Step, size: int, allowed: int) -> Fault:
    message = f"With step {step.id!r} the results come to {size} characters of JSON; {allowed} KB are allowed."
    hint = "Have the steps return less, or raise `limits.result_kb` in the definition."
    used = -(-size // _KIBIBYTE)
    return Fault(
        "result_too_large", message, hint=hint, limit="result_kb", allowed=allowed, used=used, size=size, step=step.id
    )


def _filled(value: Any, arguments: Mapping[str, Any], done: Mapping[str, Result] | None, filling: Filling) -> Any:
    """Give *value* with `{input}` replaced by text and whole-string references by what they lead to.

    Without *done*, references stay as written. An argument that is nothing but an input not given is left out.
    Raises: Fault `invalid_params`.
    """
    match value:
        case str():
            whole = _REFERENCE.fullmatch(value.strip())
            if whole is not None:
                return value if done is None else filling.value(_followed(whole[1].strip(), done))
            alone = _INPUT.fullmatch(value)
            if alone is not None and arguments.get(alone[1]) is None:
                return _ABSENT
            return filling.text(_INPUT, value, lambda hole: arguments.get(hole[1]))
        case list():
            items = [_filled(item, arguments, done, filling) for item in value]
            return [item for item in items if item is not _ABSENT]
        case dict():
            members = {name: _filled(item, arguments, done, filling) for name, item in value.items()}
            return {name: item for name, item in members.items() if item is not _ABSENT}
        case _:
            return value


def _followed(reference: str, done: Mapping[str, Result]) -> Any:
    step, parts = _split(reference)
    result = done[step]
    if result.error is not None:
        message = f"{{{{{reference}}}}} needs the result of step {step!r}, which failed"
        raise Fault("invalid_params", message, problems=[{"path": "", "message": message}])
    value = result.value
    for index, part in enumerate(parts or ()):
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            message = (
                f"{{{{{reference}}}}} leads nowhere: step {step!r} gave {shown(value)} where {part!r} was looked up"
            )
            hint = did_you_mean(str(part), value) if isinstance(value, dict) and index >= 0 else ""
            raise Fault("invalid_params", message, hint=hint, problems=[{"path": "", "message": message}]) from None
    return value
