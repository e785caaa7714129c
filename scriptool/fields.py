"""Fields: what a definition of each kind may say, with its defaults. Shapes only; `definition` judges the rest."""

from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from sandbox import Limits

InputType = Literal["string", "integer", "number", "boolean", "object", "array"]
Text = Annotated[str, Field(min_length=1)]

KINDS: Final = ("script", "probe", "sequence", "prompt", "resource")
"""Kinds of definition, in the words authors write."""


class Fields(BaseModel):
    """Fields of an author: nothing unknown, nothing converted, nothing changed later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Input(Fields):
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

    def schema_document(self) -> dict[str, Any]:
        """Give the JSON Schema of this input; a default of null admits null."""
        names = {"description", "default", "enum", "format", "write_only", "items", "minimum", "maximum"}
        stated = self.model_dump(by_alias=True, include=self.model_fields_set & names)
        nullable = "default" in self.model_fields_set and self.default is None
        schema: dict[str, Any] = {"type": [self.type, "null"] if nullable else self.type} | stated
        if nullable and self.enum is not None:
            schema["enum"] = [*self.enum, None]
        return schema | ({"examples": self.suggest} if self.suggest else {})


class LimitFields(Fields):
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


class PermissionFields(Fields):
    """What a tool asks to reach: hosts, folders, secrets by name, tools by pattern."""

    net: list[Text] = []
    read: list[Text] = []
    write: list[Text] = []
    secrets: list[Text] = []
    tools: list[Text] = []


class Check(Fields):
    """One entry of `tests`: arguments, and the result or the error code they must give."""

    args: dict[str, Any] = {}
    result: Any = None
    error: str | None = None


class Read(Fields):
    """One read of a probe."""

    id: Text
    path: Text
    depth: Annotated[int, Field(ge=0)] = 2
    max_items: Annotated[int, Field(ge=1)] = 20
    only: list[Text] | None = Field(None, alias="fields")


class Step(Fields):
    """One step of a sequence."""

    id: Text
    tool: Text
    arguments: dict[str, Any] = {}
    continue_on_error: bool = False


class Described(Fields):
    """What a definition of any kind may say."""

    schema_: str | None = Field(None, alias="$schema")
    name: str
    description: str
    kind: str
    title: str | None = None
    inputs: dict[str, Input] | None = None
    enabled: bool = True

    def input_document(self) -> dict[str, Any] | None:
        """Give the input schema made of `inputs`; None when there are none."""
        if self.inputs is None:
            return None
        properties = {name: one.schema_document() for name, one in self.inputs.items()}
        required = [name for name, one in self.inputs.items() if one.required]
        document: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        return document | ({"required": required} if required else {})


class Definition(Described):
    """What a definition of a tool may say: a JSON file, or a `# /// tool` block in a script."""

    kind: Literal["script", "probe", "sequence"]
    group: str | None = None
    tags: list[Text] = []
    idempotency: Literal["safe", "unsafe"] | None = None
    main_thread: bool | None = Field(None, alias="mainThread")
    destructive: bool | None = None
    always_load: bool = Field(False, alias="alwaysLoad")
    max_result_size_chars: Annotated[int, Field(ge=0)] = Field(0, alias="maxResultSizeChars")
    input_schema: dict[str, Any] | None = Field(None, alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(None, alias="outputSchema")
    examples: list[dict[str, Any] | str] = []
    tests: list[Check] = []
    aliases: list[str] = []
    lint: dict[str, Text] = {}
    limits: LimitFields = LimitFields()
    permissions: PermissionFields = PermissionFields()

    def input_document(self) -> dict[str, Any] | None:
        """Give the written input schema: of `inputSchema`, or made of `inputs`; None when neither is there."""
        return self.input_schema if self.input_schema is not None else super().input_document()


class ScriptDefinition(Definition):
    """A tool that runs a script; *file* is absolute or relative to the definition."""

    kind: Literal["script"]
    file: Text


class ProbeDefinition(Definition):
    """A tool that reads live objects of the host."""

    kind: Literal["probe"]
    reads: Annotated[list[Read], Field(min_length=1)]
    mode: Literal["full", "changes"] = "full"


class SequenceDefinition(Definition):
    """A tool that calls other tools, one after the other."""

    kind: Literal["sequence"]
    steps: Annotated[list[Step], Field(min_length=1)]
    undo_group: str | None = Field(None, alias="undoGroup")


class PromptDefinition(Described):
    """A text for a conversation, with inputs in it; *file* is a Markdown file, relative to the definition."""

    kind: Literal["prompt"]
    file: Text


class ResourceDefinition(Described):
    """Something to read at a *uri*: a file, the files of a folder, or what a tool gives."""

    kind: Literal["resource"]
    uri: Text | None = None
    file: Text | None = None
    folder: Text | None = None
    tool: Text | None = None
    arguments: dict[str, Any] | None = None
    mime_type: Text | None = Field(None, alias="mimeType")


MODELS: Final[dict[str, type[Described]]] = {
    "script": ScriptDefinition,
    "probe": ProbeDefinition,
    "sequence": SequenceDefinition,
    "prompt": PromptDefinition,
    "resource": ResourceDefinition,
}
"""The fields of each kind."""
