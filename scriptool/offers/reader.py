"""Reader: resources by their URI, of files, folders and tools, and the server's own. Speaks no protocol."""

import asyncio
import base64
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sandbox import Fault
from scriptool.arguments import fit
from scriptool.call import Call, Caller, Result
from scriptool.definitions.filling import Filling
from scriptool.errors import close_names, invalid_params
from scriptool.folders.catalog import Catalog
from scriptool.folders.library import Library
from scriptool.kinds.offer import Resource
from scriptool.kinds.reading import Reading, files_inside, identities, read_inside, reading_of, stamp_inside
from scriptool.offers.own_resources import OwnResource, tool_stamp
from scriptool.tool import Tool

_HOLE: Final = re.compile(r"\{([A-Za-z_]\w*)\}", re.ASCII)

Found = tuple[Resource | OwnResource, dict[str, str]]


class Reader:
    """Reads resources. Lives as long as the server.

    *call* calls tools, *own* are the server's own resources, *hidden* are files that nobody may read here.
    """

    def __init__(
        self,
        library: Library,
        call: Callable[[Call], Awaitable[Result]],
        own: Sequence[OwnResource],
        hidden: Sequence[Path] = (),
    ) -> None:
        self._library = library
        self._call = call
        self._hidden = tuple(hidden)
        self.own = tuple(own)

    async def read(self, uri: str, caller: Caller) -> Reading:
        """Give what the resource at *uri* holds now.

        Raises: Fault `not_found`, `definition_error`, `script_unreadable`, `invalid_params`, and what the tool of a
        resource ended with.
        """
        catalog = await self._library.looked_over()
        resource, variables = self._find(catalog, uri)
        if isinstance(resource, OwnResource):
            return await resource.read(uri, variables)
        if resource.blocked is not None:
            raise resource.blocked
        if resource.kind == "tool":
            return await self._ask(resource, uri, variables, caller)
        place = _place(resource, variables)
        data = await asyncio.to_thread(self._file, resource.folder, place)
        return reading_of(uri, data, place, resource.mime_type)

    async def picture(self, folder: Path, place: str) -> Reading:
        """Give the file *place* in *folder*. Raises: Fault `not_found`, `script_unreadable`."""
        data = await asyncio.to_thread(self._file, folder, place)
        return reading_of(place, data, place, None)

    def stamp(self, uri: str) -> object:
        """Give something that differs once what is at *uri* may read differently; None if nothing is. Blocks."""
        catalog = self._library.catalog
        try:
            resource, variables = self._find(catalog, uri)
        except Fault:
            return None
        if isinstance(resource, OwnResource):
            return resource.stamp(variables)
        if resource.kind == "tool":
            return (resource, tool_stamp(catalog, resource.tool))
        return (resource, stamp_inside(resource.folder, _place(resource, variables)))

    async def values(self, template: str, variable: str) -> list[Any] | None:
        """Give what a variable of a *template*, as listed, may be, as far as that is known; None for no template."""
        catalog = await self._library.looked_over()
        for resource in _all(self.own, catalog):
            if resource.template.text != template:
                continue
            if isinstance(resource, OwnResource):
                return resource.values()
            if resource.kind == "folder":
                return list(await asyncio.to_thread(files_inside, resource.folder, resource.place))
            own = resource.inputs.get(variable)
            document = own.schema_document() if own is not None else _argument(resource, variable, catalog)
            return proposed(document)
        return None

    def _file(self, folder: Path, place: str) -> bytes:
        return read_inside(folder, place, identities(self._hidden))

    def _find(self, catalog: Catalog, uri: str) -> Found:
        """Find what a URI names: a resource of just that URI, else the first whose template it fits."""
        found = [
            (resource, variables)
            for resource in _all(self.own, catalog)
            if (variables := resource.template.match(uri)) is not None
        ]
        if found:
            return min(found, key=lambda one: len(one[1]))
        known = [one.template.text for one in _all(self.own, catalog)]
        close = close_names(uri, known)
        hint = f"Did you mean {' or '.join(close)}?" if close else "List the resources to see their URIs."
        raise Fault("not_found", f"There is no resource {uri[:200]!r}.", hint=hint, uri=uri[:200])

    async def _ask(self, resource: Resource, uri: str, variables: Mapping[str, str], caller: Caller) -> Reading:
        fitted = fit(resource.input, variables)
        if fitted.problems:
            raise invalid_params(resource.name, fitted.problems)
        arguments = fitted.value if resource.arguments is None else _filled(resource.arguments, fitted.value, Filling())
        result = await self._call(Call(resource.tool, arguments, caller))
        if result.error is not None:
            error = dict(result.error)
            hint = error.pop("hint", "")
            raise Fault(error.pop("code"), error.pop("message"), hint=hint, **error)
        return _reading(uri, result, resource.mime_type)


def _all(own: Sequence[OwnResource], catalog: Catalog) -> Iterator[Resource | OwnResource]:
    yield from own
    yield from catalog.resources.values()


def _place(resource: Resource, variables: Mapping[str, str]) -> str:
    """Give the path of a file from the definition's folder on."""
    if resource.kind == "file":
        return resource.place
    inner = variables[resource.template.variables[0]]
    if ".." in inner.split("/") or inner.startswith("/"):
        raise Fault("not_found", f"There is no file {inner[:200]!r} here.")
    return f"{resource.place}/{inner}"


def _filled(value: Any, variables: Mapping[str, Any], filling: Filling) -> Any:
    """Put *variables* into the texts of *value*; a member that is only a variable without a value is left out.

    Raises: Fault `invalid_params`.
    """
    match value:
        case dict():
            filled = {key: _filled(item, variables, filling) for key, item in value.items()}
            return {key: item for key, item in filled.items() if item is not None or value[key] is None}
        case list():
            return [_filled(item, variables, filling) for item in value]
        case str() if value[:1] == "{" and value[-1:] == "}" and value[1:-1].isidentifier():
            return filling.value(variables.get(value[1:-1]))
        case str():
            return filling.text(_HOLE, value, lambda hole: variables.get(hole[1]))
        case _:
            return value


def _reading(uri: str, result: Result, mime_type: str | None) -> Reading:
    """Give the value of a call as a resource: a picture, a sound or a resource as such, a text as text, else JSON."""
    match (result.content or ({},))[0]:
        case {"type": "image" | "audio", "data": data, "mimeType": kind}:
            return Reading(uri, mime_type or kind, base64.b64decode(data))
        case {"type": "resource", "resource": {"blob": data, "mimeType": kind}}:
            return Reading(uri, mime_type or kind, base64.b64decode(data))
        case {"type": "resource", "resource": {"text": text, "mimeType": kind}}:
            return Reading(uri, mime_type or kind, text)
    if isinstance(result.value, str):
        return Reading(uri, mime_type or "text/plain", result.value)
    return Reading(uri, mime_type or "application/json", json.dumps(result.value, ensure_ascii=False, indent=2))


def _argument(resource: Resource, variable: str, catalog: Catalog) -> Mapping[str, Any]:
    """Give the schema of the tool's argument that a variable becomes."""
    names = [key for key, text in (resource.arguments or {}).items() if text == f"{{{variable}}}"] or [variable]
    tool: Tool | None = catalog.tools.get(resource.tool)
    if tool is None:
        return {}
    return tool.input.resolve(tool.input.document.get("properties", {}).get(names[0]))


def proposed(schema: Mapping[str, Any]) -> list[Any]:
    """Give the values that a schema names: those it is limited to, else those it suggests."""
    kinds = schema.get("type")
    both = [True, False] if kinds == "boolean" or isinstance(kinds, list) and "boolean" in kinds else []
    listed = schema.get("enum", schema.get("examples", both))
    return [value for value in listed if value is not None] if isinstance(listed, list) else []
