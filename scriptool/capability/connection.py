"""Connection: connections to checked addresses only, kept for later calls, and bodies that stay within their bound."""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import httpcore
import httpx

from scriptool.capability.address import Resolve, is_public

MAX_BODY: Final = 5 * 1024 * 1024
"""Most bytes of an answer, as sent and as decoded."""

MAX_CONNECTIONS: Final = 64
_KEPT: Final = 20
_KEPT_SECONDS: Final = 30.0
_PART: Final = 64 * 1024


class PrivateAddress(Exception):
    """A host that was not named leads to *address*, which is not of the open internet."""

    def __init__(self, host: str, address: str) -> None:
        super().__init__(f"{host} is at {address}")
        self.host = host
        self.address = address


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the very addresses it has checked, so that a name cannot mean another one a moment later.

    Private addresses are reached only if *private*.
    """

    def __init__(self, resolve: Resolve, *, private: bool) -> None:
        self._resolve = resolve
        self._private = private
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's own signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of *host* that answers. Raises PrivateAddress, httpcore.ConnectError."""
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in await self._checked(host, port, timeout):
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = type(error)(f"{host} does not answer at {address} port {port}")
        raise failure

    async def _checked(self, host: str, port: int, seconds: float | None) -> list[str]:
        try:
            async with asyncio.timeout(seconds):
                found = await self._resolve(host, port)
        except TimeoutError:
            raise httpcore.ConnectTimeout(f"the address of {host} was not found in time") from None
        except OSError as error:
            raise httpcore.ConnectError(f"the address of {host} was not found: {error.strerror or error}") from None
        allowed = [address for address in found if self._private or is_public(address)]
        if found and not allowed:
            raise PrivateAddress(host, found[0])
        return allowed

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class Pool(httpx.AsyncBaseTransport):
    """Connections that outlive a call: the next one to the same server need not connect again."""

    def __init__(self, resolve: Resolve, context: ssl.SSLContext, *, private: bool) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=_KEPT,
            keepalive_expiry=_KEPT_SECONDS,
            network_backend=CheckedBackend(resolve, private=private),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; the body of the answer comes decoded, within `MAX_BODY`."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        sent = httpcore.Request(
            request.method, url, headers=request.headers.raw, content=request.stream, extensions=request.extensions
        )
        with _translated():
            answer = await self._pool.handle_async_request(sent)
        headers = httpx.Headers(answer.headers)
        codings = _codings(headers)
        if "content-encoding" in headers:
            # Taken off whatever it says: what is left there httpx decodes, without any bound.
            del headers["content-encoding"]
        if codings:
            headers.pop("content-length", None)
        body = _Body(answer, codings)
        return httpx.Response(answer.status, headers=headers, stream=body, extensions=answer.extensions)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


_WINDOWS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 47}
"""How zlib is told of the codings that are asked for."""

_MOST_CODINGS: Final = 3


def _codings(headers: httpx.Headers) -> list[str]:
    """Give the codings of a body in the order in which they were put on."""
    stated = headers.get("content-encoding", "").lower().split(",")
    return [coding for one in stated if (coding := one.strip()) not in ("", "identity")]


class _Inflation:
    """Takes one coding off a body, in parts of a bounded size, whatever its bytes claim to become."""

    def __init__(self, coding: str) -> None:
        if coding not in _WINDOWS:
            raise httpx.DecodingError(f"the body is coded as {coding[:40]!r}, which was not asked for")
        window = _WINDOWS[coding]
        self._size = 0
        self._decoder = zlib.decompressobj(window)
        self._begun = False

    def parts(self, data: bytes) -> Iterator[bytes]:
        """Give what *data* becomes."""
        try:
            part = self._decoder.decompress(data, _PART)
        except zlib.error as error:
            if self._begun:
                raise httpx.DecodingError(f"the body is not what its headers say: {error}") from None
            self._decoder = zlib.decompressobj(-15)  # `deflate` without its frame, as some servers send it
            part = self._raw(data)
        self._begun = True
        while part:
            self._size += len(part)
            if self._size > MAX_BODY:
                raise _too_large()
            yield part
            part = self._decoder.decompress(self._decoder.unconsumed_tail, _PART)

    def _raw(self, data: bytes) -> bytes:
        try:
            return self._decoder.decompress(data, _PART)
        except zlib.error as error:
            raise httpx.DecodingError(f"the body is not what its headers say: {error}") from None


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response, codings: list[str]) -> None:
        self._answer = answer
        self._codings = codings

    async def __aiter__(self) -> AsyncIterator[bytes]:
        sent = 0
        inflations: list[_Inflation] | None = None
        with _translated():
            async for data in self._answer.aiter_stream():
                sent += len(data)
                if sent > MAX_BODY:
                    raise _too_large()
                if inflations is None:  # not before there is something: answers without a body may say anything
                    inflations = self._inflations()
                for part in _decoded(data, inflations):
                    yield part

    def _inflations(self) -> list[_Inflation]:
        if len(self._codings) > _MOST_CODINGS:
            raise httpx.DecodingError(f"the body is coded {len(self._codings)} times over")
        return [_Inflation(coding) for coding in reversed(self._codings)]

    async def aclose(self) -> None:
        _retire_if_more_came(self._answer)
        await self._answer.aclose()


def _decoded(data: bytes, inflations: Sequence[_Inflation]) -> Iterator[bytes]:
    if not inflations:
        yield data
        return
    for part in inflations[0].parts(data):
        yield from _decoded(part, inflations[1:])


def _too_large() -> httpx.DecodingError:
    return httpx.DecodingError(f"the body is larger than {MAX_BODY >> 20} MB")


def _retire_if_more_came(answer: httpcore.Response) -> None:
    """Have the connection not used again if more came over it than the answer: that would be what another call gets."""
    connection: Any = answer.stream
    while not hasattr(connection, "_h11_state"):
        connection = vars(connection).get("_stream") or vars(connection)["_connection"]
    if connection._h11_state.trailing_data[0]:
        connection._keepalive_expiry = -1.0


@contextmanager
def _translated() -> Iterator[None]:
    """Let failures of the layer below appear under the names of httpx, which are the same."""
    try:
        yield
    except Exception as error:
        kind = getattr(httpx, type(error).__name__, None) if type(error).__module__.startswith("httpcore") else None
        if kind is None:
            raise
        raise kind(str(error)) from None
