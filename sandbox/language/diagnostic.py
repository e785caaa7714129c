"""Diagnostics: what is wrong with a text, where exactly, and what to write instead."""

import ast
import re
from collections.abc import Sequence
from typing import Any

from sandbox.language.rules import RULES, WARNING_RULES

MAX_DIAGNOSTICS = 200
"""How many refusals of one file are told; a file with more is told of these first."""

MAX_SOURCE_CHARACTERS = 1000
"""How much of a source line an excerpt shows."""


MAX_MESSAGE_CHARACTERS = 500
"""How much of a message is told; names in it may be as long as the file."""


class Refused(Exception):
    """The text is not a script under the policy; *diagnostics* say why, in the order of the text."""

    def __init__(self, diagnostics: Sequence[dict[str, Any]]) -> None:
        super().__init__(diagnostics[0]["message"])
        self.diagnostics = list(diagnostics)


class Diagnostics:
    """Collects the refusals and warnings of one text whose lines are *lines*."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._refusals: list[dict[str, Any]] = []
        self._warnings: list[dict[str, Any]] = []

    def add(self, rule: str, node: ast.AST, message: str, hint: str = "", *, name: str = "") -> None:
        """Note that *node* breaks *rule*, at the *name* in it if one is given; without a *hint* the rule's is told."""
        start, end = self._place(node, name)
        self.add_at(rule, message, start, end, hint)

    def _place(self, node: ast.AST, name: str) -> tuple[tuple[int, int], tuple[int, int]]:
        line, byte = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line, end_byte = getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or 0
        start, end = self.character(line, byte), self.character(end_line, end_byte)
        if isinstance(node, ast.Attribute):
            if self.text(end_line)[: end - 1].endswith(node.attr):
                return (end_line, end - len(node.attr)), (end_line, end)
        elif name:
            found = re.compile(rf"\b{re.escape(name)}\b").search(self.text(line), start - 1)
            if found:
                return (line, found.start() + 1), (line, found.end() + 1)
        return (line, start), (end_line, end)

    def add_at(
        self, rule: str, message: str, start: tuple[int, int], end: tuple[int, int] | None = None, hint: str = ""
    ) -> None:
        """Note that the text from *start* to *end*, both (line, column) from 1, breaks *rule*."""
        line = min(max(start[0], 1), max(len(self.lines), 1))
        column = start[1] if line == start[0] else len(self.lines[line - 1]) + 1 if self.lines else 1
        column = max(column, 1)
        end_line, end_column = end or (line, column + 1)
        if (end_line, end_column) <= (line, column):
            end_line, end_column = line, column + 1
        diagnostic = {
            "rule": rule,
            "severity": "warning" if rule in WARNING_RULES else "error",
            "message": message if len(message) <= MAX_MESSAGE_CHARACTERS else f"{message[:MAX_MESSAGE_CHARACTERS]}...",
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
            "source": self.lines[line - 1][:MAX_SOURCE_CHARACTERS] if self.lines else "",
            "hint": hint or RULES[rule].hint,
        }
        kept = self._warnings if rule in WARNING_RULES else self._refusals
        if diagnostic not in kept[-4:]:
            kept.append(diagnostic)

    def text(self, line: int) -> str:
        """Give the text of a *line*, counted from 1."""
        return self.lines[line - 1] if 1 <= line <= len(self.lines) else ""

    def character(self, line: int, byte: int) -> int:
        """Turn the *byte* offset CPython counts in UTF-8 into a column in characters, from 1."""
        text = self.text(line)
        return (
            byte + 1
            if text.isascii()
            else len(text.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "replace")) + 1
        )

    @property
    def refused(self) -> bool:
        """Whether anything so far refuses the text."""
        return bool(self._refusals)

    @property
    def full(self) -> bool:
        """Whether there are more than are ever told, of refusals or of warnings."""
        return max(len(self._refusals), len(self._warnings)) > MAX_DIAGNOSTICS

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """The warnings so far, in the order of the text."""
        return _in_order(self._warnings)

    def refusal(self) -> Refused:
        """Give the exception that tells all refusals so far; there must be one."""
        return Refused(_in_order(self._refusals))

    def raise_refusals(self) -> None:
        """Raise Refused if anything was refused."""
        if self._refusals:
            raise self.refusal()


def _in_order(diagnostics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(diagnostics, key=lambda one: (one["line"], one["column"]))[:MAX_DIAGNOSTICS]
