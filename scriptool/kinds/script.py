"""Script: a definition and the outline of a file become a Tool."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sandbox import Fault
from scriptool.definitions.definition import defined
from scriptool.definitions.metadata import Block
from scriptool.definitions.signature import Signature, read_signature
from scriptool.errors import with_file
from scriptool.fields import Definition, Input, ScriptDefinition
from scriptool.schema import OPEN, Problem, Schema
from scriptool.schema import shown as shown_value
from scriptool.standard import Standard
from scriptool.tool import Tool, name_of, words_of


@dataclass(frozen=True)
class Known:
    """What compiling a text told: its *outline* and *warnings* (diagnostics), or the *fault* that stopped it."""

    outline: Mapping[str, Any] | None = None
    warnings: tuple[Mapping[str, Any], ...] = ()
    fault: Fault | None = None


def script_tool(
    *,
    shown: str,
    stem: str,
    definition: ScriptDefinition | None,
    block: Block | None,
    known: Known | None,
    standard: Standard,
) -> Tool:
    """Give the tool of one script.

    *shown* is its path as users see it, *definition* its JSON file, *block* its inline metadata, *known* what
    compiling its text told (None: not compiled yet), *standard* what holds for every tool that says nothing else. What
    definition or block say stands; signature and docstring fill what is missing; contradictions block the tool.
    """
    told = known or Known()
    signature = read_signature(told.outline) if told.outline is not None else Signature()
    own = block.definition(stem) if block is not None and block.fault is None else None
    author = definition or own
    tool = Tool(
        name=name_of(stem),
        description=signature.description or words_of(stem),
        source="script",
        output=Schema(signature.output) if signature.output is not None else None,
        file=shown,
        limits=standard.limits,
        warnings=_warnings(told, author, signature, definition is not None and block is not None),
        checking=known is None,
        form="definition" if definition is not None else "nothing" if block is None else "block",
    )
    tool = replace(tool, input=Schema(_input_document(author, signature)))
    if author is not None:
        unsaid = author is own and block is not None and "description" not in block.fields
        tool = replace(defined(tool, author, standard), main_thread=author.main_thread is not False)
        tool = replace(tool, description=signature.description) if unsaid and signature.description else tool
    faults = [told.fault, block.fault if block is not None and definition is None else None]
    if author is not None and told.outline:
        faults.append(_contradiction(author, told.outline, signature, _places(block if author is own else None)))
    problems = tuple(with_file(fault, shown) for fault in faults if fault is not None)
    return replace(tool, problems=problems, blocked=problems[0] if problems else None)


def _places(block: Block | None) -> Callable[[str], str]:
    """Give what names the place of a field: its line in the block, or the definition file as a whole."""
    return lambda path: f"line {block.line_of(path)}" if block is not None else "the definition"


def _input_document(author: Definition | None, signature: Signature) -> Mapping[str, Any]:
    """Give the input schema: as written, else the author's inputs over what the signature says of the same names."""
    if author is None or (author.input_schema is None and author.inputs is None):
        return signature.input if signature.input is not None else OPEN
    written = author.input_document() or OPEN
    if signature.input is None or author.inputs is None:
        return written
    properties = {
        name: {**signature.input["properties"].get(name, {}), **document}
        for name, document in written["properties"].items()
    }
    merged = {**signature.input, "properties": {**signature.input["properties"], **properties}}
    required = [*signature.input.get("required", ()), *written.get("required", ())]
    return merged | ({"required": list(dict.fromkeys(required))} if required else {})


def _contradiction(
    author: Definition, outline: Mapping[str, Any], signature: Signature, where: Callable[[str], str]
) -> Fault | None:
    """Say where the inputs an author wrote and the signature of `main` cannot both be right, with both places."""
    if signature.input is None or author.inputs is None:
        return None
    parameters = {one["name"]: one for one in outline["parameters"]}
    open_ended = any(one["kind"] == "var_keyword" for one in outline["parameters"])
    problems: list[Problem] = []
    for name, written in author.inputs.items():
        path, parameter = f"/inputs/{name}", parameters.get(name)
        if parameter is not None:
            problems += _clashes(path, written, parameter, signature.input["properties"].get(name, {}), where)
        elif not open_ended:
            hint = "Add it to main, or take it out of the inputs."
            problems.append(
                {"path": path, "message": f"stands in {where(path)}; main has no such parameter", "hint": hint}
            )
    if not problems:
        return None
    said = "; ".join(f"{one['path']}: {one['message']}" for one in problems)
    return Fault("definition_error", f"The inputs and the signature of main differ: {said}", problems=problems)


def _clashes(
    path: str, written: Input, parameter: Mapping[str, Any], read: Mapping[str, Any], where: Callable[[str], str]
) -> Iterator[Problem]:
    line = parameter.get("line", 1)
    place = {"line": line, "column": parameter.get("column", 1)}
    there = f"in line {line} of the script"
    kinds = [read["type"]] if isinstance(read.get("type"), str) else read.get("type", [])
    if kinds and written.type not in kinds and not (written.type == "integer" and "number" in kinds):
        message = f"is {written.type} in {where(f'{path}/type')} and {' or '.join(kinds)} {there}"
        yield {"path": f"{path}/type", "message": message, "hint": "Make them the same."} | place
    default = parameter.get("default", {})
    if "default" in written.model_fields_set and "value" in default and default["value"] != written.default:
        stated = f"is {shown_value(written.default)} in {where(f'{path}/default')}"
        message = f"{stated} and {shown_value(default['value'])} {there}"
        yield {"path": f"{path}/default", "message": message, "hint": "Make them the same, or say it once."} | place


def _told(warning: Mapping[str, Any]) -> str:
    return f"line {warning['line']}: {warning['message']} {warning.get('hint') or ''}".rstrip()


def _warnings(told: Known, author: Definition | None, signature: Signature, two: bool) -> tuple[str, ...]:
    accepted = author.lint if author is not None else {}
    warnings = [_told(one) for one in told.warnings if one["rule"] not in accepted]
    if two:
        warnings.append("the tool block of the script is not read: a JSON file defines it")
    if author is None and told.outline is not None and not signature.description:
        warnings.append("the script has no docstring, so its description is only its name")
    return (*warnings, *signature.warnings)
