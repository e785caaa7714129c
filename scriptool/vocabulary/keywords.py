"""Keywords: those of JSON Schema, each counted as effort; some made anew, since the library's can take endless time."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import jsonschema
from jsonschema.exceptions import ValidationError

from scriptool.vocabulary.effort import ascend, descend, size_of, spend
from scriptool.vocabulary.pattern import compiled

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
"""Takes the validator, what the keyword says, the value and the schema around it; gives what is wrong."""


def _pattern(validator: Any, text: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "string") and not compiled(text).found_in(value):
        yield ValidationError(f"{value!r} does not match {text!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    for text, inner in patterns.items() if validator.is_type(value, "object") else ():
        for name in value:
            spend()
            if compiled(text).found_in(name):
                yield from validator.descend(value[name], inner, path=name, schema_path=text)


def _additional_properties(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    extra = list(_additional(value, schema)) if validator.is_type(value, "object") else []
    if validator.is_type(allowed, "object"):
        for name in extra:
            yield from validator.descend(value[name], allowed, path=name)
    elif allowed is False and extra:
        yield ValidationError("Additional properties are not allowed")


def _additional(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    known, patterns = schema.get("properties", {}), [compiled(one) for one in schema.get("patternProperties", ())]
    for name in value:
        spend(1 + len(patterns))
        if name not in known and not any(pattern.found_in(name) for pattern in patterns):
            yield name


def _unique_items(validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if wanted and validator.is_type(value, "array") and len({_identity(item) for item in value}) < len(value):
        yield ValidationError(f"{value!r} has non-unique elements")


def _identity(value: Any) -> str:
    """Give a text that only equal values have; to JSON Schema 1 and 1.0 are equal."""
    return json.dumps(_with_whole_numbers(value), sort_keys=True)


def _with_whole_numbers(value: Any) -> Any:
    spend()
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_with_whole_numbers(item) for item in value]
        case dict():
            return {name: _with_whole_numbers(item) for name, item in value.items()}
        case _:
            return value


_TOLD: Final = 4
"""How many parts of a value are one step to be written out."""

_COSTS: Final = {"$ref": 5, "anyOf": 3, "oneOf": 3}
"""Steps that a keyword counts for, if not one."""


_FRAMES: Final = {"contains": 6, "if": 6, "not": 6, "oneOf": 6}
"""Frames of the stack from a keyword to one inside it, if not four."""


def _counted(keyword: Keyword, cost: int, frames: int) -> Keyword:
    def counted(validator: Any, said: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        # what it says may be a list that is gone through for each value
        spend(cost + (len(said) >> 3 if isinstance(said, (list, Mapping)) else 0))
        descend(frames)
        try:
            for error in keyword(validator, said, value, schema) or ():
                if not isinstance(error.validator, str):
                    spend(size_of(value) // _TOLD)  # it is new, and its message repeats the value
                yield error
        finally:
            ascend(frames)

    return counted


_OWN: Final[dict[str, Keyword]] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}

_LIBRARY: Final[Mapping[str, Any]] = jsonschema.Draft202012Validator.VALIDATORS

KEYWORDS: Final[dict[str, Keyword]] = {
    name: _counted(_OWN.get(name, _LIBRARY[name]), _COSTS.get(name, 1), _FRAMES.get(name, 4)) for name in _LIBRARY
}
"""Every keyword by its name."""
