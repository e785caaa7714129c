"""Excerpt: an error as lines for people: place, rule, message, the source line with a caret under it, the hint."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any


def excerpt(error: Mapping[str, Any]) -> list[str]:
    """Give the lines that show *error* (`{code, message, hint?, ...}`), one group for each of its places."""
    places = list(_places(error))
    if any(place.get("hint") for place in places):
        # What is to be done in general is then made of what is to be done about each.
        error = {key: value for key, value in error.items() if key != "hint"}
    return [line for place in places for line in _lines(place, error)] or _lines({}, error)


def story(error: Mapping[str, Any]) -> list[str]:
    """Give the lines that tell how a call failed: what in general, then each place; all of it once."""
    if not any(True for _ in _places(error)):
        return _lines({}, error)
    return [f"{error['code']}: {error['message']}", *excerpt(error)]


def one_line(error: Mapping[str, Any]) -> str:
    """Give what is wrong and how to mend it in one line."""
    said = f"{error['message']} {error.get('hint', '')}"
    return " ".join(said.split())


def _places(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give what is wrong one by one: diagnostics, else problems."""
    yield from error.get("diagnostics") or error.get("problems") or ()


def _lines(place: Mapping[str, Any], error: Mapping[str, Any]) -> list[str]:
    file = place.get("file") or error.get("file")
    where = [str(part) for part in (file, place.get("line"), place.get("column")) if part is not None]
    rule = place.get("rule") or error["code"]
    pointer = f" {place['path']}:" if place.get("path") else ""
    message = place.get("message") or error["message"]
    lines = [f"{':'.join(where)}: {rule}:{pointer} {message}" if where else f"{rule}:{pointer} {message}"]
    if place.get("source"):
        lines += [f"    {place['source']}", f"    {_caret(place)}"]
    hint = place.get("hint") or error.get("hint")
    return lines + ([f"    {hint}"] if hint else [])


def _caret(place: Mapping[str, Any]) -> str:
    """Give the marks that stand under what a diagnostic is about, in a fixed-width font."""
    source, column = place["source"], place.get("column") or 1
    end = place.get("end_column") if place.get("end_line", place.get("line")) == place.get("line") else None
    before, marked = source[: column - 1], source[column - 1 : (end or column + 1) - 1]
    # Tabs are kept, so that the marks move as the line above them does.
    space = "".join("\t" if char == "\t" else " " * _width(char) for char in before)
    return space + "^" * max(1, sum(map(_width, marked.rstrip())))


def _width(char: str) -> int:
    """Give how many columns of a terminal *char* takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
