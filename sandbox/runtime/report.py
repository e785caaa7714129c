"""An exception of a script as error JSON and as traceback text: the script's own frames, nothing of ours."""

import functools
import itertools
import os
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.errors import Fault
from sandbox.language.rules import FOREIGN_NAMES, REFUSED_BUILTINS
from sandbox.limits import Limits
from sandbox.runtime.cut import cut
from sandbox.runtime.failures import CallFailed, PermissionDenied, ToolError
from sandbox.values import dumps, to_json

MAX_FRAMES = 40
"""Of a deeper stack the outermost and the innermost half are told."""

MAX_CHAIN = 8
"""How many causes, and how many members of an exception group, are told."""

MAX_TEXT = 4000
"""Longest message, note or source line, in characters."""

_traceback_of = vars(BaseException)["__traceback__"].__get__
_cause_of = vars(BaseException)["__cause__"].__get__
_context_of = vars(BaseException)["__context__"].__get__
_class_name_of = vars(type)["__name__"].__get__
_members_of = vars(BaseExceptionGroup)["exceptions"].__get__
_suppresses_context = vars(BaseException)["__suppress_context__"].__get__

MAX_TOLD = 1 << 18
"""From how many bytes on an error tells no source lines."""

LIBRARY = f"{os.path.dirname(os.__file__)}/"
"""Where the standard library lies; asyncio tells it of its tasks."""

_LOST_ERRORS = ("without setting an exception", "without exception set", "with an exception set")
"""How SystemError reads when C code met the end of memory and did not say so."""


_NAMED = ("permission", "value", "tool", "allow", "grant")
"""What a refused permission says beside its words."""


@dataclass(frozen=True)
class Source:
    """One text of the script: the file it is *shown* as, and its *lines*."""

    shown: str
    lines: list[str]


class Report:
    """Tells of exceptions. *sources* has the texts of the run by the `co_filename` of their code."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources

    def error(self, error: BaseException, limits: Limits) -> dict[str, Any]:
        """Give the error JSON of a call that ended in *error*, without source lines where they are too much."""
        told = self._told(error, limits)
        return told if len(dumps(told)) <= MAX_TOLD else _without_lines(told)

    def _told(self, error: BaseException, limits: Limits) -> dict[str, Any]:
        if _is_out_of_memory(error):
            told = self._failure(error, f"The script needed more than {limits.memory_mb} MB of memory")
            return {"code": "memory_limit", "limit": limits.memory_mb} | told
        if type(error) is CallFailed and _is_unconfirmed(error):
            told = self._failure(error, text_of(error))
            return {"code": "confirmation_required", "details": _details(error)} | told
        if issubclass(type(error), ToolError):
            return self._tool_error(error)
        if type(error) is Fault:
            return error.to_json() | self._place(error, error.message, error.hint)
        if type(error) is PermissionDenied:
            told = self._failure(error, text_of(error), _guarded_text(lambda: str(_read(error, "hint", ""))))
            return _named(_details(error)) | {"code": "permission_denied"} | told
        told = self._failure(error, summary(error), _hint(error))
        return {"code": "script_runtime_error", "type": name_of(error)} | told | self._surroundings(error)

    def traceback(self, error: BaseException, chain: bool = True) -> str:
        """Give the traceback of *error* as Python prints it, with the script's own frames only."""
        text = "".join(self._traceback_lines(error))
        if chain and (earlier := _earlier(error)) is not None:
            relation, before = earlier
            return f"{self.traceback(before)}\n{_RELATIONS[relation]}\n\n{text}"
        return text

    def frames(self, error: BaseException) -> list[dict[str, Any]]:
        """Give the script's frames of *error*, outermost first: `{file, line, column, function, source}`."""
        frames = [self._frame(trace) for trace in self._own_traces(error)]
        if len(frames) > MAX_FRAMES:
            half = MAX_FRAMES // 2
            return [*frames[:half], *frames[-half:]]
        return frames

    def _failure(self, error: BaseException, message: str, hint: str = "") -> dict[str, Any]:
        told = {"message": message}
        if hint:
            told["hint"] = hint
        return told | self._place(error, message, hint)

    def _place(self, error: BaseException, message: str, hint: str) -> dict[str, Any]:
        return {"frames": self.frames(error), "diagnostics": self._diagnostics(error, message, hint)}

    def _tool_error(self, error: Any) -> dict[str, Any]:
        return {"code": "tool_error", "message": text_of(error), "details": _details(error)}

    def _surroundings(self, error: BaseException) -> dict[str, Any]:
        told: dict[str, Any] = {}
        if notes := notes_of(error):
            told["notes"] = notes
        if chain := list(itertools.islice(_chain(error), MAX_CHAIN)):
            told["chain"] = [{"relation": relation} | self._brief(earlier) for relation, earlier in chain]
        if members := _members(error):
            told["exceptions"] = [self._brief(member) for member in members]
        return told

    def _brief(self, error: BaseException) -> dict[str, Any]:
        return {"type": name_of(error), "message": text_of(error), "frames": self.frames(error)}

    def _own_traces(self, error: BaseException) -> Iterator[types.TracebackType]:
        trace = _traceback_of(error)
        while trace is not None:
            if trace.tb_frame.f_code.co_filename in self._sources:
                yield trace
            trace = trace.tb_next

    def _frame(self, trace: types.TracebackType) -> dict[str, Any]:
        code = trace.tb_frame.f_code
        source = self._sources[code.co_filename]
        line, column, _, _ = _position(trace, source.lines)
        return {
            "file": source.shown,
            "line": line,
            "column": column,
            "function": _function(code),
            "source": _line(source.lines, line),
        }

    def _diagnostics(self, error: BaseException, message: str, hint: str) -> list[dict[str, Any]]:
        """The failing line, and those of the members of a group."""
        diagnostics = [self._diagnostic(error, message, hint)]
        diagnostics += [self._diagnostic(member, summary(member), _hint(member)) for member in _members(error)]
        return [diagnostic for diagnostic in diagnostics if diagnostic is not None]

    def _diagnostic(self, error: BaseException, message: str, hint: str) -> dict[str, Any] | None:
        traces = list(self._own_traces(error))
        if not traces:
            return None
        innermost = traces[-1]
        source = self._sources[innermost.tb_frame.f_code.co_filename]
        line, column, end_line, end_column = _position(innermost, source.lines)
        return {
            "file": source.shown,
            "rule": "runtime",
            "severity": "error",
            "message": message,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
            "source": _line(source.lines, line),
            "hint": hint,
        }

    def _traceback_lines(self, error: BaseException) -> Iterator[str]:
        frames = self.frames(error)
        if frames:
            yield "Traceback (most recent call last):\n"
        for frame in frames:
            yield f'  File "{frame["file"]}", line {frame["line"]}, in {frame["function"]}\n'
            if frame["source"].strip():
                yield f"    {frame['source'].strip()}\n"
        yield f"{summary(error)}\n"
        for note in notes_of(error):
            yield f"{note}\n"


def _without_lines(told: Any) -> Any:
    if type(told) is list:
        return [_without_lines(one) for one in told]
    if type(told) is dict:
        kept = {"details": told["details"]} if "details" in told else {}  # those are the script's
        return {name: "" if name == "source" else _without_lines(value) for name, value in told.items()} | kept
    return told


def _is_unconfirmed(error: CallFailed) -> bool:
    code = _read(error, "code", None)
    return type(code) is str and code == "confirmation_required"


def _details(error: Any) -> dict[str, Any]:
    """Give what was raised along, which the script may have put anything into, as JSON."""
    try:
        details = to_json(_read(error, "details", {}))
    except Fault as fault:
        return {"not_serializable": fault.message}
    except BaseException:  # what it holds may be told by the script's own code
        return {"not_serializable": "its details could not be read"}
    return details if type(details) is dict else {"details": details}


def _named(details: Mapping[str, Any]) -> dict[str, str]:
    """Give what a refusal names; a script may raise one itself, with anything."""
    return {name: details[name] for name in _NAMED if type(details.get(name)) is str}


def summary(error: BaseException) -> str:
    """Give `Type: message`, the last line of a traceback."""
    text = text_of(error)
    name = name_of(error)
    return f"{name}: {text}" if text else name


def name_of(error: BaseException) -> str:
    """Give the name of the class of *error*; a script may have set it to a text of a class of its own."""
    return str.__str__(_class_name_of(type(error)))


def text_of(error: BaseException) -> str:
    """Give the message of *error*; it may be the script's own code that makes it, so anything can happen."""
    return _guarded_text(functools.partial(str, error))


def notes_of(error: BaseException) -> list[str]:
    """Give the notes that `add_note` left on *error*."""
    notes = _read(error, "__notes__", None)
    if type(notes) is not list:
        return []
    return [_guarded_text(functools.partial(str, note)) for note in notes[:MAX_CHAIN]]


def _read(error: BaseException, name: str, default: Any) -> Any:
    """Read an attribute of *error*; the script may define how, and raise what would end more than itself."""
    try:
        return getattr(error, name, default)
    except BaseException:
        return default


def _members(error: BaseException) -> Sequence[BaseException]:
    """Give the first of what a group holds. Its class is asked, not the error, which may say otherwise or raise."""
    if not issubclass(type(error), BaseExceptionGroup):
        return ()
    members: tuple[BaseException, ...] = _members_of(error)
    return members[:MAX_CHAIN]


def _guarded_text(make: Callable[[], str]) -> str:
    try:
        text = str.__str__(make())  # str() may give an instance of a subclass, whose methods are the script's
    except BaseException:
        return "<its message could not be read>"
    text = cut(text, MAX_TEXT).replace(LIBRARY, "")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


_RELATIONS = {
    "cause": "The above exception was the direct cause of the following exception:",
    "context": "During handling of the above exception, another exception occurred:",
}


def _earlier(error: BaseException) -> tuple[str, BaseException] | None:
    cause = _cause_of(error)
    if cause is not None:
        return "cause", cause
    context = _context_of(error)
    if context is not None and not _suppresses_context(error):
        return "context", context
    return None


def _chain(error: BaseException) -> Iterator[tuple[str, BaseException]]:
    seen = {id(error)}
    while (earlier := _earlier(error)) is not None:
        relation, error = earlier
        if id(error) in seen:
            return
        seen.add(id(error))
        yield relation, error


def _is_out_of_memory(error: BaseException) -> bool:
    if issubclass(type(error), MemoryError):
        return True
    if type(error) is SystemError:
        return any(words in text_of(error) for words in _LOST_ERRORS)
    return any(_is_out_of_memory(member) for member in _members(error))


def _hint(error: BaseException) -> str:
    if issubclass(type(error), SystemExit):
        return "Return the result, or raise ToolError(text), instead of exiting."
    if type(error) is NameError and type(error.name) is str:
        return REFUSED_BUILTINS.get(error.name) or FOREIGN_NAMES.get(error.name, "")
    if type(error) is RecursionError:
        return "Write it as a loop, or keep a list of what is still to do."
    if type(error) is TypeError and "@runtime_checkable" in text_of(error):
        return "No protocol can be checked here while a script runs, decorated or not: ask with hasattr or callable."
    if type(error) in (TypeError, AttributeError) and text_of(error).endswith("is read-only in a script"):
        return "Only what the script made can be changed: lists, dicts and objects of its own classes."
    return ""


def _position(trace: types.TracebackType, lines: list[str]) -> tuple[int, int, int, int]:
    """Where in its text the frame stands: line and column, end line and end column, from 1, in characters."""
    code = trace.tb_frame.f_code
    places = itertools.islice(code.co_positions(), trace.tb_lasti // 2, None)
    line, end_line, start, end = next(places, (None, None, None, None))
    if line is None:
        line = end_line = trace.tb_lineno or code.co_firstlineno
    if end_line is None:
        end_line = line
    column = _character(lines, line, start or 0)
    end_column = _character(lines, end_line, end) if end is not None else column + 1
    return line, column, end_line, end_column


def _character(lines: list[str], line: int, byte: int) -> int:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if text.isascii():
        return byte + 1
    return len(text.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "replace")) + 1


def _line(lines: list[str], line: int) -> str:
    return lines[line - 1].rstrip("\r\n")[:MAX_TEXT] if 0 < line <= len(lines) else ""


def _function(code: types.CodeType) -> str:
    """The name of a function as its author thinks of it; the body of the file is `<module>`."""
    name = code.co_qualname.replace("<locals>.", "").removeprefix("body!.")
    return "<module>" if name == "body!" else name
