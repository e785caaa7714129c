"""Offering: the prompts and resources that the files of the searched folders make."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from sandbox import Fault
from scriptool.definitions.definition import faulty
from scriptool.definitions.judgement import MAX_PROBLEMS
from scriptool.definitions.prompttext import place_problems
from scriptool.definitions.resource_judgement import uri_of
from scriptool.definitions.sources import Source, Sources, own_fault, shown_path
from scriptool.definitions.uritemplate import UriTemplate, parse
from scriptool.errors import did_you_mean, with_file
from scriptool.fields import Described, PromptDefinition, ResourceDefinition
from scriptool.folder import unreadable
from scriptool.kinds.offer import Offer, Prompt, Resource
from scriptool.schema import Schema
from scriptool.tool import Tool, name_of, words_of

AnyOffer = TypeVar("AnyOffer", bound=Offer)

_CLOSED: Final[Mapping[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": False}


class Offering:
    """What files offer beside tools; each prompt and resource is made once for the texts it is made of."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[tuple[object, ...], Any]] = {}

    def forget(self, sources: Sources) -> None:
        """Forget what was made of files that are no longer there."""
        self._made = {place: made for place, made in self._made.items() if place[0] in sources.files}

    def prompts(self, sources: Sources, root: Path) -> Iterator[Prompt]:
        """Give the prompts of one root: JSON files of that kind, and Markdown files that describe themselves."""
        named: set[Path | None] = set()
        for source in sources.under(root):
            if not source.is_definition:
                continue
            definition = source.said
            named.add(source.named)
            if source.definition is None:
                named.add(source.path.with_suffix(".md"))
            if _offers(source, definition, PromptDefinition, "prompt"):
                file = sources.files.get(source.named or source.path)
                yield self._once(source, definition, file, _prompt)
        for source in sources.under(root):
            text = source.prompt
            if text is None or text.block is None or source.path in named or not source.path.is_relative_to(root):
                continue
            own = text.definition(source.path.stem)
            if own is None or own.enabled:
                yield self._once(source, own, source, _prompt)

    def resources(self, sources: Sources, root: Path) -> Iterator[Resource]:
        """Give the resources of one root."""
        for source in sources.under(root):
            definition = source.said
            if source.is_definition and _offers(source, definition, ResourceDefinition, "resource"):
                yield self._once(source, definition, None, _resource)

    def _once(self, source: Source, definition: Described | None, text: Source | None, make: Any) -> Any:
        """Make the offer of *source*, or give the one made before of the same texts."""
        key = (definition, source.fault, text and text.digest, text and text.fault)
        made = self._made.get((source.path, make))
        if made is None or made[0] != key:
            try:
                offer = make(source, definition, text)
            except Exception:
                offer = make(replace(source, fault=own_fault(source.shown)), None, None)
            made = self._made[(source.path, make)] = (key, offer)
        return made[1]


def joined(resources: Mapping[str, Resource], tools: Mapping[str, Tool]) -> dict[str, Resource]:
    """Give *resources* judged beside each other and the *tools* they name."""
    seen: dict[str, Resource] = {}
    return {name: _beside(one, seen, tools) for name, one in resources.items()}


def _beside(one: Resource, seen: dict[str, Resource], tools: Mapping[str, Tool]) -> Resource:
    if one.blocked is not None:
        return one
    problem = _tool_problem(one, tools) if one.kind == "tool" else None
    first = seen.setdefault(one.template.text, one)
    if first is not one:
        message = f"{one.template.text} is the URI of {first.name!r} already"
        problem = {"path": "/uri", "message": message, "hint": "Give each resource a URI of its own."}
    return one if problem is None else _blocked(one, with_file(faulty([problem]), one.shown))


def _offers(source: Source, definition: Described | None, model: type[Described], kind: str) -> bool:
    """Say whether a JSON file makes an offer of this kind: by what it says, or said when it was last right."""
    if definition is None:
        return source.kind == kind
    return isinstance(definition, model) and definition.enabled


def makes_offer(source: Source) -> bool:
    """Say whether a JSON file is about a prompt or a resource, so that it is no tool."""
    definition = source.said
    if definition is None:
        return source.kind in ("prompt", "resource")
    return isinstance(definition, PromptDefinition | ResourceDefinition)


def _prompt(source: Source, definition: PromptDefinition | None, text: Source | None) -> Prompt:
    stem = source.path.stem
    if definition is None:
        prompt = Prompt(name_of(stem), words_of(stem), source.path, source.shown, source.is_definition)
        fault = source.fault
        if fault is None and text is not None and text.prompt is not None and text.prompt.block is not None:
            fault = text.prompt.block.fault
        return _blocked(prompt, with_file(fault, source.shown) if fault is not None else None)
    path = source.named if source.is_definition else source.path
    prompt = Prompt(
        name=definition.name,
        description=definition.description,
        path=source.path,
        shown=source.shown,
        definition=source.is_definition,
        title=definition.title,
        text=path or source.path,
        inputs=definition.inputs or {},
        input=Schema(definition.input_document() or _CLOSED),
    )
    shown = shown_path(prompt.text, source.root)
    fault = source.fault or (unreadable(shown, "it is gone") if text is None else text.fault)
    if fault is None and text is not None and text.prompt is not None:
        problems = list(islice(place_problems(text.prompt, definition, shown), MAX_PROBLEMS))
        fault = with_file(faulty(problems), source.shown) if problems else None
    return _blocked(prompt, fault)


def _resource(source: Source, definition: ResourceDefinition | None, _text: None) -> Resource:
    stem = source.path.stem
    if definition is None:
        return _blocked(Resource(name_of(stem), words_of(stem), source.path, source.shown), source.fault)
    kind: Literal["file", "folder", "tool"] = "file" if definition.file else "folder" if definition.folder else "tool"
    template = parse(uri_of(definition, kind))
    resource = Resource(
        name=definition.name,
        description=definition.description,
        path=source.path,
        shown=source.shown,
        title=definition.title,
        kind=kind,
        template=template,
        folder=source.path.parent,
        place=definition.file or definition.folder or "",
        tool=definition.tool or "",
        arguments=definition.arguments,
        inputs=definition.inputs or {},
        input=Schema(_variables(definition, template)),
        mime_type=definition.mime_type,
    )
    return _blocked(resource, source.fault)


def _variables(definition: ResourceDefinition, template: UriTemplate) -> Mapping[str, Any]:
    """Give the schema of a template's variables: texts, where no input says more."""
    document = definition.input_document() or _CLOSED
    properties = {name: {"type": "string"} for name in template.variables} | dict(document["properties"])
    required = [name for name in template.variables if name not in template.parameters]
    return {**document, "properties": properties, "required": [*required, *document.get("required", ())]}


def _tool_problem(resource: Resource, tools: Mapping[str, Tool]) -> dict[str, Any] | None:
    tool = tools.get(resource.tool)
    if tool is None:
        problem = {"path": "/tool", "message": f"there is no tool named {resource.tool!r}"}
        hint = did_you_mean(resource.tool, tools)
        return problem | ({"hint": hint} if hint else {})
    if tool.destructive:
        message = f"{resource.tool!r} is destructive, and who reads a resource expects that nothing changes"
        return {"path": "/tool", "message": message, "hint": "Name a tool that only looks."}
    return None


def _blocked(offer: AnyOffer, fault: Fault | None) -> AnyOffer:
    return offer if fault is None else replace(offer, blocked=fault, problems=(fault, *offer.problems))
