"""Metadata: the `# /// tool` block of a script, TOML in comments, as a definition.

The shape of the block is that of Python's inline script metadata (PEP 723), with `tool` as its type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox import Fault
from scriptool.definitions import tomltext
from scriptool.definitions.judgement import problems_of
from scriptool.fields import ScriptDefinition
from scriptool.schema import Problem
from scriptool.standard import GROUPS
from scriptool.tool import name_of, words_of

_START: Final = "# /// tool"
_END: Final = "# ///"
_INDENT: Final = 2


@dataclass(frozen=True)
class Block:
    """What the block of a script says: its *fields* (checked), or the *fault* that it is; *line* is where it starts."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    line: int = 1
    fault: Fault | None = None
    body: tuple[str, ...] = ()

    def line_of(self, path: str) -> int:
        """Give the line of the script where the field of a JSON pointer stands."""
        return tomltext.Lines(self.body, self.line).of(path)

    def definition(self, stem: str) -> ScriptDefinition:
        """Give the definition the block makes of the script STEM.py: what it does not say is assumed."""
        return ScriptDefinition.model_validate({**_assumed(stem), **self.fields})


def _assumed(stem: str) -> dict[str, Any]:
    words = {"name": name_of(stem), "description": words_of(stem)}
    return words | {"kind": "script", "file": f"{stem}.py", "mainThread": False}


def read_block(data: bytes, groups: Sequence[str] = GROUPS) -> Block | None:
    """Give the block of a script's text, or None when it has none; *groups* are those a tool may be in.

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
            return _understood(body, start, starts, groups)
        if line != "#" and not line.startswith("# "):
            break
        body.append(line[2:])
    problem = {"message": "the block is not closed", "line": start, "hint": f"End it with a line `{_END}`."}
    return Block(line=start, fault=_faulty([{"path": "", **problem}]))


def _understood(body: list[str], start: int, starts: list[int], groups: Sequence[str]) -> Block:
    if len(starts) > 1:
        return Block(line=start, fault=_faulty([{"path": "", "message": "a second block", "line": starts[1]}]))
    try:
        stated = tomltext.parse(body, start, indent=_INDENT)
    except tomltext.NotToml as error:
        return Block(line=start, fault=_faulty([error.problem]))
    problems = [_foreign(name) for name in ("file", "kind") if name in stated]
    problems += problems_of(_assumed("tool") | stated, groups)
    if problems:
        places = tomltext.Lines(body, start)
        placed = [one | {"line": places.of(one["path"])} for one in problems]
        return Block(line=start, fault=_faulty(placed))
    return Block(stated, start, body=tuple(body))


def _foreign(name: str) -> Problem:
    hint = "A block describes the script it stands in."
    return {"path": f"/{name}", "message": "may not stand here", "hint": hint}


def _faulty(problems: list[Problem]) -> Fault:
    said = "; ".join(f"line {one['line']}: {one['path'] or 'the block'}: {one['message']}" for one in problems)
    hints = " ".join(dict.fromkeys(one["hint"] for one in problems if one.get("hint")))
    details: Mapping[str, Any] = {"problems": problems}
    return Fault("definition_error", f"The tool block is not valid: {said}", hint=hints, **details)
