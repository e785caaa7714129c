"""What a script says of a request, made the one form in which the parent is asked for it."""

import base64
import json
import os
import secrets
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any

Pairs = list[list[str]]

OPTIONS = ("params", "headers", "cookies", "auth", "timeout", "content", "data", "json", "files", "follow_redirects")
"""What can be said of one request, under the names of httpx."""

_AS_USUAL: dict[str, tuple[Any, ...]] = {
    "verify": (True, None),
    "cert": (None,),
    "proxies": (None, {}),
    "proxy": (None,),
    "hooks": (None, {}),
    "event_hooks": (None, {}),
    "trust_env": (True, False),
    "http1": (True,),
    "http2": (False,),
    "stream": (True, False, None),
    "transport": (None,),
    "mounts": (None,),
}
"""Options of either library that say nothing new when they have one of these values."""


class Timeout:
    """`httpx.Timeout`: seconds for each part of a request; None leaves it to the server's own bound."""

    __slots__ = ("connect", "pool", "read", "write")

    def __init__(self, timeout: Any = None, **parts: Any) -> None:
        for name in self.__slots__:
            setattr(self, name, _seconds(parts.pop(name, timeout)))
        if parts:
            raise TypeError(f"Timeout() takes no {next(iter(parts))}")

    def __repr__(self) -> str:
        return f"Timeout({', '.join(f'{name}={getattr(self, name)}' for name in self.__slots__)})"


class BasicAuth(tuple[str, str]):
    """`httpx.BasicAuth` and `requests.auth.HTTPBasicAuth`: a user and a password."""

    __slots__ = ()

    def __new__(cls, username: str, password: str) -> "BasicAuth":
        return super().__new__(cls, (username, password))

    def __repr__(self) -> str:
        return "BasicAuth(...)"


def payload(method: Any, url: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the parent is asked. Raises TypeError for options it does not know."""
    check(options)
    body, content_type = _body(options)
    headers = _pairs(options.get("headers"))
    if content_type is not None and all(name.lower() != "content-type" for name, _ in headers):
        headers.append(["Content-Type", content_type])
    return {
        "method": _text(method).upper(),
        "url": _with_params(_text(url), options.get("params")),
        "headers": headers,
        "cookies": {_text(name): _text(value) for name, value in dict(options.get("cookies") or {}).items()},
        "auth": _auth(options.get("auth")),
        "timeout": _timeout(options.get("timeout")),
        "follow": bool(options.get("follow_redirects")),
        "body": base64.b64encode(body).decode() if body is not None else None,
    }


def check(options: Mapping[str, Any]) -> None:
    """Raise TypeError for an option that nothing here would come of."""
    for name, value in options.items():
        if name in OPTIONS:
            continue
        if name not in _AS_USUAL:
            raise TypeError(f"a request takes no option {name!r}")
        if not any(value is usual or value == usual for usual in _AS_USUAL[name]):
            raise TypeError(f"{name}={value!r} is not available: the server makes the request, and its way is fixed")


def _body(options: Mapping[str, Any]) -> tuple[bytes | None, str | None]:
    """Give the body and what it is: of `json`, `files`, `data` or `content`."""
    if options.get("json") is not None:
        return json.dumps(options["json"], ensure_ascii=False, allow_nan=False).encode(), "application/json"
    data = options.get("data")
    if options.get("files"):
        return _multipart(data, options["files"])
    for given in (options.get("content"), data):
        if given is None:
            continue
        if isinstance(given, (str, bytes, bytearray)) or hasattr(given, "read"):
            return _bytes(given), None
        if isinstance(given, Mapping) or given is data:
            return urllib.parse.urlencode(_flat(given)).encode(), "application/x-www-form-urlencoded"
        return b"".join(_bytes(part) for part in given), None
    return None, None


def _multipart(data: Any, files: Any) -> tuple[bytes, str]:
    boundary = secrets.token_hex(16)
    parts = [_part(f'form-data; name="{_quoted(name)}"', None, _bytes(value)) for name, value in _flat(data or {})]
    for name, file in files.items() if isinstance(files, Mapping) else files:
        filename, content, kind = _file(name, file)
        head = f'form-data; name="{_quoted(_text(name))}"; filename="{_quoted(filename)}"'
        parts.append(_part(head, kind, content))
    body = b"".join(b"--" + boundary.encode() + b"\r\n" + part for part in parts)
    return body + b"--" + boundary.encode() + b"--\r\n", f"multipart/form-data; boundary={boundary}"


def _part(disposition: str, kind: str | None, content: bytes) -> bytes:
    head = f"Content-Disposition: {disposition}\r\n" + (f"Content-Type: {kind}\r\n" if kind else "")
    return head.encode() + b"\r\n" + content + b"\r\n"


def _file(name: Any, file: Any) -> tuple[str, bytes, str]:
    if isinstance(file, (tuple, list)):
        filename, content, *rest = file
        return _text(filename or name), _bytes(content), _text(rest[0]) if rest else "application/octet-stream"
    filename = os.path.basename(str(getattr(file, "name", name)))
    return filename, _bytes(file), "application/octet-stream"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _with_params(url: str, params: Any) -> str:
    if not params:
        return url
    query = params if isinstance(params, str) else urllib.parse.urlencode(_flat(params))
    address, hash_sign, fragment = url.partition("#")
    return address + ("&" if "?" in address else "?") + query + hash_sign + fragment


def _flat(fields: Any) -> list[tuple[str, Any]]:
    """Give names and values, a list of values as so many pairs, the way both libraries write them."""
    flat: list[tuple[str, Any]] = []
    for name, value in fields.items() if isinstance(fields, Mapping) else fields:
        values = value if isinstance(value, (list, tuple)) else (value,)
        flat += [(_text(name), _scalar(one)) for one in values if one is not None]
    return flat


def _scalar(value: Any) -> Any:
    return {True: "true", False: "false"}[value] if type(value) is bool else value


def _pairs(headers: Any) -> Pairs:
    given: Iterable[Any] = headers.items() if isinstance(headers, Mapping) else headers or ()
    return [[_text(name), _text(value)] for name, value in given if value is not None]


def _auth(auth: Any) -> list[str] | None:
    if auth is None:
        return None
    if isinstance(auth, (tuple, list)) and len(auth) == 2:
        return [_text(auth[0]), _text(auth[1])]
    raise TypeError("auth takes (user, password); a token goes into headers, as Authorization")


def _timeout(timeout: Any) -> dict[str, float] | float | None:
    if isinstance(timeout, Timeout):
        parts = {name: getattr(timeout, name) for name in Timeout.__slots__}
        return {name: value for name, value in parts.items() if value is not None}
    if isinstance(timeout, (tuple, list)):
        connect, read = timeout[0], timeout[1]
        return {name: value for name, value in (("connect", _seconds(connect)), ("read", _seconds(read))) if value}
    return _seconds(timeout)


def _seconds(value: Any) -> float | None:
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0):
        return float(value) if value is not None else None
    raise TypeError(f"a timeout is a number of seconds above 0, not {value!r}")


def _bytes(value: Any) -> bytes:
    if hasattr(value, "read"):
        value = value.read()
    if isinstance(value, str):
        return value.encode()
    return bytes(value) if isinstance(value, (bytes, bytearray)) else str(value).encode()


def _text(value: Any) -> str:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("latin-1")
    return str.__str__(value) if isinstance(value, str) else str(value)
