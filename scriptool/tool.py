"""Tool: one thing a caller can ask for, as it is listed, and what it takes to be called."""

import hashlib
import re
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sandbox import Fault, Limits
from scriptool.call import Context
from scriptool.fields import Check
from scriptool.permission import Form, Permissions
from scriptool.schema import OPEN, Schema

SWITCHES: Final = ("confirm", "dry_run")
"""What every destructive tool takes beside its own arguments."""

SWITCHES_SCHEMA: Final[Mapping[str, Any]] = {
    "confirm": {"type": "boolean", "description": "true to really do it", "default": False},
    "dry_run": {"type": "boolean", "description": "true to only check what would be done", "default": False},
}

DRY_RUN: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"dry_run": {"const": True}, "tool": {"type": "string"}, "would_execute": {"type": "boolean"}},
    "required": ["dry_run", "tool", "would_execute"],
}
"""What a dry run of any destructive tool gives, at least."""

_MAX_NAME: Final = 64

Run = Callable[[dict[str, Any], Context], Awaitable[Any]]
"""Runs a tool with checked arguments and gives its value (JSON). Raises Fault for every failure foreseen."""


@dataclass(frozen=True)
class Tool:
    """A tool as it stands in a catalog. Immutable.

    *source* is `script`, `probe`, `sequence` or `builtin`; *file* is relative to its tools folder. *problems* are the
    load and compile faults known of it; *blocked* is the one that a call answers with, if any. While *checking*, the
    text has not been compiled yet and the schema is open. What is not *sandboxed* runs in an application, among its
    objects. *permissions* are what it asks for, in a definition of *form*. A built-in tool *changes* something here.
    """

    name: str
    description: str
    source: str
    input: Schema = field(default_factory=lambda: Schema(OPEN))
    output: Schema | None = None
    output_written: bool = False
    file: str | None = None
    title: str | None = None
    group: str = "code"
    tags: tuple[str, ...] = ()
    examples: tuple[Mapping[str, Any], ...] = ()
    tests: tuple[Check, ...] = ()
    aliases: tuple[str, ...] = ()
    main_thread: bool = False
    sandboxed: bool = True
    idempotent: bool = False
    changes: bool = False
    destructive: bool = False
    always_load: bool = False
    max_result_chars: int = 0
    limits: Limits = field(default_factory=Limits)
    permissions: Permissions = Permissions()
    form: Form = "nothing"
    warnings: tuple[str, ...] = ()
    problems: tuple[Fault, ...] = ()
    blocked: Fault | None = None
    checking: bool = False

    @property
    def promise(self) -> Schema | None:
        """Give the schema that every value of this tool fits, a dry run's too; None where nothing is certain.

        What was read from a return annotation is no promise: a result that differs is only warned of.
        """
        if self.output is None or not self.output_written:
            return None
        if not self.destructive:
            return self.output
        document = self.output.document
        shared = {key: document[key] for key in ("$defs", "definitions") if key in document}
        own = {key: value for key, value in document.items() if key not in shared}
        return Schema({"anyOf": [own, DRY_RUN], **shared})

    def listing(self) -> dict[str, Any]:
        """Give what a list of tools shows of this one."""
        shown: dict[str, Any] = {"name": self.name, "description": self.description, "source": self.source}
        shown |= {"group": self.group, "inputSchema": dict(self.input.document)}
        optional = {"title": self.title, "tags": list(self.tags), "examples": [dict(one) for one in self.examples]}
        shown |= {key: value for key, value in optional.items() if value}
        if self.output is not None:
            shown["outputSchema"] = dict(self.output.document)
        if self.file is not None:
            shown["file"] = self.file
        shown["annotations"] = self.annotations()
        if self.permissions:
            shown["permissions"] = self.permissions.to_json()
        if self.blocked is not None:
            shown["error"] = self.blocked.to_json()
        if self.checking:
            shown["checking"] = True
        if self.meta():
            shown["_meta"] = self.meta()
        return shown

    def annotations(self) -> dict[str, bool]:
        """Give the MCP hints: a sandboxed script that asks for nothing changes nothing and reaches nothing."""
        closed = self.source in ("script", "builtin", "probe") and self.sandboxed
        closed = closed and not self.destructive and not self.permissions
        hints = {
            "readOnlyHint": closed and not self.changes,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
        }
        return hints | {"openWorldHint": not closed}

    def meta(self) -> dict[str, Any]:
        """Give what is published under `_meta`."""
        meta: dict[str, Any] = {"anthropic/alwaysLoad": True} if self.always_load else {}
        return meta | ({"anthropic/maxResultSizeChars": self.max_result_chars} if self.max_result_chars else {})


@dataclass(frozen=True)
class Loaded:
    """A tool by the text of this call: what to check arguments against, how to run it, how to show a dry run of it.

    *folder* is where the relative paths of its permissions start.
    """

    tool: Tool
    run: Run
    digest: str | None = None
    rehearse: Run | None = None
    folder: Path = field(default_factory=Path)


def name_of(stem: str) -> str:
    """Make a tool name of a file's stem: `Send Mail` gives `send_mail`.

    The stem is composed (NFC) and lowered; runs of other characters than `a-z 0-9 _` become `_`; a name that then does
    not start with a letter gets `t_`; one that is too long, or has nothing left, ends in 8 hex digits of its SHA-256.
    """
    composed = unicodedata.normalize("NFC", stem)
    mark = hashlib.sha256(composed.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = re.sub(r"[^a-z0-9_]+", "_", composed.lower())
    if not name.strip("_"):
        return f"t_{mark}"
    if not name[0].isalpha():
        name = f"t_{name}"
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 9]}_{mark}"


def words_of(stem: str) -> str:
    """Give a stem as words, for a tool without a description."""
    return " ".join(re.sub(r"[_\W]+", " ", unicodedata.normalize("NFC", stem)).split()) or stem
