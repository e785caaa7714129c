"""`os`, `sys`, `pathlib`, `zoneinfo` and `open` for scripts: names and texts of a machine they do not touch."""

import functools
import os
import pathlib
import posixpath
import sys
import zoneinfo
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NoReturn

from sandbox.runtime.asking import Asking
from sandbox.runtime.failures import PermissionDenied


class _Unset(KeyError):
    """A KeyError whose text is a sentence: others show theirs in quotes, line breaks escaped."""

    def __str__(self) -> str:
        return str(self.args[0])


_Unset.__name__ = _Unset.__qualname__ = "KeyError"
_Unset.__module__ = "builtins"


class Environment:
    """`os.environ` of a script: `get` gives a secret the tool was granted; there is nothing to list."""

    def __init__(self, asking: Asking, warn: Callable[[str], None]) -> None:
        self._asking = asking
        self._warn = warn

    def get(self, name: Any, default: Any = None) -> Any:
        """Give the granted secret *name*, else *default*, with a warning that says how to grant it."""
        try:
            return self[name]
        except KeyError as missing:
            self._warn(missing.args[0])
            return default

    def __getitem__(self, name: Any) -> str:
        try:
            return str(self._asking.now("secret", {"name": str(name)}))
        except PermissionDenied as refusal:
            raise _Unset(f"os.environ has no {name}: {refusal} {refusal.hint}".rstrip()) from None

    def __contains__(self, name: object) -> bool:
        try:
            self[name]
        except KeyError:
            return False
        return True

    def __iter__(self) -> NoReturn:
        raise TypeError("os.environ cannot be listed in a script; os.environ.get(name) gives a granted secret")

    def __repr__(self) -> str:
        return "<os.environ of a script>"


Environment.__module__ = "os"


def abspath(path: Any) -> str:
    """`os.path.abspath`; a script's paths are relative to the root, for it has no working directory."""
    return posixpath.normpath(posixpath.join("/", os.fspath(path)))


def relpath(path: Any, start: Any = "/") -> str:
    """`os.path.relpath`, by text alone."""
    return posixpath.relpath(abspath(path), abspath(start))


def leave(status: Any = None) -> NoReturn:
    """`sys.exit`: ends the script, which is an error with the status as its message."""
    raise SystemExit(status)


leave.__name__ = leave.__qualname__ = "exit"


@functools.cache
def time_zones() -> MappingProxyType[str, zoneinfo.ZoneInfo]:
    """Give all time zones by name, loaded; once per process, for a confined one reads no files."""
    return MappingProxyType({name: zoneinfo.ZoneInfo(name) for name in sorted(zoneinfo.available_timezones())})


def available_timezones() -> set[str]:
    """`zoneinfo.available_timezones`."""
    return set(time_zones())


def os_face(environment: Environment) -> dict[str, Any]:
    """Give what `os` has of its own."""
    return {"environ": environment, "getenv": environment.get, "name": "posix", "sep": "/", "linesep": "\n"}


OS_PATH: dict[str, Any] = {"abspath": abspath, "relpath": relpath}
PATHLIB: dict[str, Any] = {"Path": pathlib.PurePosixPath}
ZONEINFO: dict[str, Any] = {"available_timezones": available_timezones}
SYS: dict[str, Any] = {"exit": leave, "implementation": MappingProxyType(dict(vars(sys.implementation)))}
