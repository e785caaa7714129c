"""URI templates: a small part of RFC 6570, enough to name resources, read in both directions without guessing.

`{name}` stands for one part of a path, `{+name}` at the end of it for all that is left, slashes too, and `{?a,b}` at
the very end for the parameters a and b.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import parse_qsl, quote, unquote

MAX_URI: Final = 4096
"""Most characters of a URI that is read."""

_EXPRESSION: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LITERAL: Final = re.compile(r"[!-~]*")
_RESERVED: Final = ":/@!$&'()*+,;=-._~"


class NotATemplate(ValueError):
    """The text is no URI template: *message* says why, *hint* how to mend it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class _Part:
    """A piece of a template: literal text, or the variable *name* (all that is *left* of the path, or one part)."""

    text: str = ""
    name: str = ""
    left: bool = False


@dataclass(frozen=True)
class UriTemplate:
    """A URI with variables, or without any. Immutable."""

    text: str
    parts: tuple[_Part, ...]
    parameters: tuple[str, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """Give the names of the variables, in the order they stand."""
        return (*(part.name for part in self.parts if part.name), *self.parameters)

    @property
    def rest(self) -> str | None:
        """Give the name of the variable that takes all that is left of the path, if there is one."""
        return next((part.name for part in self.parts if part.left), None)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        pieces = []
        for index, part in enumerate(self.parts):
            # A variable ends where the text after it begins, so that no text can be read in two ways, or slowly.
            after = self.parts[index + 1].text[:1] if index + 1 < len(self.parts) else ""
            ends = "?#" if part.left else f"/?#{after}"
            pieces.append(f"([^{re.escape(ends)}]++)" if part.name else re.escape(part.text))
        return re.compile("".join(pieces))

    def match(self, uri: str) -> dict[str, str] | None:
        """Give the variables of *uri*, decoded, or None when it is not of this template."""
        if len(uri) > MAX_URI:
            return None
        path, mark, query = uri.partition("?") if self.parameters else (uri, "", "")
        found = self._pattern.fullmatch(path)
        if found is None:
            return None
        names = [part.name for part in self.parts if part.name]
        values = {name: unquote(value) for name, value in zip(names, found.groups(), strict=True)}
        given = dict(parse_qsl(query, keep_blank_values=True)) if mark else {}
        return None if given.keys() - set(self.parameters) else values | given

    def expand(self, values: Mapping[str, str]) -> str:
        """Give the URI of *values*; parameters without a value are left out."""
        path = [
            quote(values[part.name], safe=_RESERVED if part.left else "-._~") if part.name else part.text
            for part in self.parts
        ]
        given = [f"{name}={quote(values[name], safe='-._~')}" for name in self.parameters if name in values]
        return "".join(path) + ("?" + "&".join(given) if given else "")


def parse(text: str) -> UriTemplate:
    """Read a URI template. Raises: NotATemplate."""
    if not _SCHEME.match(text):
        raise NotATemplate("has no scheme", "Begin it with a word and a colon, as in notes://today.")
    if len(text) > MAX_URI:
        raise NotATemplate(f"has over {MAX_URI} characters")
    parts = list(_parts(text))
    parameters: tuple[str, ...] = ()
    if parts and parts[-1].name.startswith("?"):
        parameters = tuple(name.strip() for name in parts.pop().name[1:].split(","))
    parts = [_variable(part) if part.name else part for part in parts]
    template = UriTemplate(text, tuple(parts), parameters)
    _check(template)
    return template


def _parts(text: str) -> Iterator[_Part]:
    end = 0
    for found in _EXPRESSION.finditer(text):
        if found.start() > end:
            yield _Part(_literal(text[end : found.start()]))
        yield _Part(name=found[1] or " ")
        end = found.end()
    if end < len(text):
        yield _Part(_literal(text[end:]))


def _literal(text: str) -> str:
    if "{" in text or "}" in text:
        raise NotATemplate("has a brace without its partner", "Write %7B or %7D for a brace that is meant as such.")
    if not _LITERAL.fullmatch(text):
        raise NotATemplate("holds a space or a character that is not ASCII", "Write it percent-encoded, as in %20.")
    return text


def _variable(part: _Part) -> _Part:
    return _Part(name=part.name[1:], left=True) if part.name.startswith("+") else part


def _check(template: UriTemplate) -> None:
    seen: set[str] = set()
    for name in template.variables:
        if not _NAME.fullmatch(name):
            hint = "Write {name}, {+name} for the rest of the path, or {?a,b} at the end."
            raise NotATemplate(f"has {{{name}}}, which is none of the forms understood", hint)
        if name in seen:
            raise NotATemplate(f"has the variable {name!r} twice")
        seen.add(name)
    for part, after in zip(template.parts, template.parts[1:], strict=False):
        if part.left:
            raise NotATemplate(f"goes on after {{+{part.name}}}", "It takes all that is left, so it stands last.")
        if part.name and after.name:
            raise NotATemplate("has two variables with nothing between them", "Put a / between them.")
