"""Surroundings: the types of what every script finds around it, for editors and type checkers; none of it runs."""

from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any, Protocol

_Path = str | PathLike[str]


class ToolError(Exception):
    """The author's own failure: `raise ToolError("No such order", order=7)` answers with code `tool_error`."""

    details: dict[str, Any]
    code: str

    def __init__(self, message: object = "", **details: Any) -> None:
        super().__init__(message)
        self.details = details
        self.code = "tool_error"


class Log(Protocol):
    """`ctx.log`: messages for whoever watches the call, with fields."""

    def debug(self, message: object, **fields: Any) -> None:
        """Say something only a debugger wants to know."""

    def info(self, message: object, **fields: Any) -> None:
        """Say something."""

    def warning(self, message: object, **fields: Any) -> None:
        """Say that something is odd."""

    def error(self, message: object, **fields: Any) -> None:
        """Say that something failed."""


class Response(Protocol):
    """The answer to a request, read whole; in `async` code `await` gives it."""

    status_code: int
    reason_phrase: str
    url: str
    headers: Mapping[str, str]
    cookies: dict[str, str]
    history: list["Response"]
    elapsed: timedelta
    encoding: str

    @property
    def content(self) -> bytes:
        """The body."""

    @property
    def text(self) -> str:
        """The body as text."""

    @property
    def ok(self) -> bool:
        """Whether the status is under 400."""

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""

    def json(self) -> Any:
        """Read the body as JSON."""

    def raise_for_status(self) -> "Response":
        """Give the answer itself, or raise for 4xx and 5xx."""

    def iter_lines(self) -> Iterator[str]:
        """Give the text line by line."""

    def aiter_lines(self) -> AsyncIterator[str]:
        """Give the text line by line."""

    def __await__(self) -> Generator[Any, Any, "Response"]: ...


class Http(Protocol):
    """`ctx.http`: requests to the hosts that `permissions.net` names; options are those of httpx."""

    def request(
        self,
        method: str,
        url: str,
        *,
        params: Any = None,
        headers: Mapping[str, str] | None = None,
        cookies: Mapping[str, str] | None = None,
        content: str | bytes | None = None,
        data: Any = None,
        json: Any = None,
        files: Any = None,
        auth: tuple[str, str] | None = None,
        timeout: float | tuple[float, float] | None = None,
        follow_redirects: bool = True,
    ) -> Response:
        """Send a request and give the answer."""

    def get(self, url: str, **options: Any) -> Response:
        """Send a GET request."""

    def post(self, url: str, **options: Any) -> Response:
        """Send a POST request."""

    def put(self, url: str, **options: Any) -> Response:
        """Send a PUT request."""

    def patch(self, url: str, **options: Any) -> Response:
        """Send a PATCH request."""

    def delete(self, url: str, **options: Any) -> Response:
        """Send a DELETE request."""

    def head(self, url: str, **options: Any) -> Response:
        """Send a HEAD request."""

    def options(self, url: str, **options: Any) -> Response:
        """Send an OPTIONS request."""


class Files(Protocol):
    """`ctx.files`: whole files in the folders that `permissions.read` and `permissions.write` name."""

    def read_bytes(self, path: _Path) -> bytes:
        """Give the bytes of a file."""

    def read_text(self, path: _Path, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Give the text of a file."""

    def write_bytes(self, path: _Path, data: bytes | bytearray | memoryview, *, exclusive: bool = False) -> int:
        """Write a file; with *exclusive*, only where there is none. Gives how many bytes it has now."""

    def write_text(self, path: _Path, text: str, encoding: str = "utf-8", errors: str = "strict") -> int:
        """Write a file of text. Gives how many characters it has now."""

    def append_bytes(self, path: _Path, data: bytes | bytearray | memoryview) -> None:
        """Put *data* at the end of a file."""

    def exists(self, path: _Path) -> bool:
        """Say whether there is such a file or folder."""

    def delete(self, path: _Path) -> None:
        """Delete a file."""

    def list(self, path: _Path = ".") -> "list[str]":
        """Give the names in a folder, sorted; those of folders end in `/`."""


class Answer(dict[str, Any]):
    """What a person filled in; true if they agreed. `action` is `accept`, `decline` or `cancel`."""

    action: str


class Block(dict[str, Any]):
    """One piece of content for the client to show."""


class Content(Protocol):
    """`ctx.content`: blocks to return, one or a list of blocks, texts and JSON values."""

    def text(self, text: object) -> Block:
        """Give a block of text."""

    def image(self, data: bytes | bytearray | memoryview, mime_type: str | None = None) -> Block:
        """Give an image; PNG, JPEG, GIF and WebP tell their mime type themselves."""

    def audio(self, data: bytes | bytearray | memoryview, mime_type: str | None = None) -> Block:
        """Give a sound; WAV, MP3, Ogg and FLAC tell their mime type themselves."""

    def resource(self, uri: str, content: str | bytes, mime_type: str | None = None) -> Block:
        """Give a document that goes by *uri*."""

    def link(self, uri: str, name: str, *, description: str | None = None, mime_type: str | None = None) -> Block:
        """Give a link to a resource that the client may read."""


class Client(Protocol):
    """`ctx.client`: who called, and what it can do."""

    can_ask: bool
    can_sample: bool
    can_list_roots: bool
    facade: str
    name: str | None
    version: str | None


class Context(Protocol):
    """`ctx`: what surrounds the running call."""

    log: Log
    http: Http
    files: Files
    content: Content

    @property
    def client(self) -> Client:
        """Who called, and what it can do."""

    def ask(self, message: object, schema: Mapping[str, Any] | None = None) -> Answer:
        """Ask the person at the other end; *schema* has the fields of the form. `await` it in `async` code."""

    def ask_all(self, questions: Mapping[str, Any]) -> dict[str, Any]:
        """Ask `{name: text}`, `{name: {"ask": text, "schema": fields}}`, `{"sample": prompt}` or `{"roots": True}`."""

    def sample(
        self,
        prompt: object,
        *,
        max_tokens: int = 1000,
        system: str | None = None,
        temperature: float | None = None,
        stop: Sequence[str] | None = None,
        preferences: Mapping[str, Any] | None = None,
    ) -> Any:
        """Have the client's model answer, and give its text, else its blocks. `await` it in `async` code."""

    def roots(self) -> Any:
        """Give the folders the client works in, as `{uri, name}`. `await` it in `async` code."""

    def meta(self, /, **values: Any) -> None:
        """Put *values* into the result's `_meta`, for programs; models do not see them."""

    def secret(self, name: str) -> str:
        """Give the secret *name*, which `permissions.secrets` must name."""

    def call(self, tool: str, /, **args: Any) -> Any:
        """Call another tool, which `permissions.tools` must name, and give its result; `await` it in `async` code."""

    def progress(self, done: float, total: float | None = None, message: object = None) -> None:
        """Say that *done* of *total* steps are done."""
