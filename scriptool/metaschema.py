"""Metaschema: everything that is wrong with a JSON Schema itself, in shape and in what it means."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from scriptool.schema import Problem, Schema, pointer, shape_problems, shown
from scriptool.vocabulary.pattern import NoPattern, compiled

DATA: Final = ("enum", "const", "default", "examples")
"""Keywords that hold data, not schemas."""

NAMED: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords whose members are schemas under names that mean nothing themselves."""

_NO_SCHEMAS: Final = (*DATA, "dependentRequired", "$vocabulary")
_MAX_PROBLEMS: Final = 100
_MAX_SHOWN: Final = 200
_MOST_NODES: Final = 10_000
"""Nodes of all patterns of one schema: they may have to be made anew for a call, in some ten milliseconds."""


def schema_problems(document: Any) -> list[Problem]:
    """Give what is wrong with a JSON Schema itself, each with its place in the schema; empty when it is a good one."""
    return shape_problems(document) or list(islice(_meant_problems(document), _MAX_PROBLEMS))


def _meant_problems(document: Mapping[str, Any]) -> Iterator[Problem]:
    schema, nodes = Schema(document), 0
    positions = set(map(id, _schemas(document)))
    for path, word, value in _words(document, ""):
        for text in _patterns(word, value):
            with suppress(NoPattern):
                nodes += compiled(text).size
            if nodes > _MOST_NODES:
                yield {"path": path, "message": "the patterns are too large, all together", "hint": "Use simpler ones."}
                return
        if word == "$ref" and not _leads_to_schema(schema, value, positions):
            message = f"the reference {_short(value)!r} leads nowhere"
            yield {"path": path, "message": message, "hint": "Use #/$defs/NAME."}
        yield from _word_problems(path, word, value)


def _leads_to_schema(schema: Schema, reference: str, positions: Collection[int]) -> bool:
    target = schema.at(reference)
    return isinstance(target, bool) or bool(target) and id(target) in positions


def _word_problems(path: str, word: str, value: Any) -> Iterator[Problem]:
    """Say where a keyword holds what the meta-schema does not look into."""
    if word in ("$id", "$schema", "$vocabulary") and path != f"/{word}":
        yield {"path": path, "message": f"{word} may stand at the top only", "hint": "Take it out."}
    if word in ("$dynamicRef", "unevaluatedProperties", "unevaluatedItems"):
        hint = "Use $ref." if word == "$dynamicRef" else "Use additionalProperties, or items."
        yield {"path": path, "message": f"{word} is not available", "hint": hint}
    for text in _patterns(word, value):
        try:
            compiled(text)
        except NoPattern as error:
            yield {"path": path, "message": f"the pattern {shown(text)} {error}"}


def _patterns(word: str, value: Any) -> Iterable[str]:
    return value if word == "patternProperties" else [value] if word == "pattern" else ()


def _short(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def _schemas(node: Any) -> Iterator[Any]:
    """Give every object that stands where a schema may."""
    if isinstance(node, list):
        for child in node:
            yield from _schemas(child)
    elif isinstance(node, Mapping):
        yield node
        for word, value in node.items():
            if word in NAMED and isinstance(value, Mapping):
                yield from _schemas(list(value.values()))
            elif word not in _NO_SCHEMAS:
                yield from _schemas(value)


def _words(node: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    """Give the path, name and value of every keyword in a schema."""
    if isinstance(node, list):
        for index, child in enumerate(node):
            yield from _words(child, f"{path}/{index}")
    for word, value in node.items() if isinstance(node, Mapping) else ():
        inner = path + pointer([word])
        yield inner, word, value
        if word in NAMED and isinstance(value, Mapping):
            for name, child in value.items():
                yield from _words(child, inner + pointer([name]))
        elif word not in DATA:
            yield from _words(value, inner)
