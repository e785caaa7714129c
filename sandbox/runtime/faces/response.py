"""The answer to a request: one class with the names of both `httpx.Response` and `requests.Response`."""

import base64
import codecs
import datetime
import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

from sandbox.runtime.faces.web_errors import HTTPStatusError

_REDIRECTS = (301, 302, 303, 307, 308)


class Headers(Mapping[str, str]):
    """The headers of an answer; names are compared without case, and one sent twice is joined by commas."""

    __slots__ = ("_pairs",)

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs: dict[str, list[str]] = {}
        for name, value in pairs:
            self._pairs.setdefault(name.lower(), []).append(value)

    def __getitem__(self, name: str) -> str:
        return ", ".join(self._pairs[name.lower()])

    def __iter__(self) -> Iterator[str]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"Headers({dict(self)!r})"

    def get_list(self, name: str) -> list[str]:
        """Give every value sent under *name*."""
        return list(self._pairs.get(name.lower(), ()))


class Request:
    """What was asked for."""

    __slots__ = ("method", "url")

    def __init__(self, method: str, url: str) -> None:
        self.method = method
        self.url = url

    def __repr__(self) -> str:
        return f"<Request({self.method!r}, {self.url!r})>"


class Response:
    """An answer, read whole. It can be awaited, iterated and used in `with`, wherever scripts expect that."""

    __slots__ = (
        *("_content", "_encoding", "cookies", "elapsed", "headers", "history", "http_version", "reason_phrase"),
        *("request", "status_code", "url"),
    )

    def __init__(self, told: Mapping[str, Any], request: Request) -> None:
        self.request = request
        self.status_code: int = told["status"]
        self.reason_phrase: str = told["reason"]
        self.http_version: str = told["version"]
        self.url: str = told["url"]
        self.headers = Headers((name, value) for name, value in told["headers"])
        self.cookies: dict[str, str] = told["cookies"]
        self.elapsed = datetime.timedelta(seconds=told["seconds"])
        self.history = [Response({**hop, "history": []}, request) for hop in told["history"]]
        self._content = base64.b64decode(told["body"])
        self._encoding = _charset(self.headers.get("content-type", ""))

    @property
    def reason(self) -> str:
        """The words beside the status."""
        return self.reason_phrase

    @property
    def content(self) -> bytes:
        """The body."""
        return self._content

    @property
    def encoding(self) -> str:
        """How the body is written: as its header says, else UTF-8; can be set."""
        return self._encoding

    @encoding.setter
    def encoding(self, name: str) -> None:
        codecs.lookup(name)
        self._encoding = name

    @property
    def apparent_encoding(self) -> str:
        """UTF-8 where the body is that, else Latin-1, which any bytes are."""
        try:
            self._content.decode()
        except UnicodeDecodeError:
            return "latin-1"
        return "utf-8"

    @property
    def text(self) -> str:
        """The body as text; what is not text in its encoding is replaced."""
        return self._content.decode(self._encoding, "replace")

    def json(self, **options: Any) -> Any:
        """Read the body as JSON. Raises json.JSONDecodeError."""
        return json.loads(self._content.decode("utf-8-sig", "replace"), **options)

    @property
    def ok(self) -> bool:
        """Whether the status is under 400."""
        return self.status_code < 400

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return self.status_code // 100 == 2

    @property
    def is_error(self) -> bool:
        """Whether the status is 4xx or 5xx."""
        return self.status_code >= 400

    @property
    def is_client_error(self) -> bool:
        """Whether the status is 4xx."""
        return self.status_code // 100 == 4

    @property
    def is_server_error(self) -> bool:
        """Whether the status is 5xx."""
        return self.status_code // 100 == 5

    @property
    def is_redirect(self) -> bool:
        """Whether the answer leads elsewhere."""
        return self.status_code in _REDIRECTS and "location" in self.headers

    def raise_for_status(self) -> "Response":
        """Give the answer itself. Raises HTTPStatusError (`requests.HTTPError`) for 4xx and 5xx."""
        if self.is_error:
            message = f"{self.status_code} {self.reason_phrase} for {self.request.method} {self.url}"
            raise HTTPStatusError(message, request=self.request, response=self)
        return self

    def read(self) -> bytes:
        """Give the body."""
        return self._content

    def iter_bytes(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """Give the body in parts."""
        size = chunk_size or max(1, len(self._content))
        return (self._content[start : start + size] for start in range(0, len(self._content), size))

    iter_content = iter_raw = iter_bytes

    def iter_text(self) -> Iterator[str]:
        """Give the text."""
        return iter((self.text,) if self._content else ())

    def iter_lines(self, *, decode_unicode: bool = True) -> Iterator[Any]:
        """Give the text line by line; with `decode_unicode=False`, the bytes."""
        return iter(self.text.splitlines() if decode_unicode else self._content.splitlines())

    def close(self) -> None:
        """Nothing is held."""

    async def aread(self) -> bytes:
        """Give the body."""
        return self._content

    async def aclose(self) -> None:
        """Nothing is held."""

    async def aiter_bytes(self, chunk_size: int | None = None) -> Any:
        """Give the body in parts."""
        for part in self.iter_bytes(chunk_size):
            yield part

    async def aiter_text(self) -> Any:
        """Give the text."""
        for part in self.iter_text():
            yield part

    async def aiter_lines(self) -> Any:
        """Give the text line by line."""
        for line in self.iter_lines():
            yield line

    def __bool__(self) -> bool:
        return self.ok

    def __iter__(self) -> Iterator[bytes]:
        return self.iter_bytes(128)

    def __enter__(self) -> "Response":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __await__(self) -> Generator[Any, Any, "Response"]:
        yield from ()
        return self

    def __repr__(self) -> str:
        return f"<Response [{self.status_code} {self.reason_phrase}]>"


def _charset(content_type: str) -> str:
    for part in content_type.split(";")[1:]:
        name, _, value = part.strip().partition("=")
        if name.lower() == "charset":
            try:
                return codecs.lookup(value.strip("\"' ")).name
            except LookupError:
                return "utf-8"
    return "utf-8"
