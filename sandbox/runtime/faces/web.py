"""`ctx.http`, `httpx` and `requests` for scripts: one client under the names authors know; the parent does the work."""

import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.runtime.asking import Asking
from sandbox.runtime.faces.response import Headers, Request, Response
from sandbox.runtime.faces.web_errors import ERRORS, REQUESTS_ERRORS, failure
from sandbox.runtime.faces.web_request import BasicAuth, Timeout, check, payload

VERBS = ("get", "options", "head", "post", "put", "patch", "delete")
_SETTINGS = ("params", "headers", "cookies", "auth", "timeout", "follow_redirects")
_SECOND = {"get": ("params",), "post": ("data", "json"), "put": ("data",), "patch": ("data",)}
"""What the verbs of requests take by place behind the address."""


class Cookies(dict[str, str]):
    """Cookies of a client by name; one that a server set goes back to that server only."""

    def __init__(self, given: Any = None) -> None:
        super().__init__(given or {})
        self.hosts: dict[str, str] = {}

    def set(self, name: str, value: str, domain: str | None = None, **_: Any) -> None:
        """Keep a cookie, for *domain* or for every server."""
        self[name] = value
        self.hosts.pop(name, None)
        if domain:
            self.hosts[name] = domain

    def keep(self, host: str, received: Mapping[str, str]) -> None:
        """Keep what *host* set."""
        for name, value in received.items():
            self.set(name, value, host)

    def sent_to(self, host: str) -> dict[str, str]:
        """Give those that may go to *host*."""
        return {name: value for name, value in self.items() if self.hosts.get(name, host) == host}


class _Client:
    """What is said once for many requests."""

    __slots__ = ("_asking", "auth", "base_url", "cookies", "follow_redirects", "headers", "params", "timeout")

    def __init__(self, asking: Asking, options: Mapping[str, Any], *, follow: bool) -> None:
        check({name: value for name, value in options.items() if name != "base_url"})
        self._asking = asking
        self.base_url = options.get("base_url", "")
        self.headers: dict[str, Any] = dict(options.get("headers") or {})
        self.params: Any = dict(options.get("params") or {})
        self.cookies: Any = Cookies(options.get("cookies"))
        self.auth = options.get("auth")
        self.timeout = options.get("timeout")
        self.follow_redirects = options.get("follow_redirects", follow)

    def _payload(self, method: Any, url: Any, options: Mapping[str, Any]) -> dict[str, Any]:
        address = self._address(str(url))
        own = {name: options[name] for name in options if name not in ("headers", "params", "cookies")}
        usual = {"auth": self.auth, "timeout": self.timeout, "follow_redirects": self.follow_redirects}
        host = urllib.parse.urlsplit(address).hostname or ""
        kept = self.cookies.sent_to(host) if isinstance(self.cookies, Cookies) else dict(self.cookies or {})
        headers = {str(name).title(): value for name, value in self.headers.items()}
        headers |= {str(name).title(): value for name, value in dict(options.get("headers") or {}).items()}
        together = {"headers": headers, "cookies": {**kept, **dict(options.get("cookies") or {})}}
        params = options.get("params")
        if not isinstance(params, str):
            params = {**dict(self.params or {}), **dict(params or {})}
        return payload(method, address, usual | own | together | {"params": params})

    def _address(self, url: str) -> str:
        if not self.base_url or "://" in url:
            return url
        return f"{str(self.base_url).rstrip('/')}/{url.lstrip('/')}" if url else str(self.base_url)

    def _response(self, asked: Mapping[str, Any], told: Any) -> Response:
        response = opened(asked, told)
        if isinstance(self.cookies, Cookies):
            self.cookies.keep(urllib.parse.urlsplit(response.url).hostname or "", response.cookies)
        return response


class SyncClient(_Client):
    """`httpx.Client` and `requests.Session`."""

    __slots__ = ()

    def request(self, method: Any, url: Any, **options: Any) -> Response:
        """Send a request and give the answer. Raises PermissionDenied, HTTPError."""
        asked = self._payload(method, url, _renamed(options))
        return self._response(asked, self._asking.now("http", asked))

    def stream(self, method: Any, url: Any, **options: Any) -> Response:
        """Send a request; the answer, read whole, is for a `with` block."""
        return self.request(method, url, **options)

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> "SyncClient":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class LaterClient(_Client):
    """`httpx.AsyncClient`."""

    __slots__ = ()

    async def request(self, method: Any, url: Any, **options: Any) -> Response:
        """Send a request and give the answer. Raises PermissionDenied, HTTPError."""
        asked = self._payload(method, url, _renamed(options))
        return self._response(asked, await self._asking.later("http", asked))

    def stream(self, method: Any, url: Any, **options: Any) -> "_LaterStream":
        """Send a request; the answer, read whole, is for an `async with` block."""
        return _LaterStream(lambda: self.request(method, url, **options))

    async def aclose(self) -> None:
        """Nothing is held."""

    async def __aenter__(self) -> "LaterClient":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()


class _LaterStream:
    __slots__ = ("_send",)

    def __init__(self, send: Callable[[], Any]) -> None:
        self._send = send

    async def __aenter__(self) -> Any:
        return await self._send()

    async def __aexit__(self, *_error: object) -> None:
        """Nothing is held."""


class Http:
    """`ctx.http`: in `async` code, where a loop runs, its methods are awaited; elsewhere they give the answer."""

    __slots__ = ("_asking",)

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def __repr__(self) -> str:
        return "<ctx.http>"

    def request(self, method: Any, url: Any, **options: Any) -> Any:
        """Send a request and give the answer; redirects are followed. Raises PermissionDenied, HTTPError."""
        asked = payload(method, url, {"follow_redirects": True} | _renamed(options))
        return self._asking.either("http", asked, lambda told: opened(asked, told))


def opened(asked: Mapping[str, Any], told: Any) -> Response:
    """Make the answer of what the parent tells. Raises HTTPError where it tells of a failure."""
    request = Request(asked["method"], asked["url"])
    if "error" in told:
        error = failure(told["error"])
        error.request = request
        raise error
    return Response(told, request)


def _renamed(options: dict[str, Any]) -> dict[str, Any]:
    if "allow_redirects" in options:
        options["follow_redirects"] = options.pop("allow_redirects")
    return options


def _method(verb: str) -> Any:
    def send(self: Any, url: Any, *more: Any, **options: Any) -> Any:
        return self.request(verb, url, **dict(zip(_SECOND.get(verb, ()), more, strict=False)), **options)

    return _named(send, verb)


def _named(send: Any, verb: str) -> Any:
    """Let a function be shown as the verb it stands for."""
    send.__name__ = send.__qualname__ = verb
    send.__doc__ = f"Send a {verb.upper()} request."
    return send


for _kind in (SyncClient, LaterClient, Http):
    for _verb in VERBS:
        setattr(_kind, _verb, _method(_verb))


def web_faces(asking: Asking) -> dict[str, Mapping[str, Any]]:
    """Give what `httpx`, `requests` and `requests.exceptions` have; *asking* leads to the parent."""
    httpx = _functions(asking, follow=False) | {
        **ERRORS,
        "AsyncClient": _constructor(LaterClient, asking, "AsyncClient", follow=False),
        "BasicAuth": BasicAuth,
        "Client": _constructor(SyncClient, asking, "Client", follow=False),
        "Headers": Headers,
        "Request": Request,
        "Response": Response,
        "Timeout": Timeout,
        "codes": codes,
    }
    session = _constructor(SyncClient, asking, "Session", follow=True)
    requests = _functions(asking, follow=True) | {
        **REQUESTS_ERRORS,
        "Response": Response,
        "Session": session,
        "codes": codes,
        "session": session,
    }
    httpx["stream"] = httpx["request"]
    exceptions, auth = dict(REQUESTS_ERRORS), {"HTTPBasicAuth": BasicAuth}
    return {"httpx": httpx, "requests": requests, "requests.exceptions": exceptions, "requests.auth": auth}


class codes:
    """`requests.codes` and `httpx.codes`: the statuses people name."""

    ok = OK = 200
    created = CREATED = 201
    accepted = ACCEPTED = 202
    no_content = NO_CONTENT = 204
    bad_request = BAD_REQUEST = 400
    unauthorized = UNAUTHORIZED = 401
    forbidden = FORBIDDEN = 403
    not_found = NOT_FOUND = 404
    conflict = CONFLICT = 409
    too_many_requests = TOO_MANY_REQUESTS = 429
    internal_server_error = INTERNAL_SERVER_ERROR = 500


Http.__module__ = "scriptool"
Cookies.__module__ = codes.__module__ = "httpx"


def _constructor(kind: type[_Client], asking: Asking, name: str, *, follow: bool) -> type:
    """Give the class under the name that scripts know it by, bound to what it asks with."""

    def __init__(self: Any, **options: Any) -> None:
        kind.__init__(self, asking, options, follow=follow)

    made = type(name, (kind,), {"__slots__": (), "__init__": __init__, "__doc__": kind.__doc__})
    made.__module__ = "httpx" if not follow else "requests"
    return made


def _functions(asking: Asking, *, follow: bool) -> dict[str, Any]:
    def request(method: Any, url: Any, **options: Any) -> Response:
        """Send a request and give the answer. Raises PermissionDenied, HTTPError."""
        asked = payload(method, url, {"follow_redirects": follow} | _renamed(options))
        return opened(asked, asking.now("http", asked))

    def function(verb: str) -> Any:
        def send(url: Any, *more: Any, **options: Any) -> Response:
            return request(verb, url, **dict(zip(_SECOND.get(verb, ()), more, strict=False)), **options)

        return _named(send, verb)

    return {verb: function(verb) for verb in VERBS} | {"request": request}
