"""Inspection: a live value as bounded JSON, with marks of what was cut. Standard library only."""

import base64
import datetime
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from functools import partial
from itertools import islice
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from scriptool.objects.member import is_data, label, member, members, nearest, reading
from scriptool.objects.readpath import ReadError

MAX_DEPTH: Final = 4
MAX_ITEMS: Final = 200
MAX_NODES: Final = 2000
MAX_CHARACTERS: Final = 4000
"""Ceilings of one read: levels, items of one list, mapping or object, values in all, characters of one text."""

_MAX_MARKS: Final = 20
_MAX_BITS: Final = 4300  # far from the number of digits at which Python refuses to write an integer out
_UNKNOWN: Final = object()

Mark = dict[str, Any]
"""`{at, limit, shown?, of?}`: what was cut, by which limit, how much is shown, of how many."""


@dataclass
class Inspection:
    """One walk over a value: at most *depth* levels down and *max_items* wide, under the ceilings.

    *fields* are the members to show of the object, or of each object where the value is a list of them.
    """

    depth: int = 2
    max_items: int = 20
    fields: Collection[str] | None = None
    marks: list[Mark] = field(default_factory=list)
    _nodes: int = 0
    _unmarked: int = 0

    def __post_init__(self) -> None:
        self.depth = min(self.depth, MAX_DEPTH)
        self.max_items = min(self.max_items, MAX_ITEMS)

    def entry(self, value: Any) -> dict[str, Any]:
        """Give `{type, value, truncated?}` of *value*.

        Raises: ReadError `getter_failed`, and `not_found` for fields that no object has.
        """
        with reading(label(value)):
            shown = self._value(value, 0, "")
        entry: dict[str, Any] = {"type": label(value), "value": shown}
        if self._unmarked:
            self.marks.append({"more": self._unmarked})
        return entry | ({"truncated": self.marks} if self.marks else {})

    def _value(self, value: Any, level: int, at: str) -> Any:
        self._nodes += 1
        scalar = _scalar(value)
        if scalar is not _UNKNOWN:
            return self._text(scalar, at) if isinstance(scalar, str) else scalar
        if not is_data(value) or isinstance(value, type) and level:
            return f"<{getattr(value, '__qualname__', label(value))}>"
        if level >= self.depth:
            self._mark(at, "depth")
            return f"<{label(value)}>"
        if isinstance(value, Mapping):
            return self._mapping(value, level, at)
        if _is_collection(value):
            return self._list(value, level, at)
        return self._object(value, level, at, self.fields if level == 0 else None)

    def _text(self, text: str, at: str) -> str:
        if len(text) > MAX_CHARACTERS:
            self._mark(at, "characters", MAX_CHARACTERS, len(text))
            text = text[:MAX_CHARACTERS]
        return text.encode("utf-8", "replace").decode()  # a lone surrogate is no JSON

    def _mapping(self, value: Mapping[Any, Any], level: int, at: str) -> dict[str, Any]:
        if level == 0 and self.fields is not None:
            return self._object(value, level, at, self.fields)
        keys = list(islice(value, self.max_items))
        pairs = ((_key(key), partial(value.__getitem__, key)) for key in keys)
        return self._named(pairs, len(keys), len(value), level, at)

    def _object(self, value: Any, level: int, at: str, fields: Collection[str] | None) -> dict[str, Any]:
        names = list(fields) if fields is not None else self._data_members(value)
        chosen = names[:MAX_ITEMS]
        pairs = ((name, partial(member, value, name)) for name in chosen)
        return self._named(pairs, len(chosen), len(names), level, at, asked=fields is not None)

    def _data_members(self, value: Any) -> list[str]:
        """Give the members of *value* that hold data; a class also names what only its instances have."""
        if not isinstance(value, type):
            return members(value)
        return [name for name in members(value) if is_data(getattr(value, name, None))]

    def _named(
        self,
        pairs: Iterable[tuple[str, Callable[[], Any]]],
        chosen: int,
        of: int,
        level: int,
        at: str,
        *,
        asked: bool = False,
    ) -> dict[str, Any]:
        """Show named parts; what turns out to be a method is left out, unless it was *asked* for."""
        shown: dict[str, Any] = {}
        for name, get in pairs:
            if self._nodes >= MAX_NODES:
                self._mark(at, "nodes", len(shown), of)
                return shown
            try:
                shown[name] = self._value(get(), level + 1, f"{at}/{_escaped(name)}")
            except ReadError as error:
                if error.code != "bad_path" or asked:
                    raise
        if chosen < of:
            self._mark(at, "max_items", chosen, of)
        return shown

    def _list(self, value: Collection[Any], level: int, at: str) -> list[Any]:
        of = len(value)
        shown: list[Any] = []
        known: set[str] = set()
        for index, one in enumerate(islice(_ordered(value), self.max_items)):
            if self._nodes >= MAX_NODES:
                self._mark(at, "nodes", len(shown), of)
                return shown
            place = f"{at}/{index}"
            fields = self._fields_of(one) if level == 0 and self.fields is not None else None
            if fields is None:
                shown.append(self._value(one, level + 1, place))
            else:
                self._nodes += 1
                known.update(fields)
                shown.append(self._object(one, level + 1, place, fields))
        if level == 0 and self.fields is not None and shown:
            self._check_known(known, value)
        if len(shown) < of:
            self._mark(at, "max_items", len(shown), of)
        return shown

    def _fields_of(self, one: Any) -> list[str] | None:
        """Give the wanted fields that an item has; None where it is no object, or is too deep."""
        if _scalar(one) is not _UNKNOWN or self.depth < 2 or (_is_collection(one) and not isinstance(one, Mapping)):
            return None
        has = {*map(str, one)} if isinstance(one, Mapping) else set(members(one))
        return [name for name in self.fields or () if name in has]

    def _check_known(self, known: set[str], value: Collection[Any]) -> None:
        for name in self.fields or ():
            if name not in known:
                first = next(iter(value))
                hint = nearest(name, members(first)) if _scalar(first) is _UNKNOWN else ""
                raise ReadError("not_found", f"no item of the {label(value)} has a member {name!r}", hint)

    def _mark(self, at: str, limit: str, shown: int | None = None, of: int | None = None) -> None:
        if len(self.marks) >= _MAX_MARKS:
            self._unmarked += 1
            return
        sizes = {"shown": shown, "of": of} if of is not None else {}
        self.marks.append({"at": at, "limit": limit, **sizes})


def _scalar(value: Any) -> Any:
    """Give what stands for a value that has no parts; the same forms as in results of scripts."""
    match value:
        case None | bool():
            return value
        case Enum():
            return _scalar(value.value)
        case str():
            return str.__str__(value)
        case Integral():
            number = int(value)
            return number if number.bit_length() <= _MAX_BITS else f"<{label(value)} of {number.bit_length()} bits>"
        case Decimal() | UUID() | PurePath():
            return str(value)
        case Real():
            return float(value) if math.isfinite(value) else str(float(value))
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case datetime.timedelta():
            return value.total_seconds()
        case bytes() | bytearray():
            return base64.b64encode(value[:MAX_CHARACTERS]).decode()
    return _UNKNOWN


def _is_collection(value: Any) -> bool:
    """Say whether a value is shown as a list: it has a length and can be walked."""
    kind = type(value)
    return not isinstance(value, type) and hasattr(kind, "__len__") and hasattr(kind, "__iter__")


def _ordered(value: Iterable[Any]) -> Iterator[Any]:
    """Walk a collection; a set in sorted order where it has one, so that equal sets look equal."""
    if isinstance(value, Set):
        try:
            return iter(sorted(value))
        except TypeError:
            return iter(value)
    return iter(value)


def _key(key: Any) -> str:
    scalar = _scalar(key)
    text = scalar if isinstance(scalar, str) else f"<{label(key)}>" if scalar is _UNKNOWN else str(scalar)
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode()


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
