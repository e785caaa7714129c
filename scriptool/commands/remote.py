"""Remote: a call of a tool that a running server has, over HTTP."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

import httpx

from scriptool.call import Result
from scriptool.instance import Instance

_SILENCE_SECONDS: Final = 60.0
"""A server says at least every fifteen seconds that it is still there."""


class Unreachable(Exception):
    """The server could not be asked, or broke off; the message says why."""


def call_there(instance: Instance, name: str, arguments: Mapping[str, Any], hear: Callable[[str, Any], None]) -> Result:
    """Call the tool *name* of a running server; *hear* is told what the tool tells meanwhile.

    Raises: Unreachable.
    """
    headers = {"accept": "text/event-stream"}
    if instance.token is not None:
        headers["authorization"] = f"Bearer {instance.token}"
    url = f"{instance.url}/tools/{quote(name, safe='')}"
    try:
        with (
            httpx.Client(timeout=_SILENCE_SECONDS, trust_env=False) as client,
            client.stream("POST", url, json=dict(arguments), headers=headers) as reply,
        ):
            if "text/event-stream" not in reply.headers.get("content-type", ""):
                return _result(json.loads(reply.read()))
            for kind, told in _events(reply.iter_lines()):
                if kind == "result":
                    return _result(told)
                hear(kind, told)
    except (httpx.HTTPError, ValueError) as error:
        raise Unreachable(f"the server at {instance.url} does not answer: {error}") from None
    raise Unreachable(f"the server at {instance.url} ended before the call did")


def _events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    kind = ""
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)


def _result(answer: Mapping[str, Any]) -> Result:
    return Result(
        answer.get("call_id", ""),
        answer.get("duration_ms", 0.0),
        value=answer.get("result"),
        error=answer.get("error"),
        output=answer.get("output", ""),
        warnings=tuple(answer.get("warnings", ())),
        digest=answer.get("digest"),
        meta=answer.get("_meta", {}),
    )
