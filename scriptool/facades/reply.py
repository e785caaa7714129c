"""Replies: values, faults and results as HTTP responses, in the one envelope every route answers with."""

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response

from sandbox import Fault
from scriptool.call import Result
from scriptool.errors import STATUS

_RETRY_AFTER: Final[Mapping[str, int]] = {"worker_lost": 1, "overloaded": 1, "shutting_down": 5}
"""Seconds after which a retry may do better, where the failure itself does not say."""


def json_text(value: Any) -> bytes:
    """Give *value* as strict, compact JSON; half a surrogate pair, as odd file names hold it, becomes `?`."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with *value* as JSON."""
    return Response(json_text(value), status, headers, "application/json")


def fault_reply(fault: Fault, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with a failure that came up before any call was made."""
    error = fault.to_json()
    return json_reply({"ok": False, "error": error}, STATUS[fault.code], _headers(error) | dict(headers or {}))


def result_reply(result: Result) -> Response:
    """Answer with how a call ended."""
    return json_reply(result.to_json(), status_of(result), _headers(result.error or {}))


def status_of(result: Result) -> int:
    """Give the HTTP status of *result*."""
    return 200 if result.error is None else STATUS[result.error["code"]]


def _headers(error: Mapping[str, Any]) -> dict[str, str]:
    """Say in a header what HTTP clients look for there: when to come again, and how to authenticate."""
    seconds = error.get("retry_after", _RETRY_AFTER.get(error.get("code", "")))
    headers = {"retry-after": str(max(1, round(seconds)))} if seconds is not None else {}
    return headers | ({"www-authenticate": "Bearer"} if error.get("code") == "unauthorized" else {})
