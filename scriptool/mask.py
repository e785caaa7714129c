"""Mask: secrets taken out of everything that is kept or shown, in every form they usually travel in."""

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, quote_plus

from scriptool.schema import Schema

HIDDEN: Final = "***"
MIN_SECRET: Final = 4
"""Shorter values are not masked: they would blank out ordinary text."""


class Mask:
    """Takes the given *secrets* out of texts and JSON values. Immutable."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secret for secret in secrets if len(secret) >= MIN_SECRET)
        forms = {form for secret in self._secrets for form in _forms(secret)}
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None

    def __or__(self, other: "Mask") -> "Mask":
        """Give what takes out the secrets of both."""
        together = self._secrets | other._secrets
        return self if together == self._secrets else other if together == other._secrets else Mask(together)

    def text(self, text: str) -> str:
        """Give *text* with each secret replaced by `***`."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text

    def value(self, value: Any) -> Any:
        """Give a JSON value with each secret replaced, in keys too; the value itself when there is nothing to hide."""
        if self._pattern is None:
            return value
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(item) for item in value]
            case dict():
                return {self.text(key): self.value(item) for key, item in value.items()}
            case bool() | None:
                return value
            case _:
                return HIDDEN if self.text(str(value)) != str(value) else value


def _forms(secret: str) -> Iterator[str]:
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield repr(secret)[1:-1]
    yield quote(secret, safe="")
    yield quote(secret)
    yield quote_plus(secret)
    yield re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), quote(secret, safe=""))
    yield html.escape(secret)
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(secret.encode()).decode().rstrip("=")
        yield from (_inside(encode, secret.encode(), before) for before in range(3))


def _inside(encode: Callable[[bytes], bytes], secret: bytes, before: int) -> str:
    """Give what base64 of a longer text has of the *secret*, *before* bytes behind the last group of three.

    `user:secret` of basic authentication is such a text. Characters that also tell of what stands beside are left out.
    """
    first, end = -(-8 * before // 6), 8 * (before + len(secret)) // 6
    return encode(bytes(before) + secret).decode()[first:end]


def secret_arguments(schema: Schema, arguments: Mapping[str, Any]) -> list[str]:
    """Give the texts among *arguments* that their *schema* marks `"format": "password"` or `"writeOnly": true`."""
    return list(_marked(schema, schema.document, dict(arguments), False))


def _marked(schema: Schema, document: Any, value: Any, hidden: bool) -> Iterator[str]:
    part = schema.resolve(document)
    hidden = hidden or part.get("format") == "password" or part.get("writeOnly") is True
    for branch in (*part.get("allOf", ()), *part.get("anyOf", ()), *part.get("oneOf", ())):
        yield from _marked(schema, branch, value, hidden)
    match value:
        case dict():
            properties = part.get("properties", {})
            for name, item in value.items():
                yield from _marked(schema, properties.get(name, part.get("additionalProperties")), item, hidden)
        case list():
            for item in value:
                yield from _marked(schema, part.get("items"), item, hidden)
        case str() if hidden:
            yield value
        case int() | float() if hidden and not isinstance(value, bool):
            yield str(value)
