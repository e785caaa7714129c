"""Every failure scriptool foresees: its code, its HTTP status, and how the common ones are worded.

request    bad_request  unsupported_media_type  request_too_large  not_found  method_not_allowed
           rate_limited  unauthorized  forbidden_host
tool       tool_not_found  definition_error  script_unreadable  script_compile_error
arguments  invalid_params  confirmation_required
run        tool_error  script_runtime_error  permission_denied  step_failed  timeout  cancelled
           memory_limit  result_too_large  result_not_serializable  invalid_result
           cannot_ask  answer_expired
service    worker_lost  overloaded  shutting_down  sandbox_unavailable  job_not_found  internal_error
"""

import difflib
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from sandbox import Fault

STATUS: Final[Mapping[str, int]] = {
    "bad_request": 400,
    "unsupported_media_type": 415,
    "request_too_large": 413,
    "tool_not_found": 404,
    "not_found": 404,
    "job_not_found": 404,
    "method_not_allowed": 405,
    "invalid_params": 400,
    "confirmation_required": 409,
    "definition_error": 400,
    "script_unreadable": 422,
    "script_compile_error": 400,
    "tool_error": 422,
    "script_runtime_error": 422,
    "permission_denied": 403,
    "step_failed": 422,
    "timeout": 504,
    "cancelled": 409,
    "memory_limit": 422,
    "result_too_large": 422,
    "result_not_serializable": 422,
    "invalid_result": 422,
    "cannot_ask": 422,
    "answer_expired": 422,
    "worker_lost": 503,
    "overloaded": 503,
    "shutting_down": 503,
    "sandbox_unavailable": 503,
    "rate_limited": 429,
    "unauthorized": 401,
    "forbidden_host": 403,
    "internal_error": 500,
}
"""The HTTP status of each code. Only what a retry could cure is a 5xx."""


_MOST_COMPARED: Final = 2000


def listed(names: Iterable[str], *, more: int) -> str:
    """Give *names* in a row, and how many *more* there are, if any."""
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def close_names(name: str, known: Iterable[str], *, count: int = 3) -> list[str]:
    """Give the *known* names nearest to *name*, best first; letter case does not matter. Of very many only the first
    are looked at.
    """
    folded: dict[str, str] = {}
    for one in islice(known, _MOST_COMPARED):
        folded.setdefault(one.casefold(), one)
    return [folded[match] for match in difflib.get_close_matches(name.casefold()[:200], folded, n=count, cutoff=0.5)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Give `Did you mean "x"?` for the nearest known name, or an empty string."""
    close = close_names(name, known, count=1)
    return f'Did you mean "{close[0]}"?' if close else ""


def _short(name: str) -> str:
    return name if len(name) <= 200 else f"{name[:200]}..."


def tool_not_found(name: str, known: Iterable[str]) -> Fault:
    """Say that no tool has this *name* and which names are near."""
    close = close_names(name, known)
    hint = "Did you mean " + " or ".join(f'"{one}"' for one in close) + "?" if close else "List the tools to see names."
    return Fault("tool_not_found", f"There is no tool named {_short(name)!r}.", hint=hint, close=close)


def invalid_params(tool: str, problems: list[dict[str, Any]]) -> Fault:
    """Say everything that is wrong with the arguments of a call, each with its JSON pointer."""
    said = "; ".join(f"{problem['path'] or '(arguments)'}: {problem['message']}" for problem in problems)
    hints = " ".join(dict.fromkeys(problem["hint"] for problem in problems if problem.get("hint")))
    return Fault("invalid_params", f"The arguments of {tool} do not fit: {said}", hint=hints, problems=problems)


def internal_error(call_id: str) -> Fault:
    """Say that scriptool itself failed; the log has the rest under the same *call_id*."""
    hint = f"This is a fault of the server, not of your call. Its log has the details under call_id {call_id}."
    return Fault("internal_error", "The server failed while it handled this call.", hint=hint, call_id=call_id)


def with_file(fault: Fault, shown: str) -> Fault:
    """Give a fault about one text as a fault about the file *shown*; what it says of other files stays."""
    before = fault.details.get("file")
    details = dict(fault.details) | {"file": shown}
    if "diagnostics" in details:
        told = details["diagnostics"]
        details["diagnostics"] = [{**one, "file": shown} if one.get("file") in (None, before) else one for one in told]
    return Fault(fault.code, fault.message, hint=fault.hint, **details)
