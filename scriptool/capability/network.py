"""Network: requests of scripts, made by httpx here; each address is checked when it is connected to, each hop anew."""

import asyncio
import base64
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx

from sandbox import Fault
from scriptool import __version__
from scriptool.capability.address import PORTS, Resolve, Resolver, covers, joined, names
from scriptool.capability.connection import Pool, PrivateAddress
from scriptool.permission import Grant

log = logging.getLogger("scriptool.network")

MAX_SECONDS: Final = 30.0
"""How long one request may take, redirects and body included."""

MAX_REDIRECTS: Final = 5
MAX_AT_ONCE: Final = 64
"""Requests under way at one time, of all calls together."""

MAX_PAIRS: Final = 200
MAX_HEAD: Final = 64 * 1024
"""How many headers and cookies a request may have, and how many characters these, its method and its URL together."""

_MAX_PORT: Final = 65535
_USUAL_SECONDS: Final = 10.0
_OURS: Final = frozenset(
    {"accept-encoding", "connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"}
)
"""Headers that belong to the connection and not to a script."""


@dataclass(frozen=True)
class _Wish:
    """A request as a child asks for it, its shape checked."""

    method: str
    url: str
    headers: list[tuple[str, str]]
    cookies: Mapping[str, str]
    auth: tuple[str, str] | None
    timeout: httpx.Timeout
    follow: bool
    body: bytes | None

    @classmethod
    def read(cls, payload: Any) -> "_Wish":
        _check_size(payload)
        try:
            auth = payload["auth"]
            return cls(
                method=_text(payload["method"]),
                url=_text(payload["url"]),
                headers=[(_text(name), _text(value)) for name, value in payload["headers"]],
                cookies={_text(name): _text(value) for name, value in payload["cookies"].items()},
                auth=(_text(auth[0]), _text(auth[1])) if auth is not None else None,
                timeout=_timeout(payload["timeout"]),
                follow=payload["follow"] is True,
                body=None if payload["body"] is None else base64.b64decode(_text(payload["body"]), validate=True),
            )
        except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
            raise Fault("bad_request", "What the script asked for is no HTTP request.") from None


def _check_size(payload: Any) -> None:
    """Raise Fault `bad_request` where all but the body of a request is larger than httpx works through in no time."""
    match payload:
        case {"method": str(method), "url": str(url), "headers": list(headers), "cookies": dict(cookies)}:
            pairs = [*headers, *cookies.items()]
            size = len(method) + len(url)
            size += sum(
                len(part) for pair in pairs if isinstance(pair, list | tuple) for part in pair if isinstance(part, str)
            )
            if len(pairs) > MAX_PAIRS or size > MAX_HEAD:
                message = f"The request has {len(pairs)} headers and cookies and a head of {size} characters."
                raise Fault(
                    "bad_request",
                    message,
                    hint=f"{MAX_PAIRS} and {MAX_HEAD} are allowed; the rest can go into the body.",
                )


class Network:
    """Makes requests for scripts; lives as long as the server.

    *resolve* finds the addresses of a name, else the system does; no request takes longer than *seconds*.
    """

    def __init__(self, resolve: Resolve | None = None, seconds: float = MAX_SECONDS) -> None:
        self._resolver = Resolver()
        self._resolve = resolve or self._resolver.resolve
        self._seconds = seconds
        self._pools: dict[bool, Pool] = {}
        self._opening = asyncio.Lock()
        self._under_way = asyncio.Semaphore(MAX_AT_ONCE)

    async def close(self) -> None:
        """Close all connections."""
        self._resolver.close()
        for pool in self._pools.values():
            await pool.aclose()

    async def send(self, grant: Grant, payload: Any) -> dict[str, Any]:
        """Make the request *payload* describes, and give the answer, or `{error: {type, message}}` where it failed.

        Raises: Fault `permission_denied` for a host, also one it is redirected to, that was not granted.
        """
        wish = _Wish.read(payload)
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._seconds), self._under_way:
                return await self._send(grant, wish, started)
        except TimeoutError:
            return _failure("ReadTimeout", f"{wish.url} took longer than {self._seconds:g} seconds")
        except PrivateAddress as private:
            raise _unnamed(grant, private) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError, TypeError) as error:
            kind = type(error).__name__ if isinstance(error, (httpx.HTTPError, httpx.InvalidURL)) else "InvalidURL"
            return _failure(kind, f"{wish.method} {wish.url}: {str(error) or _words(kind)}")
        except Fault:
            raise
        except Exception as surprise:
            # Some answer that a library trips over: no server elsewhere decides that this one has a fault.
            log.info("an answer could not be read", exc_info=True)
            return _failure("RequestError", f"{wish.method} {wish.url}: it failed with {type(surprise).__name__}")

    async def _send(self, grant: Grant, wish: _Wish, started: float) -> dict[str, Any]:
        # A client of its own, for cookies and redirects are of this request; the connections are everybody's.
        client = httpx.AsyncClient(
            transport=_Granted(grant, self._pool, wish),
            trust_env=False,
            timeout=wish.timeout,
            max_redirects=MAX_REDIRECTS,
        )
        url = httpx.URL(wish.url)
        if not url.is_absolute_url:
            raise httpx.InvalidURL("it is not a whole address, as in https://api.example.com/v1")
        request = client.build_request(wish.method, url, headers=_headers(wish), content=wish.body)
        response = await client.send(request, auth=wish.auth, follow_redirects=wish.follow)
        return _answer(response, time.monotonic() - started)

    async def _pool(self, private: bool) -> Pool:
        """Give the connections to named hosts (*private*) or to those of the open internet; made when first needed."""
        async with self._opening:
            if private not in self._pools:
                context = await asyncio.to_thread(httpx.create_ssl_context, trust_env=False)
                self._pools[private] = Pool(self._resolve, context, private=private)
        return self._pools[private]


class _Granted(httpx.AsyncBaseTransport):
    """Passes each request of one wish, the first and where it is redirected to, if its host was granted."""

    def __init__(self, grant: Grant, pool: Any, wish: _Wish) -> None:
        self._grant = grant
        self._pool = pool
        self._cookies = "; ".join(f"{name}={value}" for name, value in wish.cookies.items())
        self._first = httpx.URL(wish.url).host

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if url.scheme not in PORTS:
            raise httpx.UnsupportedProtocol(f"only http and https can be used, not {url.scheme or 'no'} scheme")
        if url.port is not None and url.port > _MAX_PORT:
            raise httpx.InvalidURL(f"there is no port {url.port}")
        host = joined(url.host, url.port or PORTS[url.scheme])
        line = url.host if url.port is None else joined(url.host, url.port)
        self._grant.check("net", host, line, covers)
        if self._cookies and url.host == self._first:
            # Not in the client's jar, which would hand them to every host below this one that it redirects to.
            already = request.headers.get("cookie")
            request.headers["cookie"] = f"{self._cookies}; {already}" if already else self._cookies
        pool: Pool = await self._pool(self._grant.has("net", host, names))
        response = await pool.handle_async_request(request)
        response.request = request
        return response

    async def aclose(self) -> None:
        """The connections are not this request's to close."""


def _unnamed(grant: Grant, private: PrivateAddress) -> Fault:
    fault = grant.refusal("net", private.host, private.host, names)
    message = f"{fault.message} {private.host} is at {private.address}, and private addresses need an entry by name."
    return Fault(fault.code, message, hint=fault.hint, **fault.details)


def _headers(wish: _Wish) -> list[tuple[str, str]]:
    for name, _ in wish.headers:
        if name.lower() in _OURS - {"accept-encoding", "content-length"}:
            raise httpx.LocalProtocolError(f"the header {name} belongs to the connection and cannot be set")
    own = [(name, value) for name, value in wish.headers if name.lower() not in _OURS]
    usual = {"user-agent": f"scriptool/{__version__}", "accept": "*/*"}
    given = {name.lower() for name, _ in own}
    own += [(name, value) for name, value in usual.items() if name not in given]
    return [*own, ("accept-encoding", "gzip, deflate")]


def _answer(response: httpx.Response, seconds: float) -> dict[str, Any]:
    hops = [*response.history, response]
    return {
        **_head(response),
        "cookies": {name: value for hop in hops for name, value in _cookies(hop).items()},
        "history": [{**_head(hop), "cookies": _cookies(hop), "body": "", "seconds": 0.0} for hop in hops[:-1]],
        "body": base64.b64encode(response.content).decode(),
        "seconds": round(seconds, 6),
    }


def _cookies(response: httpx.Response) -> dict[str, str]:
    """Give the cookies by name; of several with one name, for several paths, the last."""
    return {cookie.name: cookie.value or "" for cookie in response.cookies.jar}


def _head(response: httpx.Response) -> dict[str, Any]:
    return {
        "status": response.status_code,
        "reason": response.reason_phrase,
        "version": response.http_version,
        "url": str(response.url),
        "headers": [list(pair) for pair in response.headers.multi_items()],
    }


def _failure(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"type": kind, "message": message}}


def _words(kind: str) -> str:
    """Give words for a failure that comes without any: `ReadTimeout` gives "read timeout"."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in kind).strip()


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"not a text: {value!r}")
    return value


def _timeout(value: Any) -> httpx.Timeout:
    parts = value if isinstance(value, dict) else {} if value is None else dict.fromkeys(_PARTS, value)
    return httpx.Timeout(**{name: min(float(parts.get(name, _USUAL_SECONDS)), MAX_SECONDS) for name in _PARTS})


_PARTS: Final = ("connect", "read", "write", "pool")
