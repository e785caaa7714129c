"""Zones: `zoneinfo` makes a path, and the name of a module, of what a script calls a time zone."""

import functools
import zoneinfo._tzpath
from typing import Any

from sandbox.runtime.ownership import running

_validate: Any = zoneinfo._tzpath._validate_tzfile_path  # type: ignore[attr-defined]  # what looks a zone up asks it first


@functools.cache
def take_plain_names() -> None:
    """From now on, refuse names of scripts that are no plain texts: one of an own class is another at each look.

    The class of zones is C code that looks them up by itself, and its instances show it: it can have no face.
    """
    zoneinfo._tzpath._validate_tzfile_path = _validate_plain  # type: ignore[attr-defined]


def _validate_plain(path: Any, *rest: Any) -> Any:
    if running.own is not None and type(path) is not str:
        raise zoneinfo.ZoneInfoNotFoundError("a time zone is named by a plain string")
    return _validate(path, *rest)
