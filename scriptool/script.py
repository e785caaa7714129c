"""Script: a definition and the outline of a file become a Tool."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sandbox import Fault, Limits
from scriptool.definition import GROUPS, Definition
from scriptool.schema import OPEN, Schema
from scriptool.signature import Signature, read_signature
from scriptool.tool import Tool, name_of, words_of

_GROUPS_BY_PREFIX: Final[Mapping[str, str]] = {"definitions": "diagnostics"}

_SWITCHES: Final[Mapping[str, Any]] = {
    "confirm": {"type": "boolean", "description": "true to really do it", "default": False},
    "dry_run": {"type": "boolean", "description": "true to only check what would be done", "default": False},
}
"""What a destructive tool takes beside its own arguments."""


@dataclass(frozen=True)
class Known:
    """What compiling a text told: its *outline* and *warnings* (diagnostics), or the *fault* that stopped it."""

    outline: Mapping[str, Any] | None = None
    warnings: tuple[Mapping[str, Any], ...] = ()
    fault: Fault | None = None


def script_tool(
    *, shown: str, stem: str, definition: Definition | None, known: Known | None, limits: Limits, ceiling: Limits
) -> Tool:
    """Give the tool of one script.

    *shown* is its path as users see it, *known* what compiling its text told (None: not compiled yet); *limits* are
    the standard ones, *ceiling* the operator's.
    """
    signature = read_signature(known.outline) if known is not None and known.outline is not None else Signature()
    blocked = known.fault if known is not None else None
    tool = Tool(
        name=definition.name if definition is not None else name_of(stem),
        description=definition.description if definition is not None else signature.description or words_of(stem),
        source="script",
        input=Schema(signature.input if signature.input is not None else OPEN),
        output=Schema(signature.output) if signature.output is not None else None,
        file=shown,
        limits=limits,
        warnings=_warnings(definition, signature, known),
        problems=(blocked,) if blocked is not None else (),
        blocked=blocked,
        checking=known is None,
    )
    return _defined(tool, definition, limits, ceiling) if definition is not None else tool


def _defined(tool: Tool, definition: Definition, limits: Limits, ceiling: Limits) -> Tool:
    """Let what a definition says stand before what was read from the script."""
    document = definition.input_document()
    input_schema = document if document is not None else tool.input.document
    if definition.destructive:
        input_schema = with_switches(input_schema)
    return replace(
        tool,
        title=definition.title,
        group=definition.group or group_of(definition.name),
        idempotent=definition.idempotency == "safe",
        destructive=definition.destructive,
        always_load=definition.always_load,
        max_result_chars=definition.max_result_size_chars,
        input=Schema(input_schema),
        output=Schema(definition.output_schema) if definition.output_schema is not None else tool.output,
        output_written=definition.output_schema is not None,
        limits=definition.limits.within(limits, ceiling),
    )


def with_switches(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give an input schema that also takes `confirm` and `dry_run`."""
    return dict(document) | {"properties": {**document.get("properties", {}), **_SWITCHES}}


def group_of(name: str) -> str:
    """Give the group a tool belongs to by the first word of its name."""
    prefix = name.split("_")[0]
    return prefix if prefix in GROUPS else _GROUPS_BY_PREFIX.get(prefix, "code")


def _warnings(definition: Definition | None, signature: Signature, known: Known | None) -> tuple[str, ...]:
    told = [f"line {one['line']}: {one['message']}" for one in known.warnings] if known is not None else []
    if definition is None and known is not None and known.outline is not None and not signature.description:
        told.append("the script has no docstring, so its description is only its name")
    return (*told, *signature.warnings)
