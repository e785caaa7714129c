"""Definition: the text of one becomes checked fields, or a fault that says everything that is wrong with it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sandbox import Fault
from scriptool.definitions.judgement import problems_of
from scriptool.fields import MODELS, Definition, Described
from scriptool.jsontext import NotJson, Place, decode, parse, places
from scriptool.permission import KINDS, Permissions
from scriptool.schema import Problem, Schema, type_name
from scriptool.standard import GROUPS, Standard
from scriptool.tool import SWITCHES_SCHEMA, Tool


def read_definition(data: bytes, groups: Sequence[str] = GROUPS) -> Described:
    """Give the definition a JSON file holds; *groups* are those a tool may be in.

    Raises: Fault `definition_error` with `problems` (each with path, line and column where they are known), and with
    `diagnostics` where the text is not JSON at all.
    """
    try:
        value = parse(data)
    except NotJson as error:
        raise _not_json(data, error) from None
    if not isinstance(value, dict):
        raise faulty([{"path": "", "message": f"a definition is an object, not {type_name(value)}", "line": 1}])
    found = problems_of(value, groups)
    if not found:
        return MODELS[value["kind"]].model_validate(value)
    known = {tuple(map(str, path)): place for path, place in places(decode(data)).items()}
    raise faulty([problem | _place(known, problem["path"]) for problem in found])


def kind_of(data: bytes) -> str | None:
    """Give the kind that the text of a definition names, however wrong it is otherwise, or None."""
    try:
        value = parse(data)
    except NotJson:
        return None
    kind = value.get("kind") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else None


def _not_json(data: bytes, error: NotJson) -> Fault:
    lines = data.decode("utf-8-sig", "replace").splitlines()
    source = lines[error.line - 1] if error.line <= len(lines) else ""
    place = {"line": error.line, "column": error.column, "end_line": error.line, "end_column": error.column + 1}
    message = f"not JSON: {error.message}"
    diagnostic = {"rule": "json", "severity": "error", "message": message, "source": source, "hint": error.hint}
    problem = {"path": "", "message": message, "line": error.line, "column": error.column, "hint": error.hint}
    said = f"The definition is {message} (line {error.line}, column {error.column})."
    return Fault("definition_error", said, hint=error.hint, problems=[problem], diagnostics=[diagnostic | place])


def faulty(problems: list[Problem]) -> Fault:
    """Make one fault of everything that is wrong with a definition."""
    said = "; ".join(f"{problem['path'] or '(the definition)'}: {problem['message']}" for problem in problems)
    hint = " ".join(dict.fromkeys(problem["hint"] for problem in problems if problem.get("hint")))
    return Fault("definition_error", f"The definition is not valid: {said}", hint=hint, problems=problems)


def _place(known: Mapping[tuple[str, ...], Place], path: str) -> dict[str, int]:
    """Give line and column of the nearest value around a JSON pointer."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    while tuple(parts) not in known and parts:
        parts.pop()
    line, column = known.get(tuple(parts), (1, 1))
    return {"line": line, "column": column}


def defined(tool: Tool, definition: Definition, standard: Standard) -> Tool:
    """Give *tool* with what its definition says standing before what was found elsewhere.

    *standard* is what holds for every tool that says nothing else.
    """
    safe = definition.idempotency == "safe" if definition.idempotency is not None else tool.idempotent
    tool = replace(
        tool,
        name=definition.name,
        description=definition.description,
        title=definition.title,
        group=definition.group or standard.group_of(definition.name),
        tags=tuple(definition.tags),
        idempotent=safe,
        destructive=bool(definition.destructive),
        always_load=definition.always_load,
        max_result_chars=definition.max_result_size_chars,
        examples=tuple(parse(one.encode()) if isinstance(one, str) else one for one in definition.examples),
        tests=tuple(definition.tests),
        aliases=tuple(definition.aliases),
        limits=definition.limits.within(standard.limits, standard.ceiling),
        warnings=(*tool.warnings, *_idle(definition)),
        permissions=Permissions(**{kind: tuple(getattr(definition.permissions, kind)) for kind in KINDS}),
    )
    if definition.output_schema is not None:
        tool = replace(tool, output=Schema(definition.output_schema), output_written=True)
    return with_switches(tool) if tool.destructive else tool


_BOUND: Final[Mapping[str, Collection[str]]] = {"probe": ("seconds",), "sequence": ("seconds", "result_kb")}


def _idle(definition: Definition) -> Iterator[str]:
    """Say which limits and permissions have nothing to bound or to allow."""
    if definition.kind not in _BOUND:
        return
    for name in sorted(definition.limits.model_fields_set - set(_BOUND[definition.kind])):
        yield f"limits.{name} bounds nothing in a {definition.kind}"
    for name in sorted(definition.permissions.model_fields_set):
        yield f"permissions.{name} allows nothing: a {definition.kind} asks for nothing itself"


def with_switches(tool: Tool) -> Tool:
    """Give a destructive tool the arguments `confirm` and `dry_run`."""
    document = tool.input.document
    properties = {**document.get("properties", {}), **SWITCHES_SCHEMA}
    return replace(tool, destructive=True, input=Schema({**document, "properties": properties}))
