"""JSON and Python values: what a script's result becomes, and how bytes of JSON are read from those one does not trust.

The table of `to_json`, beside what JSON knows itself:

    datetime, date, time        ISO 8601 text               tuple, namedtuple, deque, range   array
    timedelta                   seconds as a number         set, frozenset                    array, sorted
    Decimal, UUID, PurePath     text                        dataclass instance                object of its fields
    bytes, bytearray            base64 text                 Enum member                       its value
    dict, mapping proxy         object; number, bool, null and the text kinds above as keys become text
"""

import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import gc
import json
import math
import pathlib
import re
import types
import uuid
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from sandbox.errors import Fault

MAX_NESTING = 200
_AROUND = 4
"""Levels that a frame may have around what a script gives."""
"""How deep arrays and objects may nest in a result, in both directions."""

MAX_INTEGER_DIGITS = 4300
"""How many digits an integer may have: Python's own bound for reading one back."""

MAX_VALUES = 1_000_000
"""How many values JSON that was sent may hold: while it is read, everybody waits."""

_of_scripts: "weakref.WeakSet[type]" = weakref.WeakSet()

_LONG = 1 << 16
_STRINGS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_INTEGER_BOUND = 10**MAX_INTEGER_DIGITS
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def tell_whole(cls: type) -> None:
    """Let `to_json` tell private fields too of the dataclass *cls*, made by a script, and of what derives from it."""
    _of_scripts.add(cls)


def to_json(value: Any) -> Any:
    """Give *value* as plain JSON values of exact types.

    Raises Fault `result_not_serializable` with the JSON `path` of the first value that cannot be.
    """
    try:
        return _converted(value, 0, set())
    except _Unserializable as refusal:
        path = "$" + "".join(reversed(refusal.path))
        raise Fault(
            "result_not_serializable",
            f"{path} is {refusal.what}, which is not JSON",
            hint=refusal.hint,
            path=path,
            type=refusal.kind,
        ) from None


class _Unserializable(Exception):
    """A value that has no place in JSON; containers add their part of the *path* while it passes through them."""

    def __init__(self, what: str, kind: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.kind = kind
        self.hint = hint
        self.path: list[str] = []


def _converted(value: Any, depth: int, above: set[int]) -> Any:
    kind = type(value)
    scalar = _SCALARS.get(kind)
    container = None
    if scalar is None and (container := _CONTAINERS.get(kind)) is None:
        scalar, container = _inherited(kind)
    if scalar is not None:
        return scalar(value)
    assert container is not None
    if depth >= MAX_NESTING:
        raise _Unserializable(f"nested more than {MAX_NESTING} deep", kind.__name__, "return a flatter value")
    if id(value) in above:
        raise _Unserializable(f"a {kind.__name__} that holds itself", kind.__name__, "return a copy without the cycle")
    above.add(id(value))
    try:
        return container(value, depth + 1, above)
    finally:
        above.discard(id(value))


def _inherited(kind: type) -> "tuple[_Scalar | None, _Container | None]":
    """The conversion for instances of a subclass; exact types of the table never come here."""
    if issubclass(kind, enum.Enum):
        return None, _member
    if dataclasses.is_dataclass(kind):
        return None, _fields
    for base in kind.__mro__:
        if base in _SCALARS or base in _CONTAINERS:
            return _SCALARS.get(base), _CONTAINERS.get(base)
    hint = "return its fields as a dict"
    if kind in (types.GeneratorType, map, filter, zip, enumerate, reversed):
        hint = "return list(...) of it"
    elif kind in (types.CoroutineType, types.AsyncGeneratorType):
        hint = "await it"
    article = "an" if kind.__name__[0] in "aeiouAEIOU" else "a"
    raise _Unserializable(f"{article} {kind.__name__}", kind.__name__, hint)


# Scalars. Each reads its value by the base class's own method: a subclass may define another.


def _text(value: str) -> str:
    text = str.__str__(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            surrogate = text[error.start]
            raise _Unserializable(
                f"text with the lone surrogate {ascii(surrogate)}", "str", "decode the bytes it came from first"
            ) from None
    return text


def _integer(value: int) -> int:
    number = int.__index__(value)
    if not -_INTEGER_BOUND < number < _INTEGER_BOUND:
        raise _Unserializable(f"an integer of more than {MAX_INTEGER_DIGITS} digits", "int", "return it as text")
    return number


def _float(value: float) -> float:
    number = float.__float__(value)
    if not math.isfinite(number):
        raise _Unserializable(repr(number), "float", "return None, or text, where there is no number")
    return number


def _itself(value: Any) -> Any:
    return value


_Scalar = Callable[[Any], Any]
_Container = Callable[[Any, int, set[int]], Any]

_SCALARS: dict[type, _Scalar] = {
    type(None): _itself,
    bool: _itself,
    int: _integer,
    float: _float,
    str: _text,
    datetime.datetime: datetime.datetime.isoformat,
    datetime.date: datetime.date.isoformat,
    datetime.time: datetime.time.isoformat,
    datetime.timedelta: lambda value: _seconds(datetime.timedelta.total_seconds(value)),
    decimal.Decimal: decimal.Decimal.__str__,
    uuid.UUID: uuid.UUID.__str__,
    pathlib.PurePosixPath: lambda value: _text(pathlib.PurePath.__str__(value)),
    pathlib.PureWindowsPath: lambda value: _text(pathlib.PurePath.__str__(value)),
    bytes: lambda value: base64.b64encode(value).decode(),
    bytearray: lambda value: base64.b64encode(value).decode(),
}


def _seconds(seconds: float) -> float | int:
    return int(seconds) if seconds.is_integer() else seconds


def _member(value: enum.Enum, depth: int, above: set[int]) -> Any:
    return _converted(value.value, depth, above)


def _fields(value: Any, depth: int, above: set[int]) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(type(value))]
    if _of_scripts.isdisjoint(type(value).__mro__):
        names = [name for name in names if not name.startswith("_")]  # a script may not read those of others
    return _object([(name, getattr(value, name)) for name in names], depth, above)


def _array(items: Iterable[Any], depth: int, above: set[int]) -> list[Any]:
    converted = []
    for index, item in enumerate(items):
        try:
            converted.append(_converted(item, depth, above))
        except _Unserializable as refusal:
            refusal.path.append(f"[{index}]")
            raise
    return converted


def _sorted_array(items: Iterable[Any], depth: int, above: set[int]) -> list[Any]:
    """A set has no order of its own: sort it, by kind and text where its items do not compare."""
    converted = _array(items, depth, above)
    try:
        return sorted(converted)
    except TypeError:
        return sorted(converted, key=lambda item: (type(item).__name__, json.dumps(item, sort_keys=True)))


def _object(items: Iterable[tuple[Any, Any]], depth: int, above: set[int]) -> dict[str, Any]:
    converted: dict[str, Any] = {}
    for key, item in items:
        text = _key(key)
        if text in converted:
            raise _Unserializable(f"an object with two keys that read {text!r}", "dict", "make the keys text yourself")
        try:
            converted[text] = _converted(item, depth, above)
        except _Unserializable as refusal:
            refusal.path.append(f".{text}" if _PLAIN_KEY.match(text) else f"[{json.dumps(text)}]")
            raise
    return converted


def _key(key: Any) -> str:
    kind = type(key)
    if kind is str:
        return _text(key)
    if issubclass(kind, enum.Enum):
        return _key(key.value)
    scalar = next((_SCALARS[base] for base in kind.__mro__ if base in _SCALARS), None)
    if scalar is None:
        raise _Unserializable(f"an object with a key of type {kind.__name__}", kind.__name__, "use text as keys")
    value = scalar(key)
    return value if type(value) is str else json.dumps(value)


_CONTAINERS: dict[type, _Container] = {
    list: lambda value, depth, above: _array(list.__iter__(value), depth, above),
    tuple: lambda value, depth, above: _array(tuple.__iter__(value), depth, above),
    collections.deque: lambda value, depth, above: _array(collections.deque.__iter__(value), depth, above),
    range: _array,
    set: lambda value, depth, above: _sorted_array(set.__iter__(value), depth, above),
    frozenset: lambda value, depth, above: _sorted_array(frozenset.__iter__(value), depth, above),
    dict: lambda value, depth, above: _object(dict.items(value), depth, above),
    types.MappingProxyType: lambda value, depth, above: _object(value.items(), depth, above),
    type({}.keys()): _array,
    type({}.values()): _array,
    type({}.items()): _array,
}


# Reading and writing bytes.


def dumps(value: Any) -> bytes:
    """Give the one spelling of plain JSON *value* that `loads` reads at the speed of C."""
    return _spelling.encode(value).encode()


def loads(data: bytes) -> Any:
    """Read strict JSON from bytes that may lie.

    UTF-8 only; no NaN or infinity, no key twice in an object, no lone surrogate, at most `MAX_NESTING` deep,
    `MAX_INTEGER_DIGITS` digits and `MAX_VALUES` values. Long JSON is read only in the spelling of `dumps`: all else
    takes many times as long. Raises ValueError.
    """
    if count(data) > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES} values")
    try:
        with _uncollected(len(data) > _LONG):
            value = json.loads(data.decode())
            if data.count(b"[") + data.count(b"{") > MAX_NESTING:
                _check_nesting(value)
            # What reads the same when written again has nothing in it that would have been lost or invented on the way.
            if dumps(value) != data:
                value = _read_slowly(data)
    except RecursionError:
        raise ValueError(f"nested more than {MAX_NESTING} deep") from None
    return value


def count(data: bytes) -> int:
    """Say how many values JSON holds, without reading it; at least that many, and exactly if there are very many."""
    found = _separators(data)
    return found if found <= MAX_VALUES else _separators(_STRINGS.sub(b"", data))


def _separators(data: bytes) -> int:
    return data.count(b",") + data.count(b"[") + data.count(b"{")


@contextmanager
def _uncollected(wanted: bool) -> Iterator[None]:
    """Collect no garbage in the block: with a million new containers, none in a circle, it would take most time."""
    if not wanted or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


_spelling = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False)


def _check_nesting(value: Any) -> None:
    level = [value] if type(value) in (dict, list) else []
    for _ in range(MAX_NESTING + _AROUND):
        if not level:
            return
        level = [
            item
            for container in level
            for item in (container.values() if type(container) is dict else container)
            if type(item) is dict or type(item) is list
        ]
    if level:
        raise ValueError(f"nested more than {MAX_NESTING} deep")


def _read_slowly(data: bytes) -> Any:
    if len(data) > _LONG:
        raise ValueError("long, and in an odd spelling")
    value = json.loads(
        data.decode(), object_pairs_hook=_without_twins, parse_constant=_refuse_constant, parse_float=_finite
    )
    dumps(value)  # encoding refuses lone surrogates
    return value


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return members


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large for a number")
    return number
