"""Permission: what a tool asks to reach, what the operator allows, and the words of a refusal with the lines to add."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from sandbox import Fault
from scriptool.errors import did_you_mean
from scriptool.folder import NEVER_SEARCHED

Form = Literal["definition", "block", "nothing"]
"""Where an author said something about a tool: a JSON file, the block of the script, or nowhere."""

Matches = Callable[[str, str], bool]
"""Says whether an entry, first, covers a value."""

EVERYTHING: Final = "*"


def by_pattern(entry: str, value: str) -> bool:
    """Say whether a name with `*`, `?` and `[...]` covers a value, in its very case."""
    return fnmatchcase(value, entry)


_DEEDS: Final[Mapping[str, str]] = {
    "net": "reach",
    "read": "read",
    "write": "write",
    "secrets": "know the secret",
    "tools": "call",
}


@dataclass(frozen=True)
class Permissions:
    """Entries by kind: hosts of `net`, paths of `read` and `write`, names of `secrets`, patterns of `tools`."""

    net: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    def of(self, kind: str) -> tuple[str, ...]:
        """Give the entries of one kind."""
        entries: tuple[str, ...] = getattr(self, kind)
        return entries

    def __bool__(self) -> bool:
        return any(self.of(kind) for kind in KINDS)

    def __or__(self, other: "Permissions") -> "Permissions":
        return Permissions(*(tuple(dict.fromkeys(self.of(kind) + other.of(kind))) for kind in KINDS))

    def items(self) -> Iterator[tuple[str, str]]:
        """Give every entry with its kind."""
        return ((kind, entry) for kind in KINDS for entry in self.of(kind))

    def to_json(self) -> dict[str, list[str]]:
        """Give the entries by kind, empty kinds left out."""
        return {kind: list(self.of(kind)) for kind in KINDS if self.of(kind)}


KINDS: Final = tuple(one.name for one in fields(Permissions))


class Rule(NamedTuple):
    """What the operator allows the tools whose names match *pattern*."""

    pattern: str
    allowed: Permissions


@dataclass(frozen=True)
class Rules:
    """Everything the operator allows. Nothing is allowed by default."""

    rules: tuple[Rule, ...] = ()

    def allowed(self, tool: str) -> Permissions:
        """Give what *tool* may be granted at most."""
        together = Permissions()
        for rule in self.rules:
            if fnmatchcase(tool, rule.pattern):
                together |= rule.allowed
        return together

    def __add__(self, other: "Rules") -> "Rules":
        return Rules(self.rules + other.rules)


def read_rules(document: Mapping[str, Any]) -> Rules:
    """Give the rules of a `scriptool.toml`: `[permissions]` for every tool, `[permissions."PATTERN"]` for some.

    Raises: ValueError, in words for the operator.
    """
    stated = document.get("permissions", {})
    if not isinstance(stated, dict):
        raise ValueError("permissions is a section, [permissions]")
    general = {name: value for name, value in stated.items() if not isinstance(value, dict)}
    rules = [Rule(EVERYTHING, _entries(general, "permissions"))] if general else []
    for pattern, value in stated.items():
        if isinstance(value, dict):
            rules.append(Rule(pattern, _entries(value, f'permissions."{pattern}"')))
    return Rules(tuple(rules))


def _entries(stated: Mapping[str, Any], section: str) -> Permissions:
    for kind, entries in stated.items():
        if kind not in KINDS:
            raise ValueError(f"[{section}] has no {kind!r}. {did_you_mean(kind, KINDS)}".rstrip())
        if not isinstance(entries, list) or not all(isinstance(one, str) and one for one in entries):
            raise ValueError(f"{kind} in [{section}] is a list of texts")
    return Permissions(**{kind: tuple(entries) for kind, entries in stated.items()})


def read_allowance(text: str) -> Rule:
    """Give the rule of one `--allow [PATTERN:]KIND=VALUE`.

    Raises: ValueError, in words for the operator.
    """
    head, equals, value = text.partition("=")
    pattern, colon, kind = head.rpartition(":")
    if not equals or not value or (colon and not pattern):
        raise ValueError(f"{text!r} is no permission; write KIND=VALUE, as in net=api.example.com")
    if kind not in KINDS:
        raise ValueError(f"there is no permission {kind!r}; the kinds are {', '.join(KINDS)}")
    return Rule(pattern or EVERYTHING, Permissions(**{kind: (value,)}))


@dataclass(frozen=True)
class Grant:
    """What one tool was granted: what it asks for, as far as the operator allows it.

    Relative paths of either side start from *folder*, that of the tool's definition.
    """

    tool: str
    asked: Permissions = Permissions()
    allowed: Permissions = Permissions()
    folder: Path = field(default_factory=Path)
    form: Form = "nothing"

    def has(self, kind: str, value: str, matches: Matches = by_pattern) -> bool:
        """Say whether *value* is granted; *matches* says how entries of this kind cover values."""
        return self._covers(self.asked, kind, value, matches) and self._covers(self.allowed, kind, value, matches)

    def check(self, kind: str, value: str, line: str, matches: Matches = by_pattern) -> None:
        """Raise Fault `permission_denied` unless *value* is granted; *line* is the entry that would grant it."""
        if not self.has(kind, value, matches):
            raise self.refusal(kind, value, line, matches)

    def refusal(self, kind: str, value: str, line: str, matches: Matches = by_pattern) -> Fault:
        """Say that *value* is not granted, who can change that, and with which line."""
        reasons, hints, lines = [], [], {}
        if not self._covers(self.asked, kind, value, matches):
            reasons.append("its definition does not ask for that")
            lines["grant"] = self._author_line(kind, line)
            hints.append(f"The author adds to the definition: {lines['grant']}")
        if not self._covers(self.allowed, kind, value, matches):
            reasons.append("the operator does not allow it")
            lines["allow"] = f"--allow {kind}={line}"
            stated = f'permissions."{self.tool}".{kind} = {json.dumps([line], ensure_ascii=False)}'
            hints.append(f"The operator starts scriptool with {lines['allow']}, or writes to scriptool.toml: {stated}")
        message = f"{self.tool} may not {_DEEDS[kind]} {value!r}: {' and '.join(reasons)}."
        told = {"tool": self.tool, "permission": kind, "value": value, **lines}
        return Fault("permission_denied", message, hint=" ".join(hints), **told)

    def standing(self) -> Iterator[tuple[str, str, bool]]:
        """Give each entry asked for with its kind and whether the operator allows the whole of it."""
        for kind, entry in self.asked.items():
            covers = self._covers_path if kind in ("read", "write") else fnmatchcase
            yield kind, entry, any(covers(entry, one) for one in self.allowed.of(kind))

    def absolute(self, path: str) -> str:
        """Give *path* as seen from the definition, without `.` and `..`."""
        return os.path.normpath(os.path.join(self.folder, path))

    def _covers_path(self, path: str, entry: str) -> bool:
        full, base = self.absolute(path), self.absolute(entry)
        return entry == EVERYTHING or full == base or _is_inside(full, base)

    @staticmethod
    def _covers(permissions: Permissions, kind: str, value: str, matches: Matches) -> bool:
        return any(matches(entry, value) for entry in permissions.of(kind))

    def _author_line(self, kind: str, line: str) -> str:
        """Give the line of the definition as it should be, with what it asks for already."""
        wanted = (self.asked | Permissions(**{kind: (line,)})).to_json()
        if self.form == "definition":
            return f'"permissions": {json.dumps(wanted, ensure_ascii=False)}'
        pairs = (f"{name} = {json.dumps(entries, ensure_ascii=False)}" for name, entries in wanted.items())
        stated = f"# permissions = {{{', '.join(pairs)}}}"
        return stated if self.form == "block" else f"# /// tool\n{stated}\n# ///"


def problems_of(asked: Permissions, folder: Path, roots: Iterable[Path]) -> Iterator[dict[str, str]]:
    """Give what may not be asked for at all, with its JSON pointer: addresses for hosts, writing where tools lie."""
    for index, entry in enumerate(asked.net):
        if "/" in entry:
            hint = "Write the host alone, as in api.example.com, or with its port."
            yield {"path": f"/permissions/net/{index}", "message": f"{entry!r} is not a host", "hint": hint}
    places = list(roots)
    for index, entry in enumerate(asked.write):
        reached = tool_place(os.path.normpath(folder / entry), places, whole=True)
        if reached is not None:
            message = f"{entry!r} covers {reached}, and no tool may write tools"
            hint = "Write to a folder that is not searched, such as out/."
            yield {"path": f"/permissions/write/{index}", "message": message, "hint": hint}


def tool_place(path: str, roots: Iterable[Path], *, whole: bool = False) -> str | None:
    """Say in words where among the searched folders *path* (absolute) lies, or None where no tool can come of it.

    *whole*: it stands for a folder and everything in it.
    """
    for root in map(str, roots):
        if path == root or (whole and _is_inside(root, path)):
            return "a searched folder"
        if _is_inside(path, root):
            parts = os.path.relpath(path, root).split(os.sep)
            folders = parts if whole else parts[:-1]
            if "lib" in folders:
                return "lib/"
            if not any(part in NEVER_SEARCHED or part.startswith((".", "_")) for part in folders):
                return "a searched folder"
    return None


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)
