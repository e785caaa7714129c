"""Probe: a definition that reads live objects of the host, all of them or only what changed."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from scriptool.application.attachment import Attachment
from scriptool.call import Caller, Context
from scriptool.definitions.definition import defined
from scriptool.fields import ProbeDefinition
from scriptool.kinds.snapshots import Reads, Snapshots, snapshot_of
from scriptool.objects.inspection import MAX_DEPTH, MAX_ITEMS
from scriptool.objects.readpath import ReadError, fill
from scriptool.schema import Schema
from scriptool.standard import Standard
from scriptool.tool import Run, Tool

_CLOSED: Final[Mapping[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": False}

_SINCE: Final[Mapping[str, Any]] = {
    "type": "string",
    "description": "the `snapshot` of an earlier answer: only what changed since is given",
}


def probe_tool(definition: ProbeDefinition, shown: str, standard: Standard) -> Tool:
    """Give the tool of one probe; *shown* is its file as users see it.

    *standard* is what holds for every tool that says nothing else.
    """
    tool = Tool(
        name=definition.name,
        description=definition.description,
        source="probe",
        input=Schema(_input_document(definition)),
        file=shown,
        main_thread=True,
        idempotent=True,
        warnings=tuple(_warnings(definition)),
    )
    return defined(tool, definition, standard)


def _input_document(definition: ProbeDefinition) -> Mapping[str, Any]:
    document = definition.input_document() or _CLOSED
    if definition.mode == "full":
        return document
    return {**document, "properties": {**document.get("properties", {}), "since": _SINCE}}


def _warnings(definition: ProbeDefinition) -> Iterator[str]:
    for read in definition.reads:
        for word, value, most in (("depth", read.depth, MAX_DEPTH), ("max_items", read.max_items, MAX_ITEMS)):
            if value > most:
                yield f"read {read.id!r}: {word} {value} is over the ceiling; {most} is used"


class Probes:
    """Runs probes and keeps what their callers were shown; lives as long as the server."""

    def __init__(self, attachment: Attachment, snapshots: Snapshots | None = None) -> None:
        self._attachment = attachment
        self._snapshots = snapshots or Snapshots()

    def runner(self, definition: ProbeDefinition, tool: Tool) -> Run:
        """Give what runs *tool*, made of *definition*."""
        return partial(self._run, definition, tool)

    async def _run(
        self, definition: ProbeDefinition, tool: Tool, arguments: dict[str, Any], context: Context
    ) -> dict[str, Any]:
        """Read, and give `{reads, mode, changed, snapshot, baseline?}`.

        Raises: Fault `timeout`.
        """
        since = arguments.pop("since", None) if definition.mode == "changes" else None
        reads = await self._read(definition, tool, arguments)
        snapshot = snapshot_of(reads, _digest(definition))
        if definition.mode == "full":
            return {"reads": reads, "mode": "full", "changed": list(reads), "snapshot": snapshot.id}
        caller = _identity(context.call.caller)
        before = self._snapshots.find(tool.name, snapshot.definition, since=since, caller=caller)
        changed = snapshot.changed(before)
        answer: dict[str, Any] = {
            "reads": {name: reads[name] for name in changed},
            "mode": "changes",
            "changed": changed,
            "snapshot": snapshot.id,
        }
        answer |= {"baseline": True} if before is None else {}
        if _will_be_given(tool, answer):
            self._snapshots.keep(tool.name, snapshot, caller)
        return answer

    async def _read(self, definition: ProbeDefinition, tool: Tool, inputs: Mapping[str, Any]) -> Reads:
        """Give the entries of all reads, in the order they are written."""
        failed: dict[str, Any] = {}
        wanted = []
        for read in definition.reads:
            try:
                path = fill(read.path, inputs)
            except ReadError as error:
                failed[read.id] = {"path": read.path, "error": error.to_json()}
                continue
            one = {"id": read.id, "path": path, "depth": read.depth, "max_items": read.max_items}
            wanted.append(one | ({"fields": read.only} if read.only is not None else {}))
        found = await self._attachment.read(wanted, tool.limits.seconds) if wanted else {}
        return {read.id: failed[read.id] if read.id in failed else found[read.id] for read in definition.reads}


def _digest(definition: ProbeDefinition) -> str:
    return hashlib.sha256(definition.model_dump_json().encode()).hexdigest()


def _identity(caller: Caller) -> tuple[str, str] | None:
    """Give what tells callers apart; None for one that does not say who it is."""
    return (caller.facade, caller.client) if caller.client is not None else None


def _will_be_given(tool: Tool, answer: dict[str, Any]) -> bool:
    """Say whether the caller gets to see *answer*: what it is not shown must count as a change next time."""
    size = len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))
    too_large = 0 < tool.max_result_chars < size
    return not too_large and (tool.output is None or tool.output.admits(answer))
