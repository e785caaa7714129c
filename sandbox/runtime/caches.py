"""Caches of the library that scripts share with the application around them, in a process that outlives a script.

A key of a script's own class may equal any other: found in a cache, it would give the application what was made for
the script, and be asked by whatever is looked up there later. So while a script runs on a thread, what it asks is
remembered under plain keys only.
"""

import contextlib
import enum
import functools
import importlib
import re
import sys
import threading
import typing
from asyncio import coroutines
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from sandbox.language.modules import LANGUAGE
from sandbox.runtime.ownership import running

_PLAIN = frozenset({type(None), bool, int, float, str, bytes})
_CLASSES = (str, bytes)
_Cached = type(functools.lru_cache(_PLAIN.union))

_BEHIND = ("_strptime", "glob")
"""Modules with caches that those of the language fill."""

_TABLES = (
    ("re", "", "_cache"),
    ("re", "", "_cache2"),  # from Python 3.12 on
    ("_strptime", "", "_regex_cache"),
    ("ipaddress", "_BaseV4", "_netmask_cache"),
    ("ipaddress", "_BaseV6", "_netmask_cache"),
)
"""Caches that are plain tables: module, class in it, name."""


class _KeptOut(threading.local):
    pair: tuple[Any, Any] | None = None
    """The last key that did not get into a table, with its value: the library looks it up there at once."""


_kept_out = _KeptOut()


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Keep what the script that runs on this thread asks under keys of its own out of the library's caches."""
    _guard_library()
    try:
        yield
    finally:
        _kept_out.pair = None
        _forget()


def _forget() -> None:
    """Empty the caches that no guard stands before, since others hold on to them inside of the library."""
    coroutines._iscoroutine_typecache.clear()  # type: ignore[attr-defined]  # private names, here and below
    for forget in typing._cleanups:  # type: ignore[attr-defined]  # private
        forget()
    if sys.version_info >= (3, 12):
        re._compile_template.cache_clear()  # type: ignore[attr-defined,unused-ignore]  # only in 3.12+


def _may_be_kept(*keys: Any) -> bool:
    return running.own is None or all(map(_is_plain, keys))


def _is_plain(key: Any) -> bool:
    kind = type(key)
    if kind is tuple:
        return all(map(_is_plain, key))
    if kind is re.Pattern:
        return type(key.pattern) in _PLAIN
    return kind in _PLAIN or any(key is cls for cls in _CLASSES)


class _PlainKeys(dict[Any, Any]):
    """A table in which a script leaves nothing under a key of its own."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if _may_be_kept(key):
            super().__setitem__(key, value)
        else:
            _kept_out.pair = key, value

    def __missing__(self, key: Any) -> Any:
        pair, _kept_out.pair = _kept_out.pair, None
        if pair is None or pair[0] is not key:
            raise KeyError(key)
        return pair[1]


def _passed_by(cached: Any) -> Any:
    """Give *cached* as a function that does without its cache where a script asks with what is not plain."""

    @functools.wraps(cached)
    def ask(*arguments: Any, **named: Any) -> Any:
        if _may_be_kept(*arguments, *named.values()):
            return cached(*arguments, **named)
        return cached.__wrapped__(*arguments, **named)

    ask.cache_clear, ask.cache_info = cached.cache_clear, cached.cache_info  # type: ignore[attr-defined]  # set here
    return ask


@functools.cache
def _guard_library() -> None:
    """Put guards before the caches of all modules that scripts reach, once in a process."""
    tops = {module.partition(".")[0] for module in LANGUAGE}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in tops or name in _BEHIND:
            _guard(module)
    for module_name, cls, name in _TABLES:
        owner = importlib.import_module(module_name)
        owner = getattr(owner, cls) if cls else owner
        if name in vars(owner):
            setattr(owner, name, _PlainKeys(vars(owner)[name]))
    missing = vars(enum.Flag)["_missing_"].__func__
    enum.Flag._missing_ = classmethod(lambda cls, value: missing(cls, _exact(value)))  # type: ignore[assignment]  # patched


def _guard(module: ModuleType) -> None:
    if module is typing:
        return
    for name, value in list(vars(module).items()):
        if type(value) is _Cached:
            setattr(module, name, _passed_by(value))
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for inner, member in list(vars(value).items()):
                if type(member) is property and type(member.fget) is _Cached:
                    setattr(value, inner, property(_passed_by(member.fget), doc=member.__doc__))


def _exact(value: Any) -> Any:
    """Give the value of a flag as an exact number: its class remembers each that it was made of."""
    return int.__index__(value) if running.own is not None and isinstance(value, int) else value
