"""Request: what a caller sent over HTTP, read strictly: the name of a tool, its arguments, who calls."""

import re
from typing import Any, Final

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request

from sandbox import Fault
from scriptool.call import Caller
from scriptool.jsontext import NotJson, parse
from scriptool.offload import LARGE_TEXT, Offload

MAX_WAIT: Final = 600
"""Seconds a request may wait for a job."""


_SECONDS: Final = re.compile(r"[0-9]+(\.[0-9]+)?|\.[0-9]+")


class _Rest(Convertor[str]):
    """All that is left of a path, slashes and control characters too: any text may be asked for as a tool's name."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("rest", _Rest())


def caller(request: Request) -> Caller:
    """Say who calls: the client the `X-Client-Id` header names, if it does."""
    return Caller("http", request.headers.get("x-client-id", "")[:200] or None)


async def arguments(request: Request, offload: Offload) -> dict[str, Any]:
    """Give the arguments a body holds; no body means none. A large one is read in a thread.

    Raises: Fault `bad_request`, `unsupported_media_type`, `request_too_large`.
    """
    body = await request.body()
    if not body.strip():
        return {}
    _check_type(request.headers.get("content-type"))
    try:
        value = await offload.run(len(body) > LARGE_TEXT, parse, body)
    except NotJson as error:
        message = f"The body is not JSON: {error.message} (line {error.line}, column {error.column})."
        raise Fault("bad_request", message, hint=error.hint, line=error.line, column=error.column) from None
    if not isinstance(value, dict):
        kind = "null" if value is None else "a list" if isinstance(value, list) else f"the value {str(body[:40])[2:-1]}"
        hint = 'Send the arguments by name, as in {"price": 9.5}.'
        raise Fault("bad_request", f"The body must be a JSON object of arguments, not {kind}.", hint=hint)
    return value


def number(request: Request, name: str, default: int, most: int) -> int:
    """Give a whole number from the query, at most *most*. Raises: Fault `bad_request`."""
    given = request.query_params.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdigit()):
        raise Fault("bad_request", f"?{name}= must be a whole number, not {given[:40]!r}.")
    digits = given.lstrip("0")
    # Python refuses to read numbers of thousands of digits.
    return most if len(digits) > 9 else min(int(digits or "0"), most)


def seconds(request: Request, name: str, most: float) -> float:
    """Give a time in seconds from the query, at most *most*; 0 if none is given. Raises: Fault `bad_request`."""
    given = request.query_params.get(name, "0")
    if not _SECONDS.fullmatch(given):
        raise Fault("bad_request", f"?{name}= must be a number of seconds, such as 2.5, not {given[:40]!r}.")
    return min(float(given), most)


def _check_type(given: str | None) -> None:
    kind = (given or "").partition(";")[0].strip().lower()
    if kind == "application/json" or kind.startswith("application/") and kind.endswith("+json"):
        return
    raise Fault(
        "unsupported_media_type",
        f"The body is sent as {kind[:100]!r}." if kind else "The body has no content type.",
        hint="Send JSON with the header `Content-Type: application/json`.",
    )
