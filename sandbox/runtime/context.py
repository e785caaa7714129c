"""`ctx`: what a running script may say to its surroundings, and ask of them."""

import time
from typing import Any

from sandbox.errors import Fault
from sandbox.runtime.asking import Asking
from sandbox.runtime.cut import cut
from sandbox.runtime.faces.content import ContentBlocks
from sandbox.runtime.faces.files import Files
from sandbox.runtime.faces.questions import MAX_TOKENS, Client, Questions, form, roots, sample
from sandbox.runtime.faces.web import Http
from sandbox.runtime.failures import CallFailed
from sandbox.runtime.run import Run
from sandbox.values import dumps, to_json

_LEVELS = ("debug", "info", "warning", "error")
_OWN_META = ("scriptool/", "io.modelcontextprotocol/")
"""Beginnings of `_meta` names that are not a script's to give."""
_PROGRESS_INTERVAL = 0.05
"""Seconds between two reports of progress; a loop may report each of a million steps."""


class Log:
    """`ctx.log`: messages for whoever watches the call, with fields."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __repr__(self) -> str:
        return "<ctx.log>"

    def debug(self, message: Any, **fields: Any) -> None:
        """Say something only a debugger wants to know."""
        self._tell("debug", message, fields)

    def info(self, message: Any, **fields: Any) -> None:
        """Say something."""
        self._tell("info", message, fields)

    def warning(self, message: Any, **fields: Any) -> None:
        """Say that something is odd."""
        self._tell("warning", message, fields)

    def error(self, message: Any, **fields: Any) -> None:
        """Say that something failed."""
        self._tell("error", message, fields)

    def _tell(self, level: str, message: Any, fields: dict[str, Any]) -> None:
        record = {"level": level, "message": _text(message), "fields": {key: _json(fields[key]) for key in fields}}
        self._run.tell("log", record, len(dumps(record)))


class Context:
    """The object scripts know as `ctx`."""

    def __init__(self, run: Run, asking: Asking, files: Files) -> None:
        self._run = run
        self._asking = asking
        self._told = 0.0
        self.log = Log(run)
        self.http = Http(asking)
        self.files = files
        self.content = ContentBlocks()
        self._questions = Questions(asking)

    def __repr__(self) -> str:
        return "<ctx>"

    def secret(self, name: Any) -> str:
        """Give the secret *name*, which the tool must have been granted. Raises PermissionDenied."""
        return str(self._asking.now("secret", {"name": _text(name)}))

    def call(self, tool: Any, /, **args: Any) -> Any:
        """Call another tool and give its result; in `async` code, where a loop runs, to be awaited.

        Raises: PermissionDenied, and ToolError with `code` and `details` where that tool failed.
        """
        asked = {"tool": _text(tool), "args": to_json(args)}
        return self._asking.either("call", asked, _called)

    @property
    def client(self) -> Client:
        """Who called, and what it can do: `can_ask`, `can_sample`, `can_list_roots`, `name`, `version`, `facade`."""
        return self._questions.client()

    def ask(self, message: Any, schema: Any = None) -> Any:
        """Ask the person at the other end and give the answer: a dict that is true if they agreed.

        *schema* has the fields of the form, each a JSON schema of a plain type, by name. Where an event loop runs,
        to be awaited. Raises Fault `cannot_ask`, `answer_expired`.
        """
        return self._questions.one(form(message, schema))

    def ask_all(self, questions: Any) -> Any:
        """Ask several questions at once: `{name: text}`, `{name: {"ask", "schema"}}`, `{"sample", ...}`, `{"roots"}`.

        Gives the answers by the same names, else as `ask`.
        """
        return self._questions.all(questions)

    def sample(
        self,
        prompt: Any,
        *,
        max_tokens: int = MAX_TOKENS,
        system: Any = None,
        temperature: Any = None,
        stop: Any = None,
        preferences: Any = None,
    ) -> Any:
        """Have the client's model answer *prompt* and give its text; else as `ask`."""
        options = {"system": system, "temperature": temperature, "stop": stop, "preferences": preferences}
        return self._questions.one(sample(prompt, max_tokens=max_tokens, **options))

    def roots(self) -> Any:
        """Give the folders the client works in: a list of `{uri, name}`; else as `ask`."""
        return self._questions.one(roots())

    def meta(self, /, **values: Any) -> None:
        """Put *values* into the result's `_meta`, which programs read and models do not see."""
        if own := [name for name in values if name.startswith(_OWN_META)]:
            raise ValueError(f"the name {own[0]!r} is not for scripts to give")
        told = to_json(values)
        self._run.tell("meta", told, len(dumps(told)))

    def progress(self, done: float, total: float | None = None, message: Any = None) -> None:
        """Say that *done* of *total* steps are done."""
        if type(done) not in (int, float) or type(total) not in (int, float, type(None)):
            raise TypeError("ctx.progress(done, total=None, message=None) takes numbers")
        now = time.monotonic()
        if done != total and now - self._told < _PROGRESS_INTERVAL:
            return
        self._told = now
        payload = {
            "done": to_json(done),
            "total": to_json(total),
            "message": None if message is None else _text(message),
        }
        self._run.tell("progress", payload, len(dumps(payload)))


Context.__module__ = Log.__module__ = "scriptool"


def _called(told: Any) -> Any:
    """Open the result of another tool."""
    if told["ok"]:
        return told["result"]
    error = told["error"]
    raise CallFailed(error["message"], **{"code": error["code"], "tool": told["tool"], "error": error})


def _text(value: Any) -> str:
    return str.__str__(str(value)).encode("utf-8", "backslashreplace").decode()


def _json(value: Any) -> Any:
    try:
        return to_json(value)
    except Fault:
        return cut(_text(repr(value)), 1000)
