"""Mask: secrets taken out of everything that is kept or shown, in every form they usually travel in.

Texts are of callers and scripts, and so are some of the secrets: looking for these in those takes bounded time.
"""

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote, quote_plus

HIDDEN: Final = "***"
MIN_SECRET: Final = 4
"""Shorter values are not masked: they would blank out ordinary text."""

_HEAD: Final = 16
"""From so many characters on the beginning of a secret is hidden wherever it stands; a shorter one where it was cut."""

_CUT: Final = re.compile(r"\.\.\.")
"""What stands where a text was cut before it came here. Whatever cuts a text leaves it."""

_MIN_LINE: Final = 8
_MOST_LINES: Final = 200
_MOST_SECRETS: Final = 2048
_MOST_HELD: Final = 4096

_ESCAPE: Final = re.compile("%[0-9A-F]{2}")
_SAFE: Final = (
    "",
    "/",
    "!'()*",
    "!$&'()*+,/:;=?@",
    "!#$&'()*+,/:;=?@",
    "!$%&'()*+,/:;=?@[\\]^`{|}",
    "!$%&'()*+,/:;=@[\\]^|",
    "!$%&'()*+,",
    "!#$%&'()*+,/:;=?@[]",
)
"""What the usual libraries leave as it is in a URL, each in the path, the query or the name of a user."""

_LEVELS: Final = ("debug", "info", "warning", "error")

_MOST_WORK: Final = 1 << 28
"""Characters that are looked through for one text or value, once for each form: a quarter of a second."""

_EACH: Final = 50
"""How many characters a text counts for besides its own."""


class Mask:
    """Takes the given *secrets* out of texts and JSON values. Immutable."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secret for secret in secrets if len(secret) >= MIN_SECRET)
        parts = {part for secret in self._secrets for part in (secret, *_lines(secret))}
        forms = {form for part in parts for form in _forms(part) if len(form) >= MIN_SECRET}
        self._forms = tuple(sorted(forms, key=len, reverse=True))

    def __or__(self, other: "Mask") -> "Mask":
        """Give what takes out the secrets of both."""
        if other is EVERYTHING or self._secrets <= other._secrets:
            return other
        if other._secrets <= self._secrets:
            return self
        if len(self._secrets) + len(other._secrets) > _MOST_SECRETS:
            return EVERYTHING
        together = Mask()
        together._secrets = self._secrets | other._secrets
        together._forms = tuple(sorted({*self._forms, *other._forms}, key=len, reverse=True))
        return together

    def text(self, text: str) -> str:
        """Give *text* with each secret replaced by `***`, also where one begins and was cut; a text too long to look
        through as a whole."""
        return _Hiding(self).text(text) if self._forms else text

    def held_back(self, text: str) -> int:
        """Give how many characters at the end of *text* may be the beginning of a secret that goes on in the next."""
        if not self._forms or text.endswith("\n"):
            return 0  # of a secret with several lines each is looked for by itself
        tail = text[-min(_MOST_HELD, len(self._forms[0]) - 1) :]
        return max((_begun(tail, form) for form in self._forms), default=0)

    def value(self, value: Any) -> Any:
        """Give a JSON value with each secret replaced, in keys too; the value itself when there is nothing to hide."""
        return _Hiding(self).value(value) if self._forms else value

    def told(self, kind: str, payload: Any) -> Any:
        """Give what a call tells with each secret replaced; the names of what is no text are ours."""
        if kind not in ("log", "progress") or not isinstance(payload, dict):
            return self.value(payload)
        return self._members(payload, "level" if payload.get("level") in _LEVELS else "")

    def error(self, error: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Give an error (`{code, message, ...}`) with each secret replaced."""
        return None if error is None else self._members(error, "code")

    def _members(self, value: Mapping[str, Any], plain: str) -> dict[str, Any]:
        return {name: inner if name == plain else self.value(inner) for name, inner in value.items()}

    @cached_property
    def _heads(self) -> Mapping[str, list[str]]:
        """Give the long forms by what they begin with."""
        heads: dict[str, list[str]] = {}
        for form in self._forms:
            if len(form) > _HEAD:
                heads.setdefault(form[:_HEAD], []).append(form)
        return heads

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        """What a form may begin with and is too short to be looked for everywhere."""
        return frozenset(form[:size] for form in self._forms for size in range(MIN_SECRET, min(_HEAD, len(form))))

    def _clean(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        for head, forms in self._heads.items():
            if head in text:
                text = _without(text, head, forms)
        return self._clean_at_cuts(text) if "..." in text else text

    def _clean_at_cuts(self, text: str) -> str:
        parts, done = [], 0
        for cut in _CUT.finditer(text):
            sizes = range(min(_HEAD, cut.start() - done + 1) - 1, MIN_SECRET - 1, -1)
            size = next((size for size in sizes if text[cut.start() - size : cut.start()] in self._beginnings), 0)
            if size:
                parts += [text[done : cut.start() - size], HIDDEN]
                done = cut.start()
        return "".join([*parts, text[done:]])


class _Everything(Mask):
    """Takes out all there is: where secrets are too many to be told from the rest."""

    def __or__(self, other: Mask) -> Mask:
        return self

    def text(self, text: str) -> str:
        return HIDDEN if text else text

    def value(self, value: Any) -> Any:
        return HIDDEN if value else value

    def error(self, error: Mapping[str, Any] | None) -> dict[str, Any] | None:
        message = "The call holds so many secrets that nothing is shown of how it failed."
        return None if error is None else {"code": error["code"], "message": message}


EVERYTHING: Final[Mask] = _Everything()


class _Hiding:
    """One look through one text or value; what is left when it has been long enough is hidden."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._left = _MOST_WORK

    def text(self, text: str) -> str:
        self._left -= len(self._mask._forms) * (len(text) + _EACH)
        return HIDDEN if self._left < 0 else self._mask._clean(text)

    def value(self, value: Any) -> Any:
        match value:
            case str():
                return self.text(value)
            case bool() | None:
                return value
            case list() | dict() if self._left < 0:
                return HIDDEN
            case list():
                return [self.value(item) for item in value]
            case dict():
                return {self.text(key): self.value(item) for key, item in value.items()}
            case _:
                return HIDDEN if self.text(str(value)) != str(value) else value


def _lines(secret: str) -> list[str]:
    """Give the lines of a secret with several; who shows one often shows it alone."""
    lines = [line.strip() for line in secret.splitlines()[:_MOST_LINES]] if "\n" in secret.strip() else []
    return [line for line in lines if len(line) >= _MIN_LINE]


def _begun(tail: str, form: str) -> int:
    """Give how many characters at the end of *tail* are what *form* begins with, but not all of it."""
    at = tail.find(form[0], max(0, len(tail) - len(form) + 1))
    while at >= 0:
        if form.startswith(tail[at:]):
            return len(tail) - at
        at = tail.find(form[0], at + 1)
    return 0


def _without(text: str, head: str, forms: Iterable[str]) -> str:
    """Give *text* without what *forms* have in common with it where their *head* stands."""
    parts, done = [], 0
    while (at := text.find(head, done)) >= 0:
        parts += [text[done:at], HIDDEN]
        done = at + max(_shared(text, at, form) for form in forms)
    return "".join([*parts, text[done:]])


def _shared(text: str, at: int, form: str) -> int:
    """Give how many characters of *form*, of which some are known to, stand at a place of *text*."""
    size = step = _HEAD
    grows = True
    while step:
        part = form[size : size + step]
        if part and text.startswith(part, at + size):
            size += len(part)
            step = step * 2 if grows else step // 2
        else:
            grows = False
            step //= 2
    return size


def _forms(secret: str) -> Iterator[str]:
    yield secret
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    for written in (repr(secret), ascii(secret), repr(secret.encode())[1:]):
        yield written[1:-1]
        yield json.dumps(written[1:-1])[1:-1]
    for encoded in (quote_plus(secret), *(quote(secret, safe=safe) for safe in _SAFE)):
        yield encoded
        yield _ESCAPE.sub(lambda code: code[0].lower(), encoded)
    yield html.escape(secret)
    yield html.escape(secret, quote=False)
    yield secret.replace('"', '""')
    yield base64.encodebytes(secret.encode()).decode().rstrip("=\n")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(secret.encode()).decode().rstrip("=")
        yield from (_inside(encode, secret.encode(), before) for before in range(3))


def _inside(encode: Callable[[bytes], bytes], secret: bytes, before: int) -> str:
    """Give what base64 of a longer text has of the *secret*, *before* bytes behind the last group of three.

    `user:secret` of basic authentication is such a text. Characters that also tell of what stands beside are left out.
    """
    first, end = -(-8 * before // 6), 8 * (before + len(secret)) // 6
    return encode(bytes(before) + secret).decode()[first:end]
