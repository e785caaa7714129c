"""Built-in tools: what an agent needs to understand the server itself, called like any other tool."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scriptool.call import Context
from scriptool.folders.catalog import Claim
from scriptool.folders.library import Library
from scriptool.jobs import Job, Jobs
from scriptool.mask import Mask
from scriptool.schema import Schema
from scriptool.tool import Tool

_NO_ARGUMENTS = {"type": "object", "properties": {}, "additionalProperties": False}


MAX_WAIT: Final = 50
"""How many seconds `job_status` may wait: most clients give up after a minute."""

_JOB = {"type": "string", "description": "the job_id that the long call answered with"}
_WAIT = {
    "type": "number",
    "minimum": 0,
    "maximum": MAX_WAIT,
    "default": 0,
    "description": "seconds to wait for its end",
}


def builtins(library: Library, jobs: Jobs) -> Iterator[Claim]:
    """Give the built-in tools of a server."""
    yield _definitions_list(library)
    yield _job_status(jobs)
    yield _job_cancel(jobs)


def _definitions_list(library: Library) -> Claim:
    description = (
        "List every definition of a tool, prompt or resource: what is loaded and from which file, what is not and "
        "exactly why, and what is shadowed. Use it when one you expect is missing or answers with definition_error."
    )
    tool = Tool("definitions_list", description, "builtin", Schema(_NO_ARGUMENTS), group="diagnostics", idempotent=True)

    async def definitions_list(_arguments: dict[str, Any], _context: Context) -> dict[str, Any]:
        catalog = await library.fresh()
        return {
            "catalog": catalog.number,
            "loaded": [
                {"name": name, "source": claim.tool.source, "file": claim.tool.file, "checking": claim.tool.checking}
                for name, claim in catalog.claims.items()
                if claim.tool.blocked is None
            ]
            + [
                {"name": one.name, "source": type(one).__name__.lower(), "file": one.shown, "checking": False}
                for one in catalog.offers
                if one.blocked is None
            ],
            "not_loaded": [
                {"name": name, "file": claim.shown, "error": claim.tool.blocked.to_json()}
                for name, claim in catalog.claims.items()
                if claim.tool.blocked is not None
            ]
            + [
                {"name": one.name, "file": one.shown, "error": one.blocked.to_json()}
                for one in catalog.offers
                if one.blocked is not None
            ],
            "problems": [fault.to_json() for fault in catalog.problems],
            "shadowed": [
                {"name": one.name, "file": one.path.name, "by": one.by.name, "folder": one.path.parent.name}
                for one in catalog.shadowed
            ],
        }

    return Claim(tool, Path(), "", tool.name, run=definitions_list)


def _job_status(jobs: Jobs) -> Claim:
    description = (
        "Say how far a call is that runs on as a job: its state, its last progress, and its answer once it ended."
    )
    schema = Schema(_closed({"job_id": _JOB, "wait": _WAIT}))
    tool = Tool("job_status", description, "builtin", schema, group="diagnostics", idempotent=True)

    async def job_status(arguments: dict[str, Any], context: Context) -> dict[str, Any]:
        job = jobs.find(arguments["job_id"])
        await jobs.finished(job, arguments["wait"])
        return _seen(job, context)

    return Claim(tool, Path(), "", tool.name, run=job_status)


def _job_cancel(jobs: Jobs) -> Claim:
    description = "End a call that runs on as a job. What it did until then is not undone."
    schema = Schema(_closed({"job_id": _JOB}))
    tool = Tool("job_cancel", description, "builtin", schema, group="diagnostics", idempotent=True, changes=True)

    async def job_cancel(arguments: dict[str, Any], context: Context) -> dict[str, Any]:
        job = jobs.find(arguments["job_id"])
        await jobs.cancel(job)
        return _seen(job, context)

    return Claim(tool, Path(), "", tool.name, run=job_cancel)


def _seen(job: Job, context: Context) -> dict[str, Any]:
    """Give what the caller sees of a job; what is kept of that shows neither its secrets nor the id it goes by."""
    context.mask |= job.outcome().mask | Mask([job.id])
    return job.to_json()


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": ["job_id"], "additionalProperties": False}
