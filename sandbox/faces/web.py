"""`httpx` and `requests` for scripts: names authors know for one client, which needs a `net` grant."""

import urllib.parse
from typing import Any, NoReturn

from sandbox.failures import PermissionDenied

_VERBS = ("get", "post", "put", "patch", "delete", "head", "options")


class HTTPError(Exception):
    """Base of what can go wrong with a request."""


class RequestError(HTTPError):
    """The request got no answer."""


class ConnectError(RequestError):
    """The server was not reached."""


class TimeoutException(RequestError):
    """The server took too long."""


class HTTPStatusError(HTTPError):
    """The answer says that the request failed."""


def request(method: Any, url: Any, **_options: Any) -> NoReturn:
    """Send a request: no host is granted."""
    host = urllib.parse.urlsplit(str(url)).hostname or str(url)
    raise PermissionDenied(
        f"{str(method).upper()} {url} needs a grant to reach {host}",
        permission="net",
        grant=f'"permissions": {{"net": ["{host}"]}}',
    )


async def request_later(method: Any, url: Any, **options: Any) -> NoReturn:
    """Send a request without waiting for its answer."""
    request(method, url, **options)


class _Client:
    """A client with an address that relative ones are joined to."""

    def __init__(self, *, base_url: Any = "", **_options: Any) -> None:
        self.base_url = base_url

    def _address(self, url: Any) -> str:
        return urllib.parse.urljoin(str(self.base_url), str(url))


class Client(_Client):
    """`httpx.Client` and `requests.Session`."""

    def request(self, method: Any, url: Any, **options: Any) -> Any:
        """Send a request."""
        return request(method, self._address(url), **options)

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class AsyncClient(_Client):
    """`httpx.AsyncClient`."""

    async def request(self, method: Any, url: Any, **options: Any) -> Any:
        """Send a request."""
        return await request_later(method, self._address(url), **options)

    async def aclose(self) -> None:
        """Nothing is held."""

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()


def _function(verb: str) -> Any:
    def send(url: Any, **options: Any) -> Any:
        return request(verb, url, **options)

    send.__name__ = send.__qualname__ = verb
    return send


def _method(verb: str) -> Any:
    def send(self: Any, url: Any, **options: Any) -> Any:
        return self.request(verb, url, **options)

    send.__name__ = send.__qualname__ = verb
    return send


for _verb in _VERBS:
    setattr(Client, _verb, _method(_verb))
    setattr(AsyncClient, _verb, _method(_verb))

_FUNCTIONS: dict[str, Any] = {verb: _function(verb) for verb in _VERBS} | {"request": request}

HTTPX: dict[str, Any] = _FUNCTIONS | {
    "Client": Client,
    "AsyncClient": AsyncClient,
    "HTTPError": HTTPError,
    "RequestError": RequestError,
    "ConnectError": ConnectError,
    "TimeoutException": TimeoutException,
    "HTTPStatusError": HTTPStatusError,
}
REQUESTS_EXCEPTIONS: dict[str, Any] = {
    "RequestException": HTTPError,
    "HTTPError": HTTPStatusError,
    "ConnectionError": ConnectError,
    "Timeout": TimeoutException,
}
REQUESTS: dict[str, Any] = _FUNCTIONS | REQUESTS_EXCEPTIONS | {"Session": Client}
