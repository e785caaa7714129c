"""Annotations as data: what a type expression says, as JSON, without evaluating it."""

import ast
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

MAX_DEPTH = 20
"""How deep an annotation is read; what lies deeper is told as its source text."""

MAX_PARTS = 2000
"""How many parts of annotations are read in one file; a type alias could otherwise unfold without end."""

_TYPING = ("typing.", "typing_extensions.", "builtins.")
_PLAIN_CONSTANTS = (str, int, float, bool, type(None))


class Annotations:
    """Reads the annotations of one file, whose imports bind *aliases* (name to dotted name)."""

    def __init__(
        self,
        aliases: Mapping[str, str],
        lines: Sequence[str],
        type_aliases: Mapping[str, ast.expr] = MappingProxyType({}),
    ) -> None:
        self._aliases = aliases
        self._lines = lines
        self._shown = lines
        """The lines that places count in: the file's, or those of an annotation written as a string."""
        self._type_aliases = type_aliases
        self._expanding: set[str] = set()
        self._left = MAX_PARTS

    def read(self, node: ast.expr | None) -> Any:
        """Give the annotation *node* as data; None if there is none."""
        return None if node is None else self._read(node, 0)

    def _read(self, node: ast.expr, depth: int) -> Any:
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            return {"source": self.source(node)}
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self._read_text(node, node.value, depth)
            return {"value": node.value} if type(node.value) in _PLAIN_CONSTANTS else {"source": self.source(node)}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return {"union": [self._read(member, depth + 1) for member in _union(node)]}
        if isinstance(node, ast.Subscript):
            return self._subscript(node, depth)
        name = dotted_name(node, self._aliases)
        if name is not None and name in self._type_aliases and name not in self._expanding:
            return self._expand(name, depth)
        return {"name": name} if name else {"source": self.source(node)}

    def _expand(self, name: str, depth: int) -> Any:
        """Read what the type alias *name* stands for; inside itself it stays a name."""
        self._expanding.add(name)
        shown, self._shown = self._shown, self._lines
        read = self._read(self._type_aliases[name], depth + 1)
        self._shown = shown
        self._expanding.discard(name)
        return read

    def _read_text(self, node: ast.expr, text: str, depth: int) -> Any:
        """Read a forward reference: an annotation written as a string."""
        try:
            inner = ast.parse(text.strip(), mode="eval").body if len(text) <= 1000 else node
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {"source": text}
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            return {"source": text}
        shown, self._shown = self._shown, text.strip().split("\n")
        read = self._read(inner, depth + 1)
        self._shown = shown
        return read

    def _subscript(self, node: ast.Subscript, depth: int) -> Any:
        name = dotted_name(node.value, self._aliases)
        if name is None:
            return {"source": self.source(node)}
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            return {"name": name, "args": [self._value(one) for one in arguments]}
        if name == "Annotated" and arguments:
            return {
                "name": name,
                "args": [self._read(arguments[0], depth + 1), *[self._value(one) for one in arguments[1:]]],
            }
        return {"name": name, "args": [self._argument(one, depth + 1) for one in arguments]}

    def _argument(self, node: ast.expr, depth: int) -> Any:
        """Read one type argument; Callable[[int, str], bool] has a list of them, and tuple[int, ...] an ellipsis."""
        if isinstance(node, ast.Constant) and node.value is Ellipsis:
            return {"source": "..."}
        return self._read(node, depth)

    def _value(self, node: ast.expr) -> Any:
        """Read what stands for itself, in Literal and Annotated."""
        found, value = literal(node)
        return {"value": value} if found else {"source": self.source(node)}

    def default(self, node: ast.expr) -> dict[str, Any]:
        """Give a default as `{"value": JSON}` if it is a literal, else as `{"source": text}`."""
        found, value = literal(node)
        return {"value": value} if found else {"source": self.source(node)}

    def column(self, node: ast.arg) -> int:
        """Give the column of *node* in characters, from 1."""
        line = self._lines[node.lineno - 1].encode("utf-8", "surrogatepass")
        return len(line[: node.col_offset].decode("utf-8", "replace")) + 1

    def source(self, node: ast.expr) -> str:
        """Give the text of *node*, on one line."""
        first, last = node.lineno, node.end_lineno or node.lineno
        lines = [line.encode("utf-8", "surrogatepass") for line in self._shown[first - 1 : last]]
        if not lines:
            return ""
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return " ".join(line.decode("utf-8", "replace").strip() for line in lines)[:1000]


def literal(node: ast.expr) -> tuple[bool, Any]:
    """Give (True, value) if *node* is a JSON literal, with no call and no name, else (False, None)."""
    try:
        return True, _literal(node, 0)
    except ValueError:
        return False, None


def _literal(node: ast.expr, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("too deep")
    if isinstance(node, ast.Constant) and type(node.value) in _PLAIN_CONSTANTS:
        return _finite(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        operand = _literal(node.operand, depth + 1)
        if type(operand) in (int, float):
            return -operand if isinstance(node.op, ast.USub) else operand
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(one, depth + 1) for one in node.elts]
    if isinstance(node, ast.Dict):
        keys = [_literal(key, depth + 1) if key is not None else None for key in node.keys]
        if all(type(key) is str for key in keys):
            return dict(zip(keys, [_literal(value, depth + 1) for value in node.values], strict=True))
    raise ValueError("not a literal")


def _finite(value: Any) -> Any:
    is_number = type(value) is float
    if is_number and (value != value or value in (float("inf"), float("-inf"))):
        raise ValueError("not JSON")
    if type(value) is int and value.bit_length() > 14_000:
        raise ValueError("longer than an integer may be in JSON")
    if type(value) is str and not value.isascii():
        value.encode()  # a lone surrogate is no JSON; UnicodeEncodeError is a ValueError
    return value


def dotted_name(node: ast.expr, aliases: Mapping[str, str]) -> str | None:
    """Give the dotted name of *node* with import aliases resolved and `typing.` dropped; None if it is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < MAX_DEPTH:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    name = ".".join([aliases.get(node.id, node.id), *reversed(parts)])
    for prefix in _TYPING:
        name = name.removeprefix(prefix)
    return name


def last_name(node: ast.expr, aliases: Mapping[str, str]) -> str:
    """Give the last part of the name an annotation starts with: `ClassVar` for `t.ClassVar[int]`, or for its text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value.partition("[")[0].strip()
        return aliases.get(text, text).rpartition(".")[2]
    if isinstance(node, ast.Subscript):
        node = node.value
    return (dotted_name(node, aliases) or "").rpartition(".")[2]


def _union(node: ast.expr) -> list[ast.expr]:
    """Give the members of `a | b | c`, in order, however long the chain."""
    members: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        members.append(node.right)
        node = node.left
    return [node, *reversed(members)]
