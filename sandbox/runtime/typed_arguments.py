"""Typed arguments: JSON values become what the annotations of `main` name: enum members, dataclasses, dates and so on.

The values were checked against the schema before; what fits no annotation we know passes as it came.
"""

import base64
import dataclasses
import datetime
import decimal
import pathlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.errors import Fault
from sandbox.runtime.cut import cut

T = Mapping[str, Any]
"""An annotation as data; see the outline."""


def _decimal(value: Any) -> decimal.Decimal:
    return decimal.Decimal(str(value) if type(value) is float else value)


_CONVERSIONS: dict[str, tuple[tuple[type, ...], Callable[[Any], Any], str]] = {
    "datetime.datetime": ((str,), datetime.datetime.fromisoformat, "a date and time such as 2024-04-01T12:30:00"),
    "datetime.date": ((str,), datetime.date.fromisoformat, "a date such as 2024-04-01"),
    "datetime.time": ((str,), datetime.time.fromisoformat, "a time such as 12:30"),
    "datetime.timedelta": ((int, float), lambda value: datetime.timedelta(seconds=value), "a number of seconds"),
    "decimal.Decimal": ((str, int, float), _decimal, 'a number or its text, such as "1.10"'),
    "uuid.UUID": ((str,), uuid.UUID, "a UUID"),
    "pathlib.Path": ((str,), pathlib.PurePosixPath, "a path"),
    "pathlib.PurePath": ((str,), pathlib.PurePosixPath, "a path"),
    "pathlib.PurePosixPath": ((str,), pathlib.PurePosixPath, "a path"),
    "bytes": ((str,), lambda value: base64.b64decode(value, validate=True), "base64 text"),
}
"""Annotation to the JSON kinds it comes from, the conversion, and what is expected."""

_PLAIN: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
    "None": (type(None),),
    "dict": (dict,),
    "list": (list,),
    "object": (object,),
    "Any": (object,),
}
_ARRAYS = frozenset({"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection"})
_CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "set": set,
    "Set": set,
    "AbstractSet": set,
    "frozenset": frozenset,
    "FrozenSet": frozenset,
}
_TUPLES = frozenset({"tuple", "Tuple"})
_OBJECTS = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})
_SHAPES: dict[str, tuple[type, ...]] = _PLAIN | dict.fromkeys(_OBJECTS, (dict,))
_SHAPES |= dict.fromkeys(_ARRAYS | _TUPLES | _CONTAINERS.keys(), (list,))
_TRANSPARENT = frozenset({"Annotated", "Required", "NotRequired", "ReadOnly", "Final", "ClassVar"})
_UNIONS = frozenset({"Optional", "Union"})


class TypedArguments:
    """Converts the arguments of one script; *classes* are those of its outline, *namespace* its globals."""

    def __init__(self, classes: Mapping[str, Any], namespace: Mapping[str, Any]) -> None:
        self._classes = classes
        self._namespace = namespace

    def bind(self, parameters: list[dict[str, Any]], args: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Give the positional and the named arguments for `main`; raises Fault `invalid_params`."""
        named = dict(args)
        positional: list[Any] = []
        for parameter in parameters:
            name = parameter["name"]
            if name not in named:
                continue
            named[name] = self._argument(named[name], parameter)
            if parameter["kind"] == "positional_only":
                positional.append(named.pop(name))
        return positional, named

    def _argument(self, value: Any, parameter: dict[str, Any]) -> Any:
        if parameter["annotation"] is None or parameter.get("default", {}).get("value", ...) == value:
            return value
        try:
            return self.from_json(value, parameter["annotation"])
        except _Mismatch as mismatch:
            path = "/" + parameter["name"] + "".join(reversed(mismatch.path))
            problem = {"path": path, "message": mismatch.message, "expected": mismatch.expected, "got": mismatch.got}
            raise Fault("invalid_params", f"{path}: {mismatch.message}", problems=[problem]) from None

    def from_json(self, value: Any, annotation: T) -> Any:
        """Give *value* as *annotation* names it. Raises _Mismatch."""
        if "union" in annotation:
            return self._one_of(value, annotation["union"])
        name, arguments = annotation.get("name", ""), annotation.get("args", ())
        if name in _CONVERSIONS:
            return _converted(value, name)
        if name in self._classes:
            return self._instance(value, name, self._classes[name])
        if name in _UNIONS:
            return self._one_of(value, [*arguments, *([{"name": "None"}] if name == "Optional" else [])])
        if name in _TRANSPARENT and arguments:
            return self.from_json(value, arguments[0])
        name = name.removeprefix("collections.abc.")
        if type(value) is list:
            return self._array(value, name, arguments)
        if type(value) is dict and name in _OBJECTS and len(arguments) == 2:
            keys, values = arguments
            return {self._inner(key, keys, key): self._inner(part, values, key) for key, part in value.items()}
        return value

    def _array(self, value: list[Any], name: str, arguments: Any) -> Any:
        if name in _TUPLES:
            if len(arguments) == 2 and "source" in arguments[1]:  # tuple[int, ...]
                arguments = [arguments[0]] * len(value)
            if len(arguments) == len(value):
                value = [self._inner(part, arguments[index], index) for index, part in enumerate(value)]
            return tuple(value)
        if (name in _ARRAYS or name in _CONTAINERS) and len(arguments) == 1:
            value = [self._inner(part, arguments[0], index) for index, part in enumerate(value)]
        return _CONTAINERS[name](value) if name in _CONTAINERS else value

    def _inner(self, value: Any, annotation: T, place: object) -> Any:
        try:
            return self.from_json(value, annotation)
        except _Mismatch as mismatch:
            mismatch.path.append(f"/{place}")
            raise

    def _one_of(self, value: Any, options: list[T]) -> Any:
        """The first option that the value fits as it stands, or can be converted to."""
        mismatch: _Mismatch | None = None
        for option in options:
            if not self._fits(value, option):
                continue
            try:
                return self.from_json(value, option)
            except _Mismatch as found:
                mismatch = found
        if mismatch is not None:
            raise mismatch
        return value

    def _fits(self, value: Any, option: T) -> bool:
        """Say whether *value* can be meant for *option*; a bool is no number."""
        name = option.get("name", "")
        if "value" in option:
            return bool(value == option["value"] and type(value) is type(option["value"]))
        if name in self._classes:
            described = self._classes[name]
            if described["kind"] == "enum":
                return _member_name(described, value) is not None
            return type(value) in ((list, dict) if described["kind"] == "namedtuple" else (dict,))
        kinds = _CONVERSIONS[name][0] if name in _CONVERSIONS else _PLAIN.get(name)
        if kinds is None:
            kinds = (
                (dict,)
                if name in _OBJECTS
                else (list,)
                if name in _ARRAYS | _TUPLES | _CONTAINERS.keys()
                else (object,)
            )
        return object in kinds or type(value) in kinds

    def _instance(self, value: Any, name: str, described: dict[str, Any]) -> Any:
        cls = self._namespace.get(name)
        if not isinstance(cls, type):
            return value
        if described["kind"] == "enum":
            return _member(cls, value, described)
        if type(value) is list and described["kind"] == "namedtuple":
            value = {field["name"]: part for field, part in zip(described["fields"], value, strict=False)}
        if type(value) is not dict:
            return value
        fields = {
            field["name"]: self._inner(value[field["name"]], field["annotation"], field["name"])
            for field in described["fields"]
            if field["name"] in value
        }
        if described["kind"] == "typeddict":
            return value | fields
        if dataclasses.is_dataclass(cls):
            fields = {
                field.name: fields[field.name]
                for field in dataclasses.fields(cls)
                if field.init and field.name in fields
            }
        try:
            return cls(**fields)
        except ValueError as error:  # a check of the author's own, in __post_init__
            raise _Mismatch(str(error), name, value) from error


class _Mismatch(Exception):
    """A value cannot become what is *expected*; containers add their part of the *path* while it passes through."""

    def __init__(self, message: str, expected: str, value: Any) -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.got = cut(repr(value), 100)
        self.path: list[str] = []


def _converted(value: Any, name: str) -> Any:
    kinds, convert, expected = _CONVERSIONS[name]
    if type(value) not in kinds:
        raise _Mismatch(f"must be {expected}", expected, value)
    try:
        return convert(value)
    except (ValueError, OverflowError, decimal.InvalidOperation):
        raise _Mismatch(f"must be {expected}", expected, value) from None


def _member(cls: Any, value: Any, described: dict[str, Any]) -> Any:
    name = _member_name(described, value)
    if name is None:
        raise _Mismatch("is none of the values", ", ".join(map(repr, described["members"].values())), value)
    return cls.__members__[name]


def _member_name(described: dict[str, Any], value: Any) -> str | None:
    for name, member in described["members"].items():
        if member == value and type(member) is type(value):
            return str(name)
    return None
