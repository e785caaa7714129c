"""Docstring: what one says of a function and of each parameter, in the styles of Google, NumPy and Sphinx.

Each line is looked at once: whoever writes a docstring shall not decide how long the server reads it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

_PARAMETERS: Final = frozenset(
    ("args", "arguments", "params", "parameters", "keyword args", "keyword arguments", "other parameters")
)
_OTHERS: Final = frozenset(
    [
        "attributes",
        "example",
        "examples",
        "except",
        "exceptions",
        "raises",
        "receives",
        "return",
        "returns",
        "warns",
        "yield",
        "yields",
    ]
)
_UNDERLINED: Final = frozenset(("notes", "references", "see also", "warnings"))
"""Titles that only an underline makes a section: with a colon they are a remark in the description."""

_NAME: Final = re.compile(r"\*{0,2}([^\W\d]\w*)")
_PARAMETER_FIELDS: Final = frozenset(("param", "parameter", "arg", "argument", "key", "keyword"))


class Docstring(NamedTuple):
    """A *description*, and what is *told* of parameters by their names."""

    description: str
    told: dict[str, str]


def read_docstring(text: str) -> Docstring:
    """Give what a docstring says; all before its first section is the description."""
    lines = text.expandtabs(4).splitlines()
    for style in (_numpy, _sphinx, _google):
        end, told = style(lines)
        if end < len(lines):
            return Docstring("\n".join(lines[:end]).strip(), {name: " ".join(said.split()) for name, said in told})
    return Docstring(text.strip(), {})


Found = tuple[int, list[tuple[str, str]]]
"""The line where the first section begins, or how many lines there are; the parameters with what is said of them."""


def _sections(lines: Sequence[str], heads: dict[int, str], skipped: int) -> Iterator[Sequence[str]]:
    """Give the lines of each section that is about parameters, without the *skipped* lines of its head."""
    starts = sorted(heads)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        if heads[start] in _PARAMETERS:
            yield lines[start + skipped : end]


def _numpy(lines: Sequence[str]) -> Found:
    heads = {
        number: title
        for number, line in enumerate(lines[:-1])
        if (title := line.strip().lower()) in _PARAMETERS | _OTHERS | _UNDERLINED
        and set(lines[number + 1].strip()) == {"-"}
    }
    told: list[tuple[str, str]] = []
    for section in _sections(lines, heads, 2):
        names: list[str] = []
        said: list[str] = []
        for line in [*section, "end"]:
            if line.strip() and not line.startswith(" "):
                told += [(name, "\n".join(said)) for name in names]
                names = [found[1] for one in line.partition(":")[0].split(",") if (found := _NAME.match(one.strip()))]
                said = []
            else:
                said.append(line)
    return min(heads, default=len(lines)), told


def _sphinx(lines: Sequence[str]) -> Found:
    first = len(lines)
    told: list[tuple[str, str]] = []
    name, said = "", list[str]()
    for number, line in enumerate([*lines, ":type end:"]):
        field = _field(line)
        if field is None:
            said.append(line)
            continue
        first = min(first, number)
        if name:
            told.append((name, "\n".join(said)))
        name, rest = field
        said = [rest]
    return first, told


def _field(line: str) -> tuple[str, str] | None:
    """Read `:param int name: text` or `@param name: text`: the name, empty for other fields, and the text."""
    if not line.startswith((":", "@")):
        return None
    head, colon, rest = line[1:].partition(":")
    words = head.split()
    if not colon or not words or not words[0].isidentifier() or rest.startswith("`") or "`" in head:
        return None  # a role of Sphinx, as in :meth:`name`, is text
    found = _NAME.match(words[-1]) if words[0] in _PARAMETER_FIELDS and len(words) > 1 else None
    return found[1] if found is not None else "", rest


def _google(lines: Sequence[str]) -> Found:
    heads = {
        number: title
        for number, line in enumerate(lines[:-1])
        if line.rstrip().endswith(":")
        and (title := line.rstrip()[:-1].lower()) in _PARAMETERS | _OTHERS
        and (not lines[number + 1].strip() or lines[number + 1].startswith(" "))
    }
    told: list[tuple[str, str]] = []
    for section in _sections(lines, heads, 1):
        told += _items(section)
    return min(heads, default=len(lines)), told


def _items(section: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give the parameters of a section in the style of Google; deeper lines belong to the one above."""
    block = list(takewhile(lambda line: not line.strip() or line.startswith(" "), section))
    indent = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    name, said = "", list[str]()
    for line in block:
        item = _item(line[indent:]) if line.strip() and not line[indent : indent + 1].isspace() else None
        if item is None:
            said.append(line)
            continue
        if name:
            yield name, "\n".join(said)
        name, rest = item
        said = [rest]
    if name:
        yield name, "\n".join(said)


def _item(line: str) -> tuple[str, str] | None:
    """Read `name: text` or `name (type): text`."""
    found = _NAME.match(line)
    if found is None:
        return None
    rest = line[found.end() :].lstrip()
    if rest.startswith("("):
        rest = rest[_closing(rest) + 1 :].lstrip()
    return (found[1], rest[1:]) if rest.startswith(":") else None


def _closing(text: str) -> int:
    """Give where the bracket closes that *text* begins with, or its end."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place
    return len(text)
