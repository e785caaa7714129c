"""Own resources: what every server has to read: the source of each tool, the problems of now, the last calls."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sandbox import Fault
from scriptool.definitions.resource_judgement import OWN_SCHEME
from scriptool.definitions.uritemplate import UriTemplate, parse
from scriptool.folders.catalog import Catalog
from scriptool.folders.library import Library
from scriptool.history import History
from scriptool.kinds.reading import Reading, stamp, type_of
from scriptool.mask import Mask

_JSON: Final = "application/json"
_CALLS: Final = 50


@dataclass(frozen=True)
class OwnResource:
    """A resource of the server itself: *read* gives its content for the variables of a URI, *stamp* something that
    differs once it has changed, *values* what a variable may be."""

    name: str
    title: str
    description: str
    template: UriTemplate
    mime_type: str | None
    read: Callable[[str, Mapping[str, str]], Awaitable[Reading]]
    stamp: Callable[[Mapping[str, str]], object]
    values: Callable[[], list[str]] = list


def own_resources(library: Library, history: History, mask: Callable[[], Mask]) -> Iterator[OwnResource]:
    """Give the resources of a server; *mask* takes secrets out."""
    yield _problems(library, mask)
    yield _calls(history, mask)
    yield _tool_source(library, mask)


def _problems(library: Library, mask: Callable[[], Mask]) -> OwnResource:
    async def read(uri: str, _variables: Mapping[str, str]) -> Reading:
        catalog = await library.fresh()
        return Reading(uri, _JSON, _text({"problems": [fault.to_json() for fault in catalog.problems]}, mask()))

    return OwnResource(
        name="problems",
        title="Problems",
        description="What is wrong with the files of this server now, with the place and how to mend it.",
        template=parse(f"{OWN_SCHEME}//problems"),
        mime_type=_JSON,
        read=read,
        stamp=lambda _variables: library.catalog.problems,
    )


def _calls(history: History, mask: Callable[[], Mask]) -> OwnResource:
    async def read(uri: str, _variables: Mapping[str, str]) -> Reading:
        return Reading(uri, _JSON, _text({"calls": history.recent(limit=_CALLS)}, mask()))

    return OwnResource(
        name="calls",
        title="Last calls",
        description="The last calls of tools: arguments, results, what they printed, how long they took.",
        template=parse(f"{OWN_SCHEME}//calls"),
        mime_type=_JSON,
        read=read,
        stamp=lambda _variables: next((call["call_id"] for call in history.recent(limit=1)), None),
    )


def _tool_source(library: Library, mask: Callable[[], Mask]) -> OwnResource:
    async def read(uri: str, variables: Mapping[str, str]) -> Reading:
        path, text = await library.source_of(variables["name"])
        if text is None:
            message = f"{variables['name']} has no source that can be read."
            raise Fault("not_found", message, hint=f"See {OWN_SCHEME}//problems.")
        return Reading(uri, "text/x-python" if path.endswith(".py") else type_of(path, text), mask().text(text))

    return OwnResource(
        name="tool_source",
        title="Source of a tool",
        description="The text of the file behind a tool, as the next call will run it.",
        template=parse(f"{OWN_SCHEME}//tools/{{name}}/source"),
        mime_type=None,
        read=read,
        stamp=lambda variables: tool_stamp(library.catalog, variables["name"]),
        values=lambda: list(library.catalog.tools),
    )


def tool_stamp(catalog: Catalog, name: str) -> object:
    """Give something that differs once the files of a tool have changed. Blocks."""
    claim = catalog.claims.get(name)
    paths: tuple[Path | None, ...] = (claim.script, claim.definition) if claim is not None else ()
    return [stamp(path) for path in paths if path is not None]


def _text(value: dict[str, Any], mask: Mask) -> str:
    return json.dumps(mask.value(value), ensure_ascii=False, indent=2)
