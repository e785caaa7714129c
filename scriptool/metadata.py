"""Metadata: the `# /// tool` block of a script, TOML in comments, as a definition.

The shape of the block is that of Python's inline script metadata (PEP 723), with `tool` as its type.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any, Final

from sandbox import Fault
from scriptool.fields import ScriptDefinition
from scriptool.judgement import problems_of
from scriptool.schema import Problem
from scriptool.tool import name_of, words_of

_START: Final = "# /// tool"
_END: Final = "# ///"
_TOML_PLACE: Final = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class Block:
    """What the block of a script says: its *fields* (checked), or the *fault* that it is; *line* is where it starts."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    line: int = 1
    fault: Fault | None = None

    def definition(self, stem: str) -> ScriptDefinition:
        """Give the definition the block makes of the script STEM.py: what it does not say is assumed."""
        return ScriptDefinition.model_validate({**_assumed(stem), **self.fields})


def _assumed(stem: str) -> dict[str, Any]:
    words = {"name": name_of(stem), "description": words_of(stem)}
    return words | {"kind": "script", "file": f"{stem}.py", "mainThread": False}


def read_block(data: bytes) -> Block | None:
    """Give the block of a script's text, or None when it has none.

    The fault of a bad block is a `definition_error` without `file`.
    """
    if _START.encode() not in data:
        return None
    lines = data.decode("utf-8-sig", "replace").splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line.rstrip() == _START]
    if not starts:
        return None
    start = starts[0]
    body: list[str] = []
    for line in lines[start:]:
        if line.rstrip() == _END:
            return _understood(body, start, starts)
        if line != "#" and not line.startswith("# "):
            break
        body.append(line[2:])
    problem = {"message": "the block is not closed", "line": start, "hint": f"End it with a line `{_END}`."}
    return Block(line=start, fault=_faulty([{"path": "", **problem}]))


def _understood(body: list[str], start: int, starts: list[int]) -> Block:
    if len(starts) > 1:
        return Block(line=start, fault=_faulty([{"path": "", "message": "a second block", "line": starts[1]}]))
    try:
        stated = _jsonable(tomllib.loads("\n".join(body)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Block(line=start, fault=_faulty([_not_toml(str(error), start, len(body))]))
    problems = [_foreign(name) for name in ("file", "kind") if name in stated]
    problems += problems_of(_assumed("tool") | stated)
    if problems:
        return Block(line=start, fault=_faulty([one | {"line": _line(body, start, one["path"])} for one in problems]))
    return Block(stated, start)


def _foreign(name: str) -> Problem:
    hint = "A block describes the script it stands in."
    return {"path": f"/{name}", "message": "may not stand here", "hint": hint}


def _not_toml(text: str, start: int, length: int) -> Problem:
    found = _TOML_PLACE.search(text)
    line = start + (int(found[1]) if found and found[1] else length)
    message = f"not TOML: {_TOML_PLACE.sub('', text).strip()}"
    column = int(found[2]) + 2 if found and found[2] else 1
    return {"path": "", "message": message, "line": line, "column": column}


def _jsonable(value: Any) -> Any:
    """Give TOML as JSON: its dates and times become text."""
    match value:
        case dict():
            return {key: _jsonable(item) for key, item in value.items()}
        case list():
            return [_jsonable(item) for item in value]
        case date() | time():
            return value.isoformat()
        case _:
            return value


def _line(body: list[str], start: int, path: str) -> int:
    """Give the line of the block where the key nearest to a JSON pointer stands."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    for part in reversed(parts):
        key = re.compile(rf"""^\s*(\[.*\b)?["']?{re.escape(part)}["']?\s*(=|\]|\.)""")
        for offset, line in enumerate(body, 1):
            if key.search(line):
                return start + offset
    return start


def _faulty(problems: list[Problem]) -> Fault:
    said = "; ".join(f"line {one['line']}: {one['path'] or 'the block'}: {one['message']}" for one in problems)
    hints = " ".join(dict.fromkeys(one["hint"] for one in problems if one.get("hint")))
    details: Mapping[str, Any] = {"problems": problems}
    return Fault("definition_error", f"The tool block is not valid: {said}", hint=hints, **details)
