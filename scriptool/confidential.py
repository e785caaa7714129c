"""Confidential: which texts among the arguments of a call their schema marks as secret.

Marked is what `"format": "password"` or `"writeOnly": true` applies to, by whatever keyword a schema says it, and all
that lies in it. In doubt more is taken for secret, never less.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from scriptool.mask import EVERYTHING, MIN_SECRET, Mask
from scriptool.schema import Schema
from scriptool.vocabulary import effort
from scriptool.vocabulary.pattern import NoPattern, compiled

MOST_SECRETS: Final = 256
"""How many secrets of one call are told from the rest; of a call with more nothing is shown."""

_MOST_CHARACTERS: Final = 64 * 1024
"""And how long they may be, all together."""

_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SINGLE: Final = ("if", "then", "else", "not", "contentSchema")
_INSIDE: Final = frozenset(
    ("properties", "patternProperties", "additionalProperties", "propertyNames", "prefixItems", "items", "contains")
)


def mask_of(schema: Schema, *arguments: Mapping[str, Any]) -> Mask:
    """Give what hides the secrets among *arguments* (JSON). Raises TooMuchEffort."""
    if not schema.marks_secrets:
        return Mask()
    found: set[str] = set()
    size = 0
    for one in arguments:
        with effort.bounded(one):
            for text in _Walk(schema).secrets(one):
                size += len(text) if text not in found else 0
                found.add(text)
                if len(found) > MOST_SECRETS or size > _MOST_CHARACTERS:
                    return EVERYTHING
    return Mask(found)


@dataclass(frozen=True)
class _State:
    """All parts of a schema that apply to one place."""

    parts: tuple[Mapping[str, Any], ...]

    @cached_property
    def hidden(self) -> bool:
        return any(part.get("format") == "password" or part.get("writeOnly") is True for part in self.parts)

    @cached_property
    def reaches_inside(self) -> bool:
        return any(not _INSIDE.isdisjoint(part) for part in self.parts)

    def of_member(self, name: str) -> Iterator[Any]:
        for part in self.parts:
            effort.spend()
            matched = [part["properties"][name]] if name in part.get("properties", ()) else []
            patterns = part.get("patternProperties", {})
            matched += [inner for text, inner in patterns.items() if _found(text, name)]
            yield from matched or [part.get("additionalProperties")]

    def of_name(self) -> Iterator[Any]:
        return (part.get("propertyNames") for part in self.parts)

    def of_item(self, index: int) -> Iterator[Any]:
        for part in self.parts:
            effort.spend()
            first = part.get("prefixItems", ())
            yield first[index] if index < len(first) else part.get("items")
            yield part.get("contains")


_ALL_HIDDEN: Final = _State(({"writeOnly": True},))


class _Walk:
    """One walk over arguments beside their schema; each value is looked at once, whatever the schema says of it."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._states: dict[tuple[int, ...], _State] = {}

    def secrets(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        todo: list[tuple[Any, _State]] = [(dict(arguments), self._state([self._schema.document]))]
        while todo:
            value, state = todo.pop()
            effort.spend()
            if state.hidden:
                yield from _text(value)
            elif not state.reaches_inside:
                continue
            elif isinstance(value, str):
                value = _parsed(value)  # as it will be read where an object or a list is declared
            if isinstance(value, dict):
                todo += [(item, self._inside(state, state.of_member, name)) for name, item in value.items()]
                todo += [(name, self._state(state.of_name())) for name in value]
            elif isinstance(value, list):
                todo += [(item, self._inside(state, state.of_item, index)) for index, item in enumerate(value)]

    def _inside(self, state: _State, inner: Any, place: str | int) -> _State:
        return _ALL_HIDDEN if state.hidden else self._state(inner(place))

    def _state(self, documents: Iterable[Any]) -> _State:
        """Give all that *documents* say of their place, with what they refer to and are made of."""
        begun = [document for document in documents if document and isinstance(document, Mapping)]
        key = tuple(map(id, begun))
        if key not in self._states:
            self._states[key] = _State(tuple(self._applying(begun)))
        return self._states[key]

    def _applying(self, todo: list[Any]) -> Iterator[Mapping[str, Any]]:
        seen: set[int] = set()
        todo = list(todo)
        while todo:
            part = todo.pop()
            if not part or not isinstance(part, Mapping) or id(part) in seen:
                continue
            effort.spend()
            seen.add(id(part))
            yield part
            if isinstance(part.get("$ref"), str):
                todo.append(self._schema.at(part["$ref"]))
            for word in _LISTS:
                todo += part.get(word, ())
            todo += [part.get(word) for word in _SINGLE]
            todo += part.get("dependentSchemas", {}).values()


def _text(value: Any) -> Iterator[str]:
    if isinstance(value, str) and len(value) >= MIN_SECRET:
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield json.dumps(value)


def _parsed(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _found(pattern: str, name: str) -> bool:
    try:
        return compiled(pattern).found_in(name)
    except NoPattern:
        return True
