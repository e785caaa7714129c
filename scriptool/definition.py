"""Definition: what an author wrote about a tool, as checked fields; or everything that is wrong with the text."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from sandbox import Fault, Limits
from scriptool.errors import did_you_mean
from scriptool.jsontext import NotJson, Place, decode, parse, places
from scriptool.schema import Problem, Schema, pointer, schema_problems, shown, type_name

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""What a tool may be called."""

RESERVED: Final = frozenset({"definitions_list", "job_status", "job_cancel"})
"""Names of the built-in tools."""

GROUPS: Final = ("diagnostics", "authoring", "rendering", "timeline", "build", "code", "input")
"""Groups every server knows; the operator may add some."""

InputType = Literal["string", "integer", "number", "boolean", "object", "array"]


class _Fields(BaseModel):
    """Fields of an author: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Input(_Fields):
    """One entry of `inputs`."""

    type: InputType
    description: str = ""
    required: bool = False
    default: Any = None
    enum: list[Any] | None = None
    suggest: list[Any] | None = None
    format: str | None = None
    write_only: bool = Field(False, alias="writeOnly")
    items: dict[str, Any] | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None

    def schema(self) -> dict[str, Any]:
        """Give the JSON Schema of this input."""
        names = {"description", "default", "enum", "format", "write_only", "items", "minimum", "maximum"}
        stated = self.model_dump(by_alias=True, include=self.model_fields_set & names)
        nullable = "default" in self.model_fields_set and self.default is None
        schema: dict[str, Any] = {"type": [self.type, "null"] if nullable else self.type} | stated
        if self.suggest:
            schema["examples"] = self.suggest
        return schema


class LimitFields(_Fields):
    """The `limits` of a definition; see `sandbox.Limits` for what each bounds."""

    seconds: Annotated[float | int, Field(gt=0)] | None = None
    memory_mb: Annotated[int, Field(ge=16)] | None = None
    output_kb: Annotated[int, Field(ge=0)] | None = None
    result_kb: Annotated[int, Field(ge=1)] | None = None
    source_kb: Annotated[int, Field(ge=1)] | None = None

    def within(self, standard: Limits, ceiling: Limits) -> Limits:
        """Give the limits of a call: what is written here, else *standard*, never over the operator's *ceiling*."""
        wished = asdict(standard) | self.model_dump(exclude_none=True)
        most = asdict(ceiling)
        return Limits(**{name: min(value, most[name]) for name, value in wished.items()})


class Definition(_Fields):
    """What an author wrote about one tool: a JSON file, or a `# /// tool` block in its script."""

    schema_: str | None = Field(None, alias="$schema")
    name: str
    description: str
    kind: Literal["script"]
    file: str
    title: str | None = None
    group: str | None = None
    idempotency: Literal["safe", "unsafe"] | None = None
    destructive: bool = False
    always_load: bool = Field(False, alias="alwaysLoad")
    max_result_size_chars: Annotated[int, Field(ge=0)] = Field(0, alias="maxResultSizeChars")
    inputs: dict[str, Input] | None = None
    input_schema: dict[str, Any] | None = Field(None, alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(None, alias="outputSchema")
    enabled: bool = True
    limits: LimitFields = LimitFields()

    def input_document(self) -> dict[str, Any] | None:
        """Give the written input schema: of `inputSchema`, or made of `inputs`; None when neither is there."""
        if self.input_schema is not None:
            return self.input_schema
        if self.inputs is None:
            return None
        properties = {name: one.schema() for name, one in self.inputs.items()}
        required = [name for name, one in self.inputs.items() if one.required]
        document: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        return document | ({"required": required} if required else {})


def read_definition(data: bytes) -> Definition:
    """Give the definition a JSON file holds.

    Raises: Fault `definition_error` with `problems` (each with path, line and column where they are known), and with
    `diagnostics` where the text is not JSON at all.
    """
    try:
        value = parse(data)
    except NotJson as error:
        raise _not_json(data, error) from None
    if not isinstance(value, dict):
        raise _faulty([{"path": "", "message": f"a definition is an object, not {type_name(value)}", "line": 1}])
    found = list(_problems(value))
    if not found:
        return Definition.model_validate(value)
    where = places(decode(data))
    raise _faulty([problem | _place(where, problem["path"]) for problem in found])


def _not_json(data: bytes, error: NotJson) -> Fault:
    lines = data.decode("utf-8-sig", "replace").splitlines()
    source = lines[error.line - 1] if error.line <= len(lines) else ""
    place = {"line": error.line, "column": error.column, "end_line": error.line, "end_column": error.column + 1}
    message = f"not JSON: {error.message}"
    diagnostic = {"rule": "json", "severity": "error", "message": message, "source": source, "hint": error.hint}
    problem = {"path": "", "message": message, "line": error.line, "column": error.column, "hint": error.hint}
    said = f"The definition is {message} (line {error.line}, column {error.column})."
    return Fault("definition_error", said, hint=error.hint, problems=[problem], diagnostics=[diagnostic | place])


def _faulty(problems: list[Problem]) -> Fault:
    said = "; ".join(f"{problem['path'] or '(the definition)'}: {problem['message']}" for problem in problems)
    hint = " ".join(dict.fromkeys(problem["hint"] for problem in problems if problem.get("hint")))
    return Fault("definition_error", f"The definition is not valid: {said}", hint=hint, problems=problems)


def _place(where: Mapping[tuple[str | int, ...], Place], path: str) -> dict[str, int]:
    """Give line and column of the nearest value around a JSON pointer."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    known = {tuple(map(str, one)): place for one, place in where.items()}
    while tuple(parts) not in known and parts:
        parts.pop()
    line, column = known.get(tuple(parts), (1, 1))
    return {"line": line, "column": column}


def _problems(value: dict[str, Any]) -> Iterator[Problem]:
    try:
        definition = Definition.model_validate(value)
    except ValidationError as error:
        yield from (_told(one) for one in error.errors(include_url=False))
        return
    yield from _name_problems(definition.name)
    if not definition.description.strip():
        yield {"path": "/description", "message": "is empty", "hint": "Say when a caller should use this tool."}
    if definition.group is not None and definition.group not in GROUPS:
        hint = did_you_mean(definition.group, GROUPS) or f"Known groups: {', '.join(GROUPS)}."
        yield {"path": "/group", "message": f"{definition.group!r} is not a known group", "hint": hint}
    if definition.inputs is not None and definition.input_schema is not None:
        yield {"path": "/inputSchema", "message": "stands beside `inputs`", "hint": "Keep one of the two."}
    for name, one in (definition.inputs or {}).items():
        yield from _input_problems(name, one)
    yield from _schema_problems("/inputSchema", definition.input_schema)
    yield from _schema_problems("/outputSchema", definition.output_schema)
    if definition.input_schema is not None and definition.input_schema.get("type") != "object":
        yield {"path": "/inputSchema/type", "message": 'must be "object"', "hint": "Arguments come by name."}


def _name_problems(name: str) -> Iterator[Problem]:
    if not NAME.fullmatch(name):
        hint = "Use lower-case letters, digits and _, a letter first, at most 64 characters."
        yield {"path": "/name", "message": f"{shown(name)} is not a tool name", "hint": hint}
    if name in RESERVED:
        yield {"path": "/name", "message": f"{name!r} is the name of a built-in tool", "hint": "Choose another name."}


def _input_problems(name: str, one: Input) -> Iterator[Problem]:
    path = pointer(("inputs", name))
    if one.items is not None:
        found = schema_problems(one.items)
        yield from ({**problem, "path": f"{path}/items{problem['path']}"} for problem in found)
        if found:
            return
    plain = Schema({key: value for key, value in one.schema().items() if key != "default"})
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


def _told(error: ErrorDetails) -> Problem:
    """Turn one complaint of pydantic into a problem in our words."""
    place = [part for part in error["loc"] if part not in ("int", "float", "constrained-int")]
    path = pointer(part for part in place if isinstance(part, str | int))
    match error["type"]:
        case "missing":
            return {"path": path, "message": "is required"}
        case "extra_forbidden":
            known = _known(place[:-1])
            return {"path": path, "message": "unknown field", "hint": did_you_mean(str(place[-1]), known)}
        case _:
            message = error["msg"][:1].lower() + error["msg"][1:]
            return {"path": path, "message": f"{message}, got {shown(error['input'])}"}


def _known(place: list[str | int]) -> list[str]:
    """Give the names of the fields that may stand at a place of a definition."""
    model: type[BaseModel] = Definition
    if place[:1] == ["inputs"]:
        model = Input
    elif place[:1] == ["limits"]:
        model = LimitFields
    return [field.alias or name for name, field in model.model_fields.items()]
