"""`copy` for scripts, without the reduce protocol: that sets attributes and calls functions which an object names."""

import array
import collections
import contextlib
import copy
import datetime
import decimal
import enum
import fractions
import functools
import io
import ipaddress
import operator
import pathlib
import random
import re
import types
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any

from sandbox.runtime.ownership import Ownership
from sandbox.runtime.wrappers import UserDict, UserList

_mro_of = type.__dict__["__mro__"].__get__
_arguments_of = vars(BaseException)["args"].__get__

_UNCHANGING: frozenset[type] = frozenset(
    {type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented), property}
    | {types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType, types.ModuleType}
    | {datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone, zoneinfo.ZoneInfo}
    | {decimal.Decimal, fractions.Fraction, uuid.UUID, re.Pattern, re.Match, types.MappingProxyType}
    | {pathlib.PurePosixPath, pathlib.PureWindowsPath, classmethod, staticmethod, functools.partial}
    | {ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network}
)
"""Kinds whose instances are shared by a copy and its original."""

_CONTAINERS: frozenset[type] = frozenset(
    {list, dict, set, collections.deque, collections.OrderedDict, collections.Counter, collections.defaultdict}
    | {collections.ChainMap, UserDict, UserList, types.SimpleNamespace}
)
"""Library kinds that are copied with what they hold."""

_LAYOUTS: tuple[type, ...] = (
    dict,
    list,
    set,
    tuple,
    frozenset,
    str,
    bytes,
    int,
    float,
    complex,
    collections.deque,
    types.SimpleNamespace,
)
"""Built-in kinds an own class may extend, whose contents are not attributes."""

_Each = Callable[[Any], Any]
"""What becomes of each part: itself in a shallow copy, a copy in a deep one."""


class Copier:
    """copy and deepcopy of one run; objects of the script's *own* classes are copied field by field."""

    def __init__(self, own: Ownership) -> None:
        self._own = own

    def __repr__(self) -> str:
        return "<copy>"

    def copy(self, x: Any) -> Any:
        """Shallow copy; raises copy.Error for library objects that have no copy."""
        hook = self._hook(x, "__copy__")
        return hook(x) if hook is not None else self._made(x, lambda part: part, note=id)

    def deepcopy(self, x: Any, memo: Any = None) -> Any:
        """Deep copy; *memo* is CPython's: what was copied already, by id."""
        if memo is None:
            memo = {}
        known = memo.get(id(x), memo)
        if known is not memo:
            return known
        hook = self._hook(x, "__deepcopy__")
        if hook is not None:
            copied = hook(x, memo)
        else:
            note = functools.partial(operator.setitem, memo, id(x))
            copied = self._made(x, lambda part: self.deepcopy(part, memo), note)
        memo[id(x)] = copied
        memo.setdefault(id(memo), []).append(x)  # an id stays taken for as long as its object lives
        return copied

    def _hook(self, x: Any, name: str) -> Callable[..., Any] | None:
        for cls in _mro_of(type(x)):
            if cls in self._own.classes and name in cls.__dict__:
                hook: Callable[..., Any] = cls.__dict__[name]
                return hook
        return None

    def _made(self, x: Any, each: _Each, note: Callable[[Any], Any]) -> Any:
        """Copy *x*; *note* is told the new object before its parts are copied, for they may lead back to it."""
        kind = type(x)
        if kind in _UNCHANGING or issubclass(kind, type | enum.Enum):
            return x
        if kind in _LIBRARY_COPIES:
            return _LIBRARY_COPIES[kind](x)
        own = self._own.has_instance(x)
        if not own and kind not in _CONTAINERS and not issubclass(kind, tuple | frozenset | BaseException):
            raise copy.Error(f"un(deep)copyable object of type {kind.__name__}")
        copied = self._blank(x, each)
        if type(copied) is not kind:
            raise copy.Error(f"un(deep)copyable object of type {kind.__name__}")
        note(copied)
        _fill(x, copied, each)
        if own or issubclass(kind, _WITH_ATTRIBUTES):
            self._copy_attributes(x, copied, each)
        return copied

    def _blank(self, x: Any, each: _Each) -> Any:
        """A new object of the kind of *x*; what cannot be changed afterwards has its parts already."""
        kind = type(x)
        if kind is collections.deque:
            return collections.deque(maxlen=x.maxlen)
        if kind is collections.defaultdict:
            return collections.defaultdict(x.default_factory)
        if kind in (collections.ChainMap, types.SimpleNamespace):
            return kind()
        if issubclass(kind, BaseException):
            made_by = next(base for base in _mro_of(kind) if base not in self._own.classes)
            return made_by.__new__(kind, *_arguments_of(x))
        layout: Any = next((base for base in _LAYOUTS if issubclass(kind, base)), object)
        if layout in (tuple, frozenset):
            return layout.__new__(kind, [each(part) for part in layout.__iter__(x)])
        if layout in (str, bytes, int, float, complex):
            return layout.__new__(kind, x)
        return layout.__new__(kind)

    def _copy_attributes(self, x: Any, copied: Any, each: _Each) -> None:
        if type(x).__dictoffset__ != 0:
            attributes = object.__getattribute__(x, "__dict__")
            changed = {name: each(value) for name, value in attributes.items()}
            if issubclass(type(x), UserDict | UserList) and changed["data"] is x.data:
                changed["data"] = x.data.copy()  # these are containers also where nothing else is copied
            object.__getattribute__(copied, "__dict__").update(changed)
        slots = [
            member
            for cls in _mro_of(type(x))
            if cls in self._own.classes
            for member in cls.__dict__.values()
            if type(member) is types.MemberDescriptorType
        ]
        for slot in slots:
            with contextlib.suppress(AttributeError):  # not set on the original
                slot.__set__(copied, each(slot.__get__(x)))


_WITH_ATTRIBUTES = (BaseException, types.SimpleNamespace, UserDict, UserList)


def _fill(x: Any, copied: Any, each: _Each) -> None:
    kind = type(x)
    if issubclass(kind, dict):
        keep = collections.OrderedDict if issubclass(kind, collections.OrderedDict) else dict
        for key, value in list(dict.items(x)):
            keep.__setitem__(copied, each(key), each(value))
    elif issubclass(kind, list):
        list.extend(copied, [each(part) for part in list.__iter__(x)])
    elif issubclass(kind, set):
        set.update(copied, [each(part) for part in set.__iter__(x)])
    elif issubclass(kind, collections.deque):
        collections.deque.extend(copied, [each(part) for part in collections.deque.__iter__(x)])
    elif kind is collections.ChainMap:
        copied.maps = [each(part) for part in x.maps]


def _stream_copy(x: Any) -> Any:
    copied = type(x)(x.getvalue())
    copied.seek(x.tell())
    return copied


def _random_copy(x: random.Random) -> random.Random:
    copied = random.Random()
    copied.setstate(x.getstate())
    return copied


_LIBRARY_COPIES: dict[type, Callable[[Any], Any]] = {
    bytearray: bytearray,
    array.array: operator.itemgetter(slice(None)),
    decimal.Context: decimal.Context.copy,
    io.StringIO: _stream_copy,
    io.BytesIO: _stream_copy,
    random.Random: _random_copy,
}
