"""`os`, `sys`, `pathlib`, `zoneinfo` and `open` for scripts: names and texts of a machine they do not touch."""

import functools
import os
import pathlib
import posixpath
import sys
import zoneinfo
from types import MappingProxyType
from typing import Any, NoReturn

from sandbox.failures import PermissionDenied


class Environment:
    """`os.environ` of a script: `get` gives a secret the tool was granted; there is nothing to list."""

    def __init__(self, secrets: dict[str, str]) -> None:
        self._secrets = secrets

    def get(self, name: str, default: Any = None) -> Any:
        """Give the granted secret *name*, else *default*."""
        return self._secrets.get(name, default)

    def __getitem__(self, name: str) -> str:
        if name in self._secrets:
            return self._secrets[name]
        raise KeyError(f"os.environ has no {name}: only secrets that the tool was granted are there")

    def __contains__(self, name: object) -> bool:
        return name in self._secrets

    def __iter__(self) -> NoReturn:
        raise TypeError("os.environ cannot be listed in a script; os.environ.get(name) gives a granted secret")

    def __repr__(self) -> str:
        return "<os.environ of a script>"


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


def open_file(file: Any, mode: Any = "r", *_rest: Any, **_options: Any) -> NoReturn:
    """The builtin `open`: no file is granted."""
    path, mode = str(file), str(mode)
    writes = any(letter in mode for letter in "wax+")
    permission = "write" if writes else "read"
    folder = f"{posixpath.dirname(path)}/" if posixpath.dirname(path) else path
    raise PermissionDenied(
        f"open({path!r}, {mode!r}) needs a grant to {permission} that file",
        permission=permission,
        grant=f'"permissions": {{"{permission}": ["{folder}"]}}',
    )


open_file.__name__ = open_file.__qualname__ = "open"

OS: dict[str, Any] = {"environ": Environment({}), "name": "posix", "sep": "/", "linesep": "\n"}
OS["getenv"] = OS["environ"].get
OS_PATH: dict[str, Any] = {"abspath": abspath, "relpath": relpath}
PATHLIB: dict[str, Any] = {"Path": pathlib.PurePosixPath}
ZONEINFO: dict[str, Any] = {"available_timezones": available_timezones}
SYS: dict[str, Any] = {"exit": leave, "implementation": MappingProxyType(vars(sys.implementation))}
