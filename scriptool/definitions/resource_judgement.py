"""Resource judgement: what is wrong with the definition of a resource: its source, its URI, its arguments."""

from collections.abc import Iterator
from typing import Any, Final

from scriptool.definitions.uritemplate import NotATemplate, UriTemplate, parse
from scriptool.errors import did_you_mean
from scriptool.fields import ResourceDefinition
from scriptool.objects.readpath import inputs_of
from scriptool.schema import Problem, pointer

OWN_SCHEME: Final = "scriptool:"
"""The scheme of what the server itself offers."""


def resource_problems(definition: ResourceDefinition) -> Iterator[Problem]:
    """Give what is wrong with the fields that only a resource has."""
    sources = {name: getattr(definition, name) for name in ("file", "folder", "tool")}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        message = f"names {' and '.join(given)}" if given else "names neither a file, a folder nor a tool"
        yield {"path": f"/{given[1]}" if given else "", "message": message, "hint": "A resource has one source."}
        return
    kind = given[0]
    if kind != "tool":
        yield from place_problems(f"/{kind}", sources[kind] or "")
        for name in ("inputs", "arguments"):
            if getattr(definition, name) is not None:
                yield {"path": f"/{name}", "message": f"stands beside `{kind}`", "hint": "Only a tool takes arguments."}
    yield from _uri_problems(definition, kind, uri_of(definition, kind))


def uri_of(definition: ResourceDefinition, kind: str) -> str:
    """Give the URI template of a resource, also where its author wrote none."""
    if definition.uri is not None:
        return definition.uri
    uri = f"{OWN_SCHEME}//resources/{definition.name}"
    if kind == "folder":
        return uri + "/{+path}"
    return uri + (f"{{?{','.join(definition.inputs)}}}" if definition.inputs else "")


def _uri_problems(definition: ResourceDefinition, kind: str, uri: str) -> Iterator[Problem]:
    try:
        template = parse(uri)
    except NotATemplate as error:
        yield {"path": "/uri", "message": error.message} | ({"hint": error.hint} if error.hint else {})
        return
    if definition.uri is not None and uri.lower().startswith(OWN_SCHEME):
        hint = "Choose a scheme of your own, as in notes://today."
        yield {"path": "/uri", "message": f"{OWN_SCHEME} is the server's own scheme", "hint": hint}
    if kind == "file" and template.variables:
        yield {"path": "/uri", "message": "has variables, and a file has none", "hint": "Name a folder or a tool."}
    if kind == "folder" and (len(template.variables) != 1 or template.rest is None):
        hint = "End it with {+path}, which stands for the path of a file in the folder."
        yield {"path": "/uri", "message": "must have one variable, for all that is left", "hint": hint}
    if kind == "tool":
        yield from _variable_problems(definition, template)


def _variable_problems(definition: ResourceDefinition, template: UriTemplate) -> Iterator[Problem]:
    for name in definition.inputs or ():
        if name not in template.variables:
            hint = did_you_mean(name, template.variables) or f"Write {{{name}}} or {{?{name}}} in the URI."
            yield {"path": pointer(("inputs", name)), "message": "is no variable of the URI", "hint": hint}
    for key, value in (definition.arguments or {}).items():
        for name in (name for text in _texts(value) for name in inputs_of(text)):
            if name not in template.variables:
                hint = did_you_mean(name, template.variables) or f"Write {{{name}}} or {{?{name}}} in the URI."
                message = f"{{{name}}} is no variable of the URI"
                yield {"path": pointer(("arguments", key)), "message": message, "hint": hint}


def place_problems(path: str, place: str) -> Iterator[Problem]:
    """Say why *place* cannot lie in the definition's folder."""
    parts = place.replace("\\", "/").split("/")
    if place.startswith(("/", "\\")) or ".." in parts or "\0" in place:
        hint = "Name it from the folder of this definition on, without `..`."
        yield {"path": path, "message": "may lead out of the tools folder", "hint": hint}
    elif any(part.startswith(".") and part != "." for part in parts):
        yield {"path": path, "message": "is hidden: a name in it begins with a dot", "hint": "Rename it."}


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for item in value.values():
                yield from _texts(item)
