"""Judgement: everything that is wrong with the fields of a definition, each with its JSON pointer."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from scriptool.arguments import fit
from scriptool.definitions.resource_judgement import place_problems, resource_problems
from scriptool.errors import STATUS, did_you_mean
from scriptool.fields import (
    KINDS,
    MODELS,
    Check,
    Definition,
    Described,
    Input,
    LimitFields,
    PermissionFields,
    ProbeDefinition,
    PromptDefinition,
    Read,
    ResourceDefinition,
    ScriptDefinition,
    SequenceDefinition,
    Step,
)
from scriptool.jsontext import NotJson, parse
from scriptool.metaschema import schema_problems
from scriptool.objects.readpath import ReadError, check_member, inputs_of, sample
from scriptool.objects.readpath import parse as parse_path
from scriptool.schema import OPEN, Problem, Schema, pointer, shown, type_name
from scriptool.standard import GROUPS
from scriptool.tool import SWITCHES
from scriptool.vocabulary import effort

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""What a tool may be called."""

MAX_PROBLEMS: Final = 100
"""How many problems of one definition are told."""

_EACH: Final = 200
"""Steps that judging each part of a definition may take, all together."""

_MOST: Final = 3_000_000
"""And all of it: some ten seconds."""

RESERVED: Final = frozenset({"definitions_list", "job_status", "job_cancel"})
"""Names of the built-in tools."""


def problems_of(value: Mapping[str, Any], groups: Sequence[str] = GROUPS) -> list[Problem]:
    """Give everything that is wrong with the fields of a definition, each with its JSON pointer; of very much the
    beginning.

    *groups* are those a tool may be in.
    """
    found: list[Problem] = []
    try:
        with effort.bounded(value, each=_EACH, most=_MOST):
            for problem in _problems_of(value, groups):
                if len(found) == MAX_PROBLEMS:
                    return [*found, {"path": "", "message": f"more is wrong than these {MAX_PROBLEMS} problems say"}]
                found.append(problem)
    except effort.TooMuchEffort:
        found.append({"path": "", "message": "takes too long to be judged", "hint": "Make it simpler."})
    return found


def _problems_of(value: Mapping[str, Any], groups: Sequence[str]) -> Iterator[Problem]:
    kind = value.get("kind")
    model = MODELS.get(kind) if isinstance(kind, str) else None
    if model is not None:
        yield from _problems_by(model, value, value, groups)
        return
    # Of what kind it should be is not known: it is judged by the fields that all tools have.
    known = frozenset(name for one in MODELS.values() for name in _names(one))
    common = {name: one for name, one in value.items() if name in _names(Definition)} | {"kind": "script"}
    yield _kind_problem(value)
    yield from _problems_by(Definition, {**value, "kind": "script"}, common, groups, also=known)


def _problems_by(
    model: type[Described],
    value: Mapping[str, Any],
    meant: Mapping[str, Any],
    groups: Sequence[str],
    *,
    also: frozenset[str] = frozenset(),
) -> Iterator[Problem]:
    """Give what is wrong with the shape of *value*, but for unknown fields named in *also*, and with what it says."""
    errors = [one for one in _errors(model, value) if not (one["type"] == "extra_forbidden" and one["loc"][0] in also)]
    yield from (_told(model, one) for one in errors)
    yield from _meant_wrongly(model, meant, {str(one["loc"][0]) for one in errors if one["loc"]}, groups)


_STAND_INS: Final[Mapping[str, Any]] = {
    "name": "stand_in",
    "description": "Stands in.",
    "file": "stand_in.py",
    "reads": [{"id": "stand_in", "path": "@server"}],
    "steps": [{"id": "stand_in", "tool": "stand_in"}],
}
"""Right values for fields that are required, in place of those that are not there or have the wrong shape."""


def _meant_wrongly(
    model: type[Described], value: Mapping[str, Any], misshapen: Collection[str], groups: Sequence[str]
) -> Iterator[Problem]:
    """Give what is wrong with the fields of *value* that are not *misshapen*."""
    kept = {name: one for name, one in value.items() if name not in misshapen}
    needed = {name: one for name, one in _STAND_INS.items() if name in misshapen and name in _names(model)}
    try:
        definition = model.model_validate(kept | needed)
    except ValidationError:
        return
    for problem in _meaning_problems(definition, definition.kind, groups):
        first = str(problem["path"]).split("/")[1:2]
        if not first or first[0] not in misshapen:
            yield problem


def _kind_problem(value: Mapping[str, Any]) -> Problem:
    if "kind" not in value:
        return {"path": "/kind", "message": "is required", "hint": f"One of {', '.join(KINDS)}."}
    hint = did_you_mean(str(value["kind"]), KINDS) or f"One of {', '.join(KINDS)}."
    return {"path": "/kind", "message": f"{shown(value['kind'])} is not a kind of definition", "hint": hint}


def _errors(model: type[Described], value: Mapping[str, Any]) -> list[ErrorDetails]:
    try:
        model.model_validate(value)
    except ValidationError as error:
        return error.errors(include_url=False)
    return []


def _meaning_problems(definition: Described, kind: str, groups: Sequence[str]) -> Iterator[Problem]:
    noun = kind if kind in ("prompt", "resource") else "tool"
    yield from _name_problems("/name", definition.name, noun)
    if not definition.description.strip():
        yield {"path": "/description", "message": "is empty", "hint": f"Say when a caller should use this {noun}."}
    if isinstance(definition, Definition):
        yield from _tool_problems(definition, groups)
        if isinstance(definition, ScriptDefinition) and not definition.file.endswith(".py"):
            yield {"path": "/file", "message": "must be a Python file", "hint": "Its name ends in .py."}
    else:
        for name, one in (definition.inputs or {}).items():
            yield from _input_problems(name, one)
    if isinstance(definition, PromptDefinition):
        yield from place_problems("/file", definition.file)
        if not definition.file.endswith(".md"):
            yield {"path": "/file", "message": "must be a Markdown file", "hint": "Its name ends in .md."}
    if isinstance(definition, ResourceDefinition):
        yield from resource_problems(definition)


def _tool_problems(definition: Definition, groups: Sequence[str]) -> Iterator[Problem]:
    for index, alias in enumerate(definition.aliases):
        yield from _name_problems(f"/aliases/{index}", alias, "tool")
    if definition.group is not None and definition.group not in groups:
        hint = did_you_mean(definition.group, groups) or f"Known groups: {', '.join(groups)}."
        yield {"path": "/group", "message": f"{definition.group!r} is not a known group", "hint": hint}
    schemas = list(_input_side_problems(definition))
    yield from schemas
    yield from _schema_problems("/outputSchema", definition.output_schema)
    yield from _check_problems(definition)
    if definition.kind != "script" and definition.permissions != PermissionFields():
        message = f"a {definition.kind} asks for nothing itself"
        yield {"path": "/permissions", "message": message, "hint": "Take it out; its scripts ask for what they need."}
    if isinstance(definition, ProbeDefinition):
        yield from _probe_problems(definition)
    if isinstance(definition, SequenceDefinition):
        yield from _sequence_problems(definition)
    if not schemas:
        yield from _example_problems(definition)


def _check_problems(definition: Definition) -> Iterator[Problem]:
    for index, check in enumerate(definition.tests):
        said = check.model_fields_set & {"result", "error"}
        if len(said) != 1:
            message = "says both `result` and `error`" if said else "says neither `result` nor `error`"
            yield {"path": f"/tests/{index}", "message": message, "hint": "Say the one that the call must give."}
        if check.error is not None and check.error not in STATUS:
            hint = did_you_mean(check.error, STATUS) or "The page on errors lists them."
            yield {"path": f"/tests/{index}/error", "message": f"{check.error!r} is no error code", "hint": hint}


def _input_side_problems(definition: Definition) -> Iterator[Problem]:
    if definition.inputs is not None and definition.input_schema is not None:
        yield {"path": "/inputSchema", "message": "stands beside `inputs`", "hint": "Keep one of the two."}
    for name, one in (definition.inputs or {}).items():
        yield from _input_problems(name, one)
    found = list(_schema_problems("/inputSchema", definition.input_schema))
    yield from found
    if definition.input_schema is not None and definition.input_schema.get("type") != "object":
        yield {"path": "/inputSchema/type", "message": 'must be "object"', "hint": "Arguments come by name."}
    elif definition.destructive and not found:
        declared = (definition.input_document() or OPEN).get("properties", {})
        word = "inputs" if definition.inputs is not None else "inputSchema/properties"
        for name in SWITCHES:
            if name in declared:
                message = f"{name!r} is taken: every destructive tool has it already"
                yield {"path": f"/{word}/{name}", "message": message, "hint": "Take it out."}


def _name_problems(path: str, name: str, noun: str) -> Iterator[Problem]:
    if not NAME.fullmatch(name):
        hint = "Use lower-case letters, digits and _, a letter first, at most 64 characters."
        yield {"path": path, "message": f"{shown(name)} is not a {noun} name", "hint": hint}
    if noun == "tool" and name in RESERVED:
        yield {"path": path, "message": f"{name!r} is the name of a built-in tool", "hint": "Choose another name."}


def _input_problems(name: str, one: Input) -> Iterator[Problem]:
    path = pointer(("inputs", name))
    if one.items is not None:
        found = schema_problems(one.items)
        yield from ({**problem, "path": f"{path}/items{problem['path']}"} for problem in found)
        if found:
            return
    plain = Schema({key: value for key, value in one.schema_document().items() if key != "default"})
    if one.default is not None and not plain.admits(one.default):
        yield _unfit(f"{path}/default", one.default, plain)
    if one.required and "default" in one.model_fields_set:
        yield {"path": f"{path}/default", "message": "stands on a required input", "hint": "Take one of the two out."}
    typed = Schema({"type": one.type})
    for word, values in (("enum", one.enum), ("suggest", one.suggest)):
        for index, value in enumerate(values or ()):
            if not typed.admits(value):
                yield _unfit(f"{path}/{word}/{index}", value, typed)


def _unfit(path: str, value: Any, schema: Schema) -> Problem:
    reason = "; ".join(problem["message"] for problem in schema.problems(value))
    return {"path": path, "message": f"{shown(value)} does not fit the input: {reason}"}


def _schema_problems(path: str, document: dict[str, Any] | None) -> Iterator[Problem]:
    for problem in schema_problems(document) if document is not None else ():
        yield problem | {"path": path + problem["path"]}


def _probe_problems(definition: ProbeDefinition) -> Iterator[Problem]:
    if definition.main_thread is False:
        message = "may not be false: a probe reads objects of the host, on its main thread"
        yield {"path": "/mainThread", "message": message, "hint": "Take it out."}
    yield from _repeated("reads", [read.id for read in definition.reads])
    declared = (definition.input_document() or OPEN).get("properties", {})
    if definition.mode == "changes" and "since" in declared:
        word = "inputs" if definition.inputs is not None else "inputSchema/properties"
        message = "'since' is taken: every probe in changes mode has it already"
        yield {"path": f"/{word}/since", "message": message, "hint": "Take it out."}
    for index, read in enumerate(definition.reads):
        yield from _read_problems(f"/reads/{index}", read, declared)


def _read_problems(place: str, read: Read, declared: Mapping[str, Any]) -> Iterator[Problem]:
    for name in inputs_of(read.path):
        if name not in declared:
            hint = did_you_mean(name, declared) or "Declare it in `inputs`."
            yield {"path": f"{place}/path", "message": f"{{{name}}} names no input", "hint": hint}
    try:
        parse_path(sample(read.path))
    except ReadError as error:
        yield {"path": f"{place}/path", "message": error.message, "hint": error.hint}
    for index, name in enumerate(read.only or ()):
        try:
            check_member(name)
        except ReadError as error:
            yield {"path": f"{place}/fields/{index}", "message": error.message, "hint": error.hint}


def _sequence_problems(definition: SequenceDefinition) -> Iterator[Problem]:
    yield from _repeated("steps", [step.id for step in definition.steps])
    if definition.undo_group is not None and definition.main_thread is False:
        message = "needs the main thread, and mainThread is false"
        yield {"path": "/undoGroup", "message": message, "hint": "Take one of the two out."}


def _repeated(word: str, ids: list[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, one in enumerate(ids):
        if one in seen:
            message = f"{one!r} is the id of an earlier one"
            yield {"path": f"/{word}/{index}/id", "message": message, "hint": "Each id stands once."}
        seen.add(one)


def _example_problems(definition: Definition) -> Iterator[Problem]:
    document = definition.input_document()
    for index, example in enumerate(definition.examples):
        try:
            value = parse(example.encode()) if isinstance(example, str) else example
        except NotJson as error:
            yield {"path": f"/examples/{index}", "message": f"not JSON: {error.message}", "hint": error.hint}
            continue
        if not isinstance(value, dict):
            yield {"path": f"/examples/{index}", "message": f"must be an object, not {type_name(value)}"}
        elif document is not None:
            for problem in fit(Schema(document), value).problems:
                yield problem | {"path": f"/examples/{index}{problem['path']}"}


def _told(model: type[Described], error: ErrorDetails) -> Problem:
    """Turn one complaint of pydantic into a problem in our words."""
    place = [part for part in error["loc"] if part not in _UNION_BRANCHES]
    path = pointer(place)
    match error["type"]:
        case "missing":
            return {"path": path, "message": "is required"}
        case "extra_forbidden":
            hint = did_you_mean(str(place[-1]), _known(model, place[:-1]))
            return {"path": path, "message": "unknown field"} | ({"hint": hint} if hint else {})
        case _:
            message = error["msg"][:1].lower() + error["msg"][1:]
            return {"path": path, "message": f"{message}, got {shown(error['input'])}"}


_UNION_BRANCHES: Final = frozenset({"int", "float", "constrained-int", "constrained-float", "dict[str,any]", "str"})
"""What pydantic adds to a place for the branch of a union it tried."""

_PARTS: Final[Mapping[str, type[BaseModel]]] = {
    "inputs": Input,
    "limits": LimitFields,
    "permissions": PermissionFields,
    "tests": Check,
    "reads": Read,
    "steps": Step,
}


def _known(model: type[Described], place: list[str | int]) -> list[str]:
    """Give the names of the fields that may stand at a place of a definition."""
    return _names(_PARTS.get(str(place[0]), model) if place else model)


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]
