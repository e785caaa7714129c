"""Schema: one JSON Schema 2020-12, and everything it has to say about a value at once.

Authors write schemas, and scripts that ask make some, so none is trusted: nothing is fetched for one, and judging by it
ends in time, whatever it says.
"""

import datetime
import json
import logging
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Final

import jsonschema
import referencing
from jsonschema.exceptions import ValidationError, best_match
from referencing.exceptions import Unresolvable

from scriptool.errors import did_you_mean, listed
from scriptool.vocabulary import effort
from scriptool.vocabulary.keywords import KEYWORDS
from scriptool.vocabulary.pattern import NoPattern

log = logging.getLogger("scriptool.schema")

Problem = dict[str, Any]
"""`{path, message, expected?, got?, hint?}`; `path` is a JSON pointer, empty for the whole value."""

OPEN: Final[Mapping[str, Any]] = {"type": "object", "additionalProperties": True}
"""The schema of a tool about whose arguments nothing is known."""

_FORMATS: Final = jsonschema.FormatChecker(formats=())
_MAX_TEXT: Final = 80
_MAX_PROBLEMS: Final = 100
_MOST_COMPARED: Final = 2000
_MOST_NAMED: Final = 20


@_FORMATS.checks("date", raises=ValueError)
def _is_date(value: object) -> bool:
    return not isinstance(value, str) or bool(datetime.date.fromisoformat(value))


@_FORMATS.checks("time", raises=ValueError)
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.time.fromisoformat(value) is not None


@_FORMATS.checks("date-time", raises=ValueError)
def _is_datetime(value: object) -> bool:
    return not isinstance(value, str) or bool(datetime.datetime.fromisoformat(value))


@_FORMATS.checks("uuid", raises=ValueError)
def _is_uuid(value: object) -> bool:
    return not isinstance(value, str) or bool(uuid.UUID(value))


class Schema:
    """A JSON Schema, ready to judge values. Immutable; safe to share."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

    @cached_property
    def _validator(self) -> Any:
        # Where it names its dialect, a reference to the whole would be followed by the library's own keywords.
        document = {word: said for word, said in self.document.items() if word != "$schema"}
        return _Validator(document, format_checker=_FORMATS, registry=_NOWHERE)

    def admits(self, value: Any) -> bool:
        """Say whether *value* fits. Raises TooMuchEffort only where the caller bounds the effort itself."""
        try:
            with effort.bounded(value):
                return bool(self._validator.is_valid(value))
        except effort.TooMuchEffort:
            raise
        except Exception as refusal:
            endless(refusal)
            return False

    def problems(self, value: Any) -> list[Problem]:
        """Give everything that is wrong with *value*, in the order of its places; empty when it fits."""
        found: list[Problem] = []
        advice = _Advice()
        try:
            with effort.bounded(value):
                for error in self._validator.iter_errors(value):
                    found += islice(_told(error, advice), _MAX_PROBLEMS - len(found))
                    if len(found) >= _MAX_PROBLEMS:
                        break
        except Exception as refusal:
            return [endless(refusal)]
        return sorted(found, key=lambda problem: str(problem["path"]))

    def part(self, document: Mapping[str, Any]) -> "Schema":
        """Give a schema that stands inside this one, so that its references still resolve."""
        shared = {key: self.document[key] for key in ("$defs", "definitions", "$id") if key in self.document}
        return Schema({**shared, **document})

    def resolve(self, document: Any) -> Mapping[str, Any]:
        """Follow local references (`#/...`) of a part of this schema; an unknown or circular one gives `{}`."""
        for _ in range(32):
            if not isinstance(document, Mapping):
                return {}
            reference = document.get("$ref")
            if not isinstance(reference, str):
                return document
            document = self.at(reference)
        return {}

    @cached_property
    def marks_secrets(self) -> bool:
        """Whether anything in it is marked `"format": "password"` or `"writeOnly": true`."""
        return any(node.get("format") == "password" or node.get("writeOnly") is True for node in _nodes(self.document))

    @cached_property
    def _anchors(self) -> Mapping[str, Any]:
        return {node["$anchor"]: node for node in _nodes(self.document) if isinstance(node.get("$anchor"), str)}

    def at(self, reference: str) -> Any:
        """Give what a local reference leads to, `{}` where that is nothing."""
        if not reference.startswith("#"):
            return {}
        if reference[1:2] not in ("", "/"):
            return self._anchors.get(reference[1:], {})
        found: Any = self.document
        for part in reference[1:].split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list):
                found = found[int(key)] if key.isdecimal() and len(key) < 10 and int(key) < len(found) else {}
            else:
                found = found.get(key, {}) if isinstance(found, Mapping) else {}
        return found


_Validator: Final[Any] = jsonschema.validators.extend(  # type: ignore[no-untyped-call]  # its stubs leave it bare
    jsonschema.Draft202012Validator, KEYWORDS
)
_META: Final[Any] = _Validator(jsonschema.Draft202012Validator.META_SCHEMA)
_EACH_KEYWORD: Final = 1000
"""Steps that judging one part of a schema may take."""

_MOST_KEYWORDS: Final = 3_000_000

_NOWHERE: Final[referencing.Registry[Any]] = referencing.Registry()
"""Knows no schema but the one at hand; the library's own would look for others over the network."""


def endless(refusal: Exception) -> Problem:
    """Give the problem of a value that cannot be held against its schema."""
    if isinstance(refusal, (Unresolvable, NoPattern)):
        message = f"cannot be held against the schema: {_clipped(str(refusal))}"
    elif isinstance(refusal, (RecursionError, effort.TooMuchEffort)):
        message = "takes too long to be held against the schema"
    else:
        log.warning("a schema could not be used", exc_info=refusal)
        message = "cannot be held against the schema"
    return {"path": "", "message": message, "hint": "Send less, or have the schema of the tool made simpler."}


def shape_problems(document: Any) -> list[Problem]:
    """Give what the meta-schema says is wrong with a JSON Schema; empty when its shape is good."""
    advice = _Advice()
    try:
        with effort.bounded(document, each=_EACH_KEYWORD, most=_MOST_KEYWORDS):
            errors = islice(_META.iter_errors(document), _MAX_PROBLEMS)
            return [problem for error in errors for problem in _told(best_match([error]), advice)]
    except (RecursionError, effort.TooMuchEffort):
        return [{"path": "", "message": "the schema is nested too deeply"}]
    except Exception as refusal:
        return [endless(refusal)]


def _nodes(document: Any) -> Iterator[Mapping[str, Any]]:
    """Give every object in a schema."""
    todo = [document]
    while todo:
        node = todo.pop()
        if isinstance(node, Mapping):
            yield node
            todo += node.values()
        elif isinstance(node, list):
            todo += node


def pointer(path: Iterable[str | int]) -> str:
    """Give the JSON pointer (RFC 6901) of a place."""
    return "".join(f"/{_escaped(part)}" for part in path)


def _escaped(part: object) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")


def shown(value: Any) -> str:
    """Give *value* as short JSON text for a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..."


def type_name(value: Any) -> str:
    """Give the JSON type of *value*."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


class _Advice:
    """The names that one answer may compare with those that were meant: that costs more than all the judging."""

    def __init__(self) -> None:
        self._left = _MOST_COMPARED

    def on(self, name: str, known: Sequence[str]) -> str:
        """Give `Did you mean "x"?`, or an empty string."""
        if self._left <= 0:
            return ""
        self._left -= len(known)
        return did_you_mean(name, known)


def _told(error: ValidationError | None, advice: _Advice) -> list[Problem]:
    """Turn one complaint of the validator into problems a person or a model can act on."""
    if error is None:
        return []
    place = list(error.absolute_path)
    match error.validator:
        case "required":
            return _missing(error, place)
        case "additionalProperties" if isinstance(error.instance, Mapping):
            return _unknown(error, place, advice)
        case "anyOf" | "oneOf" if error.context:
            return _no_branch(error, place, advice)
        case "enum":
            return [_not_listed(error, place, advice)]
        case "type":
            wanted: Any = error.validator_value
            expected = wanted if isinstance(wanted, str) else " or ".join(map(str, wanted))
            return [_problem(place, f"expected {expected}, got {_got(error.instance)}", expected, error.instance)]
        case "format":
            message = f"{shown(error.instance)} is not a {error.validator_value}"
            return [_problem(place, message, str(error.validator_value), error.instance)]
        case _:
            expected = f"{error.validator}: {shown(error.validator_value)}"
            return [_problem(place, _clipped(error.message), expected, error.instance)]


def _problem(place: list[str | int], message: str, expected: str, got: Any, hint: str = "") -> Problem:
    problem = {"path": pointer(place), "message": message, "expected": expected, "got": _got(got)}
    return problem | ({"hint": hint} if hint else {})


def _got(value: Any) -> str:
    return "null" if value is None else f"{type_name(value)} {shown(value)}"


def _clipped(message: str) -> str:
    return message if len(message) <= 3 * _MAX_TEXT else message[: 3 * _MAX_TEXT] + "..."


def _missing(error: ValidationError, place: list[str | int]) -> list[Problem]:
    required: Any = error.validator_value
    names = [name for name in required if error.message.startswith(f"{name!r} is a required")]
    properties = _properties(error)
    problems = []
    for name in names:
        expected = _described(properties.get(name))
        problem = {"path": pointer([*place, name]), "message": "is required", "expected": expected, "got": "nothing"}
        problems.append(problem)
    return problems


def _properties(error: ValidationError) -> Mapping[str, Any]:
    schema: Any = error.schema
    return schema.get("properties", {}) if isinstance(schema, Mapping) else {}


def _described(schema: Any) -> str:
    wanted = schema.get("type") if isinstance(schema, Mapping) else None
    return wanted if isinstance(wanted, str) else " or ".join(wanted) if isinstance(wanted, list) else "a value"


def _unknown(error: ValidationError, place: list[str | int], advice: _Advice) -> list[Problem]:
    properties = _properties(error)
    known = sorted(properties)
    sent: Any = error.instance
    extra = islice((name for name in sent if name not in properties), _MAX_PROBLEMS)
    names = listed(known[:_MOST_NAMED], more=len(known) - _MOST_NAMED)
    accepted = f"Accepted: {names}." if known else "It takes no arguments."
    return [
        _problem(
            [*place, name],
            f"unknown argument; accepted: {names or 'none'}",
            "no such argument",
            sent[name],
            f"{advice.on(name, known)} {accepted}".strip(),
        )
        for name in extra
    ]


def _not_listed(error: ValidationError, place: list[str | int], advice: _Advice) -> Problem:
    allowed: Any = error.validator_value
    texts = [value for value in allowed if isinstance(value, str)]
    hint = advice.on(error.instance, texts) if isinstance(error.instance, str) else ""
    names = _clipped(listed([shown(value) for value in allowed[:_MOST_NAMED]], more=len(allowed) - _MOST_NAMED))
    return _problem(place, f"{shown(error.instance)} is not one of {names}", names, error.instance, hint)


def _no_branch(error: ValidationError, place: list[str | int], advice: _Advice) -> list[Problem]:
    """Tell what the nearest branch asks for; when several are as near, what each of them does."""
    wanted: list[Any] = [branch.validator_value for branch in error.context or () if branch.validator == "type"]
    if len(wanted) == len(error.context or ()):
        expected = " or ".join(one if isinstance(one, str) else " or ".join(one) for one in wanted)
        return [_problem(place, f"expected {expected}, got {_got(error.instance)}", expected, error.instance)]
    nearest = best_match(error.context or ())
    return _told(nearest, advice) if nearest is not None else []
