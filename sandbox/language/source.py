"""Source: the bytes of a script become text and a syntax tree, or diagnostics in CPython's own words."""

import ast
import codecs
import io
import re
import tokenize
import warnings
from typing import NoReturn

from sandbox.language.diagnostic import Diagnostics
from sandbox.limits import MAX_BRACKETS, MAX_TREE

_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")

_WIDE_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_SYNTAX_HINTS = (
    ("Missing parentheses in call to 'print'", "This is Python 2; in Python 3 write print(...) with parentheses."),
    ("Missing parentheses in call to 'exec'", "exec is not available; write the statements out."),
    ("invalid character '\u201c'", "Typographic quotes come from a web page or chat; write plain quotes: \" or '."),
    ("invalid character '\u201d'", "Typographic quotes come from a web page or chat; write plain quotes: \" or '."),
    ("invalid character '\u2018'", "Typographic quotes come from a web page or chat; write plain quotes: \" or '."),
    ("invalid character '\u2019'", "Typographic quotes come from a web page or chat; write plain quotes: \" or '."),
    ("invalid character", "Replace it with the plain ASCII character, or put it into a string."),
    ("invalid non-printable character", "An invisible character was pasted in; delete it and type a plain space."),
    ("inconsistent use of tabs and spaces", "Tabs and spaces are mixed; indent every line with spaces."),
    ("unindent does not match", "Indent this line like the line that opened its block."),
    ("unexpected indent", "Remove the blanks at the start of the line, or open a block with `:` before it."),
    ("expected an indented block", "Indent the body of the block, or write `pass`."),
    ("expected ':'", "End the line with a colon."),
    ("was never closed", "Add the closing bracket."),
    ("unterminated", "Close the string with the quotes it was opened with."),
    ("multiple exception types must be parenthesized", "Write `except (A, B):`, or `except A as error:`."),
    ("cannot assign to", "Use == to compare."),
    ("invalid decimal literal", "A name cannot start with a digit."),
    ("leading zeros", "Write the number without leading zeros, or 0o... for octal."),
    ("'return' outside function", "Only functions return, and a tool's own file outside functions and classes."),
    ("'await' outside", "Put it into an `async def`."),
    ("'yield' outside", "Put it into a function, or collect the values in a list and return it."),
)


def decode(source: bytes) -> str:
    """Give the text of *source* with line ends as `\\n` and without a byte order mark; refuse what is not text."""
    if source.startswith(_WIDE_MARKS):
        _refuse_encoding(source, "The file is UTF-16 or UTF-32, which Python does not read.", (1, 1))
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError as error:
        _refuse_undetected(source, str(error))
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError as error:
        _refuse_byte(source, error)
    except (LookupError, ValueError, TypeError) as error:
        _refuse_encoding(source, f"The file cannot be read as {encoding}: {error}.", (1, 1))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    zero = text.find("\0")
    if zero >= 0:
        wide = " The file looks like UTF-16." if source[1:2] == b"\0" or source[:1] == b"\0" else ""
        _refuse_encoding(source, f"The file holds a NUL character.{wide}", _place(text[:zero]))
    return text


def parse(text: str, diagnostics: Diagnostics) -> ast.Module:
    """Give the syntax tree of *text*; refuse what CPython's parser does, and nests it cannot bear."""
    _check_brackets(text, diagnostics)
    _check_dotted_names(text, diagnostics)
    diagnostics.raise_refusals()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tree = ast.parse(text, "<script>")
    except SyntaxError as error:
        add_syntax_error(error, diagnostics)
    except (RecursionError, MemoryError):
        diagnostics.add_at("too-deep", "The text is nested too deeply to be parsed.", (1, 1))
    except ValueError as error:
        diagnostics.add_at("encoding", f"The text cannot be parsed: {error}.", (1, 1))
    diagnostics.raise_refusals()
    add_python_warnings(caught, diagnostics)
    return tree


def add_syntax_error(error: SyntaxError, diagnostics: Diagnostics, *, in_bytes: bool = False) -> None:
    """Note CPython's own *error*; *in_bytes* where it counts columns in bytes, as its compiler does."""
    line, column = error.lineno or 1, max(error.offset or 1, 1)
    end_line, end_column = error.end_lineno or line, error.end_offset or 0
    if in_bytes:
        column = diagnostics.character(line, column - 1)
        end_column = diagnostics.character(end_line, end_column - 1) if end_column > 0 else 0
    if not in_bytes and error.text:
        shift = _shift_in_f_string(error, diagnostics.text(line))
        column, end_column = column + shift, end_column + shift
    end = (end_line, end_column) if end_column > 0 and end_line >= line else None
    message = error.msg or "invalid syntax"
    hint = next((hint for start, hint in _SYNTAX_HINTS if start in message), "")
    diagnostics.add_at("syntax", message, (line, column), end, hint)


def _shift_in_f_string(error: SyntaxError, line: str) -> int:
    """Give how far the place is off: in f-strings, Python 3.11 counts columns in a text of its own, `(expression)`."""
    text = (error.text or "").rstrip("\n")
    if not (error.msg.startswith("f-string: ") and text[:1] == "(" and text[-1:] == ")") or text == line:
        return 0
    return max(line.find(text[1:-1]) - 1, 0)


def add_python_warnings(caught: list[warnings.WarningMessage], diagnostics: Diagnostics) -> None:
    """Note what CPython warned of."""
    for warning in caught:
        diagnostics.add_at("python-warning", str(warning.message), (warning.lineno, 1))


def _check_brackets(text: str, diagnostics: Diagnostics) -> None:
    """Refuse deep nests before the parser sees them; its own stack is what they overflow."""
    if text.count("(") + text.count("[") + text.count("{") <= MAX_BRACKETS:
        return
    if not _may_be_deep(text):
        return
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP:
                depth += (token.string in _OPENING) - (token.string in _CLOSING)
            if depth > MAX_BRACKETS:
                line, column = token.start
                message = f"Brackets are nested more than {MAX_BRACKETS} deep."
                diagnostics.add_at("too-deep", message, (line, column + 1))
                return
    except (tokenize.TokenError, SyntaxError) as error:
        if "too many nested" in str(error):
            diagnostics.add_at("too-deep", f"Brackets are nested more than {MAX_BRACKETS} deep.", (1, 1))
        # anything else is the parser's to report, with its own place and words


_LONG_NAME = re.compile(rf"\b\w++(?:[ \t\f\\\n]*+\.[ \t\f\\\n]*+\w++){{{MAX_TREE}}}")


def _check_dotted_names(text: str, diagnostics: Diagnostics) -> None:
    """Refuse long dotted names: of one in an import, CPython's parser makes every beginning, which takes minutes."""
    if text.count(".") < MAX_TREE or not _LONG_NAME.search(text):
        return
    parts, start, before = 0, (1, 0), ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                parts, start = (parts + 1, start) if before == "." else (1, token.start)
            before = token.string
            if parts > MAX_TREE:
                message = f"A dotted name has more than {MAX_TREE} parts."
                diagnostics.add_at("too-deep", message, (start[0], start[1] + 1), (token.end[0], token.end[1] + 1))
                return
    except (tokenize.TokenError, SyntaxError):
        return  # the parser's to report, with its own place and words


_PIECE = re.compile(
    r"""#[^\n]*|\"""(?:[^"\\]|\\.|"(?!""))*\"""|'''(?:[^'\\]|\\.|'(?!''))*'''"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[(\[{]+|[)\]}]+""",
    re.DOTALL,
)


def _may_be_deep(text: str) -> bool:
    """Count brackets by a pattern, 20 times faster than the tokenizer; wrong only in f-strings that reuse quotes."""
    depth = 0
    for piece in _PIECE.finditer(text):
        first = text[piece.start()]
        if first in _OPENING:
            depth += piece.end() - piece.start()
            if depth > MAX_BRACKETS:
                return True
        elif first in _CLOSING:
            depth = max(depth - (piece.end() - piece.start()), 0)
    return False


def _refuse_undetected(source: bytes, message: str) -> NoReturn:
    """Refuse text whose first two lines tell no encoding that can be used, at the byte if there is one."""
    if not message.startswith(("unknown encoding", "encoding problem")):
        try:
            source.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            _refuse_byte(source, error)
    _refuse_encoding(source, f"{message[:1].upper()}{message[1:]}.", (1, 1))


def _refuse_byte(source: bytes, error: UnicodeDecodeError) -> NoReturn:
    place = _place(error.object[: error.start].decode(error.encoding, "replace"))
    byte = error.object[error.start]
    hint = "Save the file as UTF-8, or name its encoding in the first line: # coding: latin-1"
    _refuse_encoding(source, f"The byte 0x{byte:02x} is not {error.encoding} text: {error.reason}.", place, hint)


def _place(before: str) -> tuple[int, int]:
    before = before.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _refuse_encoding(source: bytes, message: str, place: tuple[int, int], hint: str = "") -> NoReturn:
    shown = source.decode("utf-8-sig", "replace").replace("\0", "\ufffd").replace("\r\n", "\n").replace("\r", "\n")
    diagnostics = Diagnostics(shown.split("\n"))
    diagnostics.add_at("encoding", message, place, hint=hint)
    raise diagnostics.refusal()
