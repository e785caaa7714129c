"""Arguments: what a caller sent, fitted to a schema without losing anything, or everything that is wrong with it.

Models send numbers as strings, nulls for optional arguments and objects as JSON text. Whatever can be turned into the
declared type without loss is; each such step is a warning. A declared string is never parsed, undeclared values are
left alone.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from scriptool.schema import Problem, Schema, endless, pointer, shown, type_name
from scriptool.vocabulary import effort

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,4000}")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_FRAMES: Final = 4
"""Frames of the stack from one value to one inside it."""

_MAX_NUMBER: Final = 400
_MAX_WARNINGS: Final = 100
_NOTHING: Final = object()

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Fitted:
    """Arguments after fitting: the *value* to run with if *problems* is empty, and *warnings* of what was changed."""

    value: dict[str, Any]
    problems: list[Problem]
    warnings: list[str]


def fit(schema: Schema, arguments: Mapping[str, Any]) -> Fitted:
    """Fit *arguments* (JSON, left untouched) to *schema*: coerce, drop nulls that mean "not given", add defaults."""
    try:
        with effort.bounded(arguments):
            return _fitted(schema, arguments)
    except Exception as refusal:
        return Fitted(dict(arguments), [endless(refusal)], [])


def _fitted(schema: Schema, arguments: Mapping[str, Any]) -> Fitted:
    work = _Fitting(schema)
    value = work.value(_copied(dict(arguments)), schema.document, ())
    problems = [problem for problem in schema.problems(value) if problem["path"] not in work.null_defaults]
    for problem in problems:
        if problem.get("got") == "nothing" and problem["path"] in work.nulls:
            problem |= {"got": "null", "message": "is required and may not be null"}
    more = len(work.warnings) - _MAX_WARNINGS
    told = work.warnings if more <= 0 else [*work.warnings[:_MAX_WARNINGS], f"and {more} more values were changed"]
    return Fitted(value, problems, told)


@dataclass
class _Fitting:
    """One walk over the arguments beside their schema."""

    schema: Schema
    warnings: list[str] = field(default_factory=list)
    nulls: set[str] = field(default_factory=set)
    null_defaults: set[str] = field(default_factory=set)

    def value(self, value: Any, document: Any, place: Place) -> Any:
        effort.spend()
        effort.descend(_FRAMES)
        try:
            return self._value(value, document, place)
        finally:
            effort.ascend(_FRAMES)

    def _value(self, value: Any, document: Any, place: Place) -> Any:
        part = self.schema.resolve(document)
        for branch in part.get("allOf", ()):
            value = self.value(value, branch, place)
        for word in ("anyOf", "oneOf"):
            if part.get(word):
                value = self._branch(value, part[word], place)
        value = self._typed(value, part, place)
        if isinstance(value, dict):
            return self._object(value, part, place)
        if isinstance(value, list):
            return self._array(value, part, place)
        return value

    def _branch(self, value: Any, branches: list[Any], place: Place) -> Any:
        """Leave a value that fits some branch; else take the first branch it can be fitted to."""
        if any(self.schema.part(self.schema.resolve(branch)).admits(value) for branch in branches):
            whole = isinstance(value, float) and not self._admitted_as_number(branches)
            if not whole and not isinstance(value, dict | list):
                return value
        for branch in branches:
            attempt = _Fitting(self.schema)
            effort.spend(effort.size_of(value))
            fitted = attempt.value(_copied(value), branch, place)
            if self.schema.part(self.schema.resolve(branch)).admits(fitted):
                self.warnings += attempt.warnings
                return fitted
        return value

    def _admitted_as_number(self, branches: list[Any]) -> bool:
        return any("number" in _types(self.schema.resolve(branch)) for branch in branches)

    def _typed(self, value: Any, part: Mapping[str, Any], place: Place) -> Any:
        wanted = _types(part)
        if not wanted or _is_of(value, wanted):
            return value
        for name in wanted:
            changed = _LOSSLESS[name](value) if name in _LOSSLESS else _NOTHING
            if changed is not _NOTHING:
                came, took = f"{type_name(value)} {shown(value)}", f"{type_name(changed)} {shown(changed)}"
                self.warnings.append(f"{pointer(place)}: {came} was taken as {took}")
                return changed
        return value

    def _object(self, value: dict[str, Any], part: Mapping[str, Any], place: Place) -> dict[str, Any]:
        properties = part.get("properties", {})
        extra = part.get("additionalProperties")
        for name in list(value):
            document = properties.get(name, extra if isinstance(extra, Mapping) else None)
            if document is None:
                continue
            if value[name] is None and name in properties and not self._admits_null(document):
                del value[name]
                self.nulls.add(pointer((*place, name)))
                if name not in part.get("required", ()):
                    self.warnings.append(f"{pointer((*place, name))}: null was taken as not given")
                continue
            value[name] = self.value(value[name], document, (*place, name))
        for name, document in properties.items():
            default = self._default(document)
            if name not in value and default is not _NOTHING:
                value[name] = _copied(default)
            if name in value and value[name] is None and default is None:
                self.null_defaults.add(pointer((*place, name)))
        return value

    def _default(self, document: Any) -> Any:
        stated = document.get("default", _NOTHING) if isinstance(document, Mapping) else _NOTHING
        return self.schema.resolve(document).get("default", _NOTHING) if stated is _NOTHING else stated

    def _admits_null(self, document: Any) -> bool:
        if self._default(document) is None:
            return True
        return self.schema.part(self.schema.resolve(document)).admits(None)

    def _array(self, value: list[Any], part: Mapping[str, Any], place: Place) -> list[Any]:
        first = part.get("prefixItems", ())
        rest = part.get("items")
        for index, item in enumerate(value):
            document = first[index] if index < len(first) else rest
            if isinstance(document, Mapping):
                value[index] = self.value(item, document, (*place, index))
        return value


def _copied(value: Any) -> Any:
    """Give JSON that nobody else has; `deepcopy` is slow, for it remembers each object it meets."""
    match value:
        case dict():
            return {name: _copied(item) for name, item in value.items()}
        case list():
            return [_copied(item) for item in value]
        case _:
            return value


def _types(part: Mapping[str, Any]) -> tuple[str, ...]:
    wanted = part.get("type", ())
    return (wanted,) if isinstance(wanted, str) else tuple(wanted)


def _is_of(value: Any, wanted: tuple[str, ...]) -> bool:
    """Say whether the value is of a wanted type as sent; a whole float is no integer here, so that it is made one."""
    name = type_name(value)
    return name in wanted or (name == "integer" and "number" in wanted)


def _to_integer(value: Any) -> Any:
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        text = value.strip()
        if _INTEGER.fullmatch(text):
            return int(text)
        number = _to_number(text)
        if isinstance(number, float) and number.is_integer() and abs(number) < 2**53:
            return int(number)
    return _NOTHING


def _to_number(value: Any) -> Any:
    if not isinstance(value, str):
        return _NOTHING
    text = value.strip()
    if _INTEGER.fullmatch(text):
        return int(text)
    if len(text) > _MAX_NUMBER or not _NUMBER.fullmatch(text):
        return _NOTHING
    number = float(text)
    return number if math.isfinite(number) and Decimal(text) == Decimal(repr(number)) else _NOTHING


def _to_boolean(value: Any) -> Any:
    words = {"true": True, "false": False}
    return words.get(value.strip().lower(), _NOTHING) if isinstance(value, str) else _NOTHING


def _to_string(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else _NOTHING


def _to_container(kind: type) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            return _NOTHING
        try:
            parsed = json.loads(value, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return _NOTHING
        return parsed if isinstance(parsed, kind) else _NOTHING

    return convert


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


_LOSSLESS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "string": _to_string,
    "object": _to_container(dict),
    "array": _to_container(list),
}
