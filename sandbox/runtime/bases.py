"""The classes of others that a script may derive its own from; whatever is not listed may not be a base."""

import abc
import builtins
import collections
import collections.abc
import contextlib
import csv
import datetime
import decimal
import enum
import fractions
import html.parser
import io
import json
import numbers
import typing

from sandbox.runtime.failures import CallFailed, PermissionDenied, ToolError
from sandbox.runtime.wrappers import UserDict, UserList

EXCEPTIONS: frozenset[type] = frozenset(
    value
    for value in vars(builtins).values()
    if isinstance(value, type) and issubclass(value, BaseException) and not issubclass(value, BaseExceptionGroup)
) | {ToolError, CallFailed, PermissionDenied}
"""Exceptions that hold only what they were made with. Groups split themselves by methods a subclass could redefine."""

_DATA: frozenset[type] = frozenset(
    {int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset}
    | {collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter}
    | {collections.ChainMap, UserDict, UserList}
    | {decimal.Decimal, fractions.Fraction, io.StringIO, io.BytesIO}
    | {datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.tzinfo}
)

_ABSTRACT: frozenset[type] = frozenset(
    {abc.ABC, typing.Generic, typing.Protocol}  # type: ignore[arg-type]  # special forms to mypy, classes to Python
    | {getattr(collections.abc, name) for name in collections.abc.__all__}
    | {getattr(numbers, name) for name in numbers.__all__}
    | {contextlib.AbstractContextManager, contextlib.AbstractAsyncContextManager, contextlib.ContextDecorator}
)

_MADE_FOR_IT: frozenset[type] = frozenset(
    {property, json.JSONEncoder, json.JSONDecoder, json.JSONDecodeError, html.parser.HTMLParser}
    | {csv.Dialect, csv.excel, csv.excel_tab, csv.unix_dialect}
)

_ENUMS: frozenset[type] = frozenset({enum.Enum, enum.IntEnum, enum.StrEnum, enum.Flag, enum.IntFlag, enum.ReprEnum})

OPEN_BASES: frozenset[type] = frozenset({object}) | EXCEPTIONS | _DATA | _ABSTRACT | _MADE_FOR_IT | _ENUMS
"""What `class Own(Base)` may name, beside the script's own classes and namedtuples."""
