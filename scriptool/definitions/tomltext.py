"""TOML text inside other files: its value as JSON, and where in the file each key stands."""

import math
import re
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date, time
from typing import Any, Final

from scriptool.schema import Problem, pointer

_MOST_BITS: Final = 10_000
"""Of a whole number: Python writes no more than 4,300 digits."""

_KEY: Final = re.compile(r"""(?:"([^"]*)"|'([^']*)'|(?<![^\s"'=\[\].])([^\s"'=\[\].]+))\s*[=\].]""")
_PLACE: Final = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)$")


class NotToml(ValueError):
    """The text is not TOML; *problem* says why and where."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem["message"])
        self.problem = problem


def parse(body: list[str], start: int, *, indent: int = 0) -> dict[str, Any]:
    """Give what the lines *body* say, dates and times as text; they stand below line *start*, *indent* characters in.

    Raises: NotToml.
    """
    try:
        return dict(_jsonable(tomllib.loads("\n".join(body)), ()))
    except _NotJson as error:
        message, hint = str(error), "Write a number that JSON has too."
        line = Lines(body, start).of(pointer(error.path))
        raise NotToml({"path": pointer(error.path), "message": message, "line": line, "hint": hint}) from None
    except (ValueError, RecursionError) as error:  # tomllib's own, and what Python says of numbers that are too long
        text = str(error)
        found = _PLACE.search(text)
        line = start + (int(found[1]) if found and found[1] else len(body))
        column = int(found[2]) + indent if found and found[2] else 1
        message = f"not TOML: {_PLACE.sub('', text).strip()}"
        raise NotToml({"path": "", "message": message, "line": line, "column": column}) from None


class Lines:
    """Where each key stands in the lines *body*, which stand below line *start*."""

    def __init__(self, body: Iterable[str], start: int) -> None:
        self._start = start
        self._first: dict[str, int] = {}
        for number, line in enumerate(body, start + 1):
            for key in _keys(line):
                self._first.setdefault(key, number)

    def of(self, path: str) -> int:
        """Give the line of the file where the key nearest to a JSON pointer stands."""
        parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
        return next((self._first[part] for part in reversed(parts) if part in self._first), self._start)


def _keys(line: str) -> Iterator[str]:
    """Give the keys that a line begins with: all of a table's head, else the first."""
    text = line.lstrip()
    if text.startswith("["):
        found = list(_KEY.finditer(text.lstrip("[")))
    else:
        found = [first] if (first := _KEY.match(text)) else []
    yield from (next(part for part in key.groups() if part is not None) for key in found)


class _NotJson(ValueError):
    """TOML says more than JSON can, at *path*."""

    def __init__(self, message: str, path: tuple[str | int, ...]) -> None:
        super().__init__(message)
        self.path = path


def _jsonable(value: Any, path: tuple[str | int, ...]) -> Any:
    match value:
        case dict():
            return {key: _jsonable(item, (*path, key)) for key, item in value.items()}
        case list():
            return [_jsonable(item, (*path, index)) for index, item in enumerate(value)]
        case date() | time():
            return value.isoformat()
        case float() if not math.isfinite(value):
            raise _NotJson(f"{value} is no number of JSON", path)
        case int() if value.bit_length() > _MOST_BITS:
            raise _NotJson("the number has too many digits", path)
        case _:
            return value
