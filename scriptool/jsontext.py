"""JSON text from strangers: strict parsing, and where in the text each value stands."""

import json
import math
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

MAX_DEPTH: Final = 200
"""How deep JSON from outside may nest."""

_MAX_SHOWN: Final = 200
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_OTHER: Final = re.compile(r"[^\s,\]}]+")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s,:\[\]{}"]+')
_COLON: Final = re.compile(r"\s*:")

Place = tuple[int, int]
"""Line and column, both from 1, columns in characters."""


class NotJson(ValueError):
    """The text is not strict JSON: *message*, *line*, *column*, and a *hint* how to mend it."""

    def __init__(self, message: str, line: int = 1, column: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint


def parse(data: bytes) -> Any:
    """Give the value of strict JSON in UTF-8: no NaN, no repeated keys, no lone surrogates, bounded nesting.

    Raises: NotJson, with the place.
    """
    text = decode(data)
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError as error:
        raise _explained(text, error) from None
    except UnicodeEncodeError:
        place = _place(text, _first(text, _is_half))
        raise NotJson("a string holds half of a surrogate pair", *place, "Write the character itself.") from None
    except RecursionError:
        raise _too_deep(text) from None
    except _Refused as refusal:
        raise NotJson(str(refusal), *_place(text, refusal.find(text)), refusal.hint) from None
    except ValueError as error:
        raise NotJson(str(error), *_place(text, _first(text, _is_unreadable))) from None
    if _deep(value):
        raise _too_deep(text)
    return value


def decode(data: bytes) -> str:
    """Give the text of UTF-8 *data*, with or without a byte order mark. Raises: NotJson, naming the first bad byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _place(data[: error.start].decode(), error.start)
        raise NotJson(f"byte {error.start} is not UTF-8", line, column, "Write it as UTF-8.") from None


def places(text: str) -> dict[tuple[str | int, ...], Place]:
    """Give the place of every value of a JSON *text* that parses, by its path; members stand where their key does."""
    starts = [0, *(end.end() for end in re.finditer("\n", text))]

    def place(offset: int) -> Place:
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    return {path: place(offset) for path, offset in _walk(text)}


class _Refused(ValueError):
    """The parser was told to refuse something; *find* gives its offset in the text."""

    def __init__(self, message: str, find: Callable[[str], int], hint: str) -> None:
        super().__init__(message)
        self.find = find
        self.hint = hint


def _refuse_constant(word: str) -> None:
    raise _Refused(f"{word} is not JSON", lambda text: _first(text, word.__eq__), "Use null, or a number.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = _first_repeated(name for name, _ in pairs)
        shown = twice if len(twice) <= _MAX_SHOWN else f"{twice[:_MAX_SHOWN]}..."
        raise _Refused(f"the key {shown!r} stands twice in one object", _second_key, "Keep one of them.")
    return found


def _first_repeated(names: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            break
        seen.add(name)
    return name


def _deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _too_deep(text: str) -> NotJson:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] in "[{") - (token[0] in "]}")
        if depth > MAX_DEPTH:
            return NotJson(f"nested deeper than {MAX_DEPTH}", *_place(text, token.start()))
    return NotJson(f"nested deeper than {MAX_DEPTH}")


def _first(text: str, wanted: Callable[[str], bool]) -> int:
    """Give the offset of the first string, bracket or word that is *wanted*."""
    return next((token.start() for token in _TOKEN.finditer(text) if wanted(token[0])), 0)


def _is_half(token: str) -> bool:
    return token[0] == '"' and any("\ud800" <= letter <= "\udfff" for letter in json.loads(token))


def _is_unreadable(token: str) -> bool:
    """Say whether a word is a number with more digits than Python reads, or beyond what it can hold."""
    if not token[0].isdigit() and token[0] != "-":
        return False
    digits = token.lstrip("-")
    return len(digits) > sys.get_int_max_str_digits() if digits.isdigit() else math.isinf(float(token))


def _second_key(text: str) -> int:
    """Give the offset of the first key that its object has already. All before it is JSON, perhaps not what follows."""
    open_objects: list[set[str] | None] = []
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "{" | "[":
                open_objects.append(set() if token[0] == "{" else None)
            case "}" | "]":
                open_objects.pop()
            case name if (keys := open_objects[-1]) is not None and _COLON.match(text, token.end()):
                key = json.loads(name)
                if key in keys:
                    return token.start()
                keys.add(key)
    return 0


def _children(node: Any) -> Iterator[Any]:
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return (child for child in inner if isinstance(child, dict | list))


def _explained(text: str, error: json.JSONDecodeError) -> NotJson:
    """Say what a habit from other languages has to do with it; where none has, in the parser's own words."""
    rest = text[error.pos :].lstrip(" \t\r\n,")
    before = text[: error.pos + 1].rstrip(" \t\r\n}]")
    at, message, hint = error.pos, error.msg, ""
    if not text.strip():
        hint = "The text is empty."
    elif rest.startswith(("//", "/*", "#")):
        message, hint = "a comment", "JSON has no comments: take it out, or say it in `description`."
    elif before.endswith(",") and (not rest or rest[0] in "}]"):
        at, message = len(before) - 1, "a comma with nothing after it"
        hint = "JSON has no trailing comma: take out the one before the bracket."
    elif rest.startswith("'"):
        hint = 'JSON strings stand in double quotes: "text".'
    elif rest.startswith(("True", "False", "None")):
        hint = "JSON writes true, false and null in lower case."
    return NotJson(message, *_place(text, at), hint)


def _place(text: str, offset: int) -> Place:
    before = text[:offset]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _walk(text: str) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Walk valid JSON iteratively; each open container is `[path, next index or None, is object]`."""
    stack: list[tuple[tuple[str | int, ...], int | None]] = []
    path: tuple[str | int, ...] = ()
    named = False
    at = _skip(text, 0)
    while at < len(text):
        letter = text[at]
        if letter in "}]":
            stack.pop()
            at = _skip(text, at + 1)
            continue
        if letter == ",":
            at = _skip(text, at + 1)
            continue
        if stack and not named:
            parent, index = stack[-1]
            if index is None:
                key = _STRING.match(text, at)
                assert key is not None
                path, named = (*parent, json.loads(key.group())), True
                yield path, at
                at = _skip(text, _skip(text, key.end()) + 1)
                continue
            path = (*parent, index)
            stack[-1] = (parent, index + 1)
            yield path, at
        elif not stack:
            yield path, at
        named = False
        if letter in "{[":
            stack.append((path, None if letter == "{" else 0))
            at = _skip(text, at + 1)
        else:
            found = (_STRING if letter == '"' else _OTHER).match(text, at)
            assert found is not None
            at = _skip(text, found.end())


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
