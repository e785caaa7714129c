"""Guard: what every request passes before any route sees it: who is addressed, from which page, with which token.

It also bounds the body while it is read, and turns whatever a route raises into an answer.
"""

import asyncio
import hmac
import ipaddress
import logging
import math
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandbox import Fault
from scriptool.errors import internal_error
from scriptool.facades.rate import Rate
from scriptool.facades.reply import fault_reply, json_reply

_log = logging.getLogger("scriptool.web")

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_DRAIN: Final = 8
"""A client that announced this many times what is allowed is cut off; others may finish sending, to read the answer."""

_DRAIN_SECONDS: Final = 5.0

_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_.-]+))(?::[0-9]*)?")

_FORWARDED: Final = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "x-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
)
"""Headers by which proxies say that they speak for another."""

TRUSTED: Final = "scriptool.trusted"
"""In the scope: whether this caller may see where things lie on this machine."""

GONE: Final = "scriptool.gone"
"""In the scope: what is to be called once the client has hung up; a list of functions."""


@dataclass(frozen=True)
class Admission:
    """Who may come in: the *host* served on, further *hosts* and *origins*, and the *token* to show, if any."""

    host: str
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    token: str | None = None

    def check_host(self, given: list[str]) -> None:
        """Raises: Fault `forbidden_host` unless the one `Host` given means this server."""
        if len(given) == 1 and self._is_ours(given[0]):
            return
        name = given[0][:200] if given else "(none)"
        raise Fault(
            "forbidden_host",
            f"This server does not answer to the host {name!r}.",
            hint=f"Use http://127.0.0.1 or http://localhost, or start it with --allow-host {_name_of(name) or 'NAME'}.",
        )

    def check_origin(self, origin: str, host: str) -> None:
        """Raises: Fault `forbidden_host` unless a page from *origin* may talk to us, who were addressed as *host*."""
        if self.is_named(origin) or origin.partition("://")[2].casefold() == host.casefold():
            return
        raise Fault(
            "forbidden_host",
            f"A page from {origin[:200]!r} may not use this server.",
            hint=f"If it should, start the server with --allow-origin {origin[:200]}.",
        )

    def is_named(self, origin: str) -> bool:
        """Say whether the operator named *origin* as one whose pages may read our answers."""
        return origin in self.origins or "*" in self.origins

    def check_token(self, given: str | None) -> None:
        """Raises: Fault `unauthorized` unless no token is asked for or *given* is the right one."""
        if not self.knows(given):
            raise Fault(
                "unauthorized",
                "This server asks for a bearer token." if given is None else "This bearer token is not the right one.",
                hint="Send the header `Authorization: Bearer TOKEN`; the operator set it with --token-file.",
            )

    def knows(self, given: str | None) -> bool:
        """Say whether the `Authorization` header *given* is good; compares in constant time."""
        if self.token is None:
            return True
        scheme, _, shown = (given or "").partition(" ")
        return hmac.compare_digest(shown.strip().encode(), self.token.encode()) and scheme.casefold() == "bearer"

    def _is_ours(self, given: str) -> bool:
        name = _name_of(given)
        if name in _LOOPBACK or name == self.host.casefold() or not _is_loopback(self.host) and _is_address(name):
            # A name is what a hostile page rebinds to this machine; it cannot do that to an address.
            return True
        return any(given.casefold() == host.casefold() or name == host.casefold() for host in self.hosts)


def _name_of(host: str) -> str:
    """Give the bare name of a `Host` header, without port and brackets; empty when it is none."""
    found = _HOST.fullmatch(host)
    return (found[1] or found[2]).lower().rstrip(".") if found is not None else ""


def _is_address(name: str) -> bool:
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    return host == "localhost" or _is_address(host) and ipaddress.ip_address(host).is_loopback


class Guard:
    """The ASGI layer around all routes. Lives as long as the application it guards."""

    def __init__(self, app: ASGIApp, admission: Admission, max_body: int, body_seconds: float, rate: Rate) -> None:
        self._app = app
        self._admission = admission
        self._max_body = max_body
        self._body_seconds = body_seconds
        self._rate = rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through to the routes, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Not every HTTP parser takes off the space that may stand around a value.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        headers = Headers(scope=scope)
        answer = _Answer(send, self._shared_with(headers))
        body = _Body(receive, self._max_body, self._body_seconds)
        scope[GONE] = body.gone
        try:
            self._admit(scope, headers)
            if answer.origin is not None and scope["method"] == "OPTIONS":
                await _preflight(scope, receive, answer, headers)
                return
            body.check_announced(headers)
            await self._app(scope, body.receive, answer.send)
        except ClientDisconnect:
            return  # in the middle of its body; nobody is left to answer
        except asyncio.CancelledError:
            if answer.started:
                raise
            # The server ends, and what was asked for never came whole or was not done in time.
            fault = Fault("shutting_down", "The server is shutting down.", hint="Come again later.", retry_after=1)
            await fault_reply(fault)(scope, receive, answer.send)
        except Exception as error:
            reply = fault_reply(error if isinstance(error, Fault) else _unforeseen(error, scope))
            if answer.started:
                raise  # half an answer is out already; only closing the connection tells the client
            await body.drain(headers)
            await reply(scope, receive, answer.send)

    def _admit(self, scope: Scope, headers: Headers) -> None:
        hosts = headers.getlist("host")
        self._admission.check_host(hosts)
        for origin in headers.getlist("origin"):
            self._admission.check_origin(origin, hosts[0])
        given = headers.get("authorization")
        scope[TRUSTED] = self._admission.knows(given) or _from_here(scope, headers)
        if scope["method"] != "OPTIONS" and scope["path"] != "/health":
            self._admission.check_token(given)
        if scope["method"] == "POST":
            self._rate.take(self._caller(scope, headers))

    def _caller(self, scope: Scope, headers: Headers) -> str:
        """Name who asks: whoever has shown the token may give a name of its own, others are where they come from."""
        peer = scope.get("client")
        named = headers.get("x-client-id") if self._admission.token is not None else None
        return named or (peer[0] if peer is not None else "")

    def _shared_with(self, headers: Headers) -> str | None:
        origin = headers.get("origin")
        return origin if origin is not None and self._admission.is_named(origin) else None


def _from_here(scope: Scope, headers: Headers) -> bool:
    """Say whether the client is on this machine itself, and no proxy speaks for another, as far as one can tell.

    nginx, where it is told nothing else, says nothing of itself, but speaks HTTP/1.0.
    """
    client = scope.get("client")
    forwarded = any(name in headers for name in _FORWARDED) or scope["http_version"] == "1.0"
    addressed = _name_of(headers.get("host", ""))
    return client is not None and _is_loopback(client[0]) and _is_loopback(addressed) and not forwarded


def _unforeseen(error: Exception, scope: Scope) -> Fault:
    call_id = secrets.token_hex(8)
    _log.error("%s %r failed (%s)", scope["method"], scope["path"], call_id, exc_info=error, extra={"call_id": call_id})
    return internal_error(call_id)


async def _preflight(scope: Scope, receive: Receive, answer: "_Answer", headers: Headers) -> None:
    allowed = {
        "access-control-allow-methods": "GET, POST, DELETE",
        "access-control-allow-headers": headers.get("access-control-request-headers", "content-type"),
        "access-control-max-age": "600",
    }
    await json_reply({}, 200, allowed)(scope, receive, answer.send)


class _Answer:
    """What goes out: knows whether it began, and says which *origin* may read it."""

    def __init__(self, send: Send, origin: str | None) -> None:
        self._send = send
        self.origin = origin
        self.started = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            if self.origin is not None:
                headers = MutableHeaders(scope=message)
                headers["access-control-allow-origin"] = self.origin
                headers["access-control-expose-headers"] = "Mcp-Session-Id, ETag, Retry-After, Location"
                headers.append("vary", "Origin")
        await self._send(message)


class _Body:
    """What comes in: counted while it is read, and watched for the client hanging up."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._most = most
        self._seconds = seconds
        self._deadline = anyio.current_time() + seconds
        self._read = 0
        self._ended = False
        self.gone: list[Callable[[], Any]] = []

    def check_announced(self, headers: Headers) -> None:
        if self._announced(headers) > self._most:
            raise self._too_large()

    async def receive(self) -> Message:
        with anyio.CancelScope(deadline=math.inf if self._ended else self._deadline) as limit:
            message = await self._receive()
        if limit.cancelled_caught:
            self._ended = True  # whatever still comes is not waited for
            raise Fault("bad_request", f"The body did not come within {self._seconds:g} seconds.")
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            self._ended = not message.get("more_body", False)
            if self._read > self._most:
                raise self._too_large()
        else:
            self._ended = True
            _call_all(self.gone)
        return message

    async def drain(self, headers: Headers) -> None:
        """Read on, keeping nothing: many clients look for an answer only when all they had to say is said."""
        if "expect" in headers or self._announced(headers) > _DRAIN * self._most:
            return
        with anyio.move_on_after(_DRAIN_SECONDS):
            while not self._ended and self._read <= _DRAIN * self._most:
                message = await self._receive()
                self._read += len(message.get("body", b""))
                self._ended = not message.get("more_body", False)

    def _announced(self, headers: Headers) -> int:
        length = headers.get("content-length", "0")
        return int(length) if length.isascii() and length.isdigit() else 0

    def _too_large(self) -> Fault:
        return Fault(
            "request_too_large",
            f"The body is larger than the {self._most} bytes allowed.",
            hint="Send less, or in several calls.",
            limit=self._most,
        )


def _call_all(functions: Iterable[Callable[[], Any]]) -> None:
    for function in functions:
        function()
