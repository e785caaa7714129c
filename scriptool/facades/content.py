"""Content: the result of a call as MCP shows it: text for models, structure for programs, the rest beside it."""

import json
from typing import Any, Final

from scriptool.call import Result
from scriptool.excerpt import one_line
from scriptool.jobs import Job

MAX_PRINTED: Final = 4000
"""Most characters of what a failed call printed that a model is given to read."""


def call_result(result: Result, *, wrapped: bool, promised: bool) -> dict[str, Any]:
    """Give a `tools/call` result; *promised*: the tool is listed with an output schema; *wrapped*: and its values as
    `{"result": value}`.

    What went wrong is not structured content: some clients hold that against the output schema, and lose the error.
    """
    seen = result.to_json()
    call = {key: seen[key] for key in ("call_id", "duration_ms", "digest", "output", "warnings")}
    answer: dict[str, Any] = {"resultType": "complete", "isError": not result.ok}
    answer["_meta"] = dict(result.meta) | {"scriptool/call": call}
    if result.error is None:
        blocks = list(map(dict, result.content)) if result.content is not None else [_text(result.value)]
        structured = {"result": result.value} if wrapped else result.value
        if promised or (structured is not None and result.content is None):
            answer["structuredContent"] = structured
    else:
        answer["_meta"]["scriptool/error"] = seen["error"]
        blocks = [_text(f"{result.error['code']}: {one_line(result.error)}\n{_json(seen['error'])}")]
        blocks += [_text(f"Printed before it failed:\n{_end(result.output)}")] if result.output else []
    blocks += [_text("Warnings:\n" + "\n".join(result.warnings))] if result.warnings else []
    return answer | {"content": blocks}


def still_running(job: Job, *, promised: bool) -> dict[str, Any]:
    """Give the result of a call that runs on as *job*.

    A tool that promised structured content cannot give it yet, so its result is marked as an error: clients then do
    not look for it.
    """
    ask = _json({"job_id": job.id})
    text = f"{job.tool} still runs, as a job. Call job_status with {ask} for its answer, or job_cancel to end it."
    return {
        "resultType": "complete",
        "isError": promised,
        "content": [{"type": "text", "text": text}],
        "_meta": {"scriptool/job": job.to_json()},
    }


def _end(output: str) -> str:
    """Give the end of what was printed, where the failure is; the whole stands in `_meta`."""
    left_out = len(output) - MAX_PRINTED
    return output if left_out <= 0 else f"(the first {left_out} characters are left out)\n{output[-MAX_PRINTED:]}"


def _text(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value if isinstance(value, str) else _json(value)}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
