"""Person: whoever sits at the terminal, hears what a called tool tells and answers what it asks."""

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

from scriptool.arguments import fit
from scriptool.commands.terminal import prompt, say
from scriptool.questions import Question
from scriptool.schema import Schema

_HOW: Final = "(An empty line where no [value] is offered says no; Ctrl-D closes the question.)"
_MAX_LINE: Final = 65536

Form = Mapping[str, Any]


def hear(kind: str, payload: Any) -> None:
    """Show a line of the log, and on a terminal how far the tool is."""
    match kind, payload:
        case "log", {"level": level, "message": message, "fields": dict(fields)}:
            say(" ".join([f"{level}: {message}", *(f"{key}={value}" for key, value in fields.items())]))
        case "progress", {"done": done} if sys.stderr.isatty():
            total, message = payload.get("total"), payload.get("message")
            say(f"{done}" + (f" of {total}" if total is not None else "") + (f": {message}" if message else ""))


class Person:
    """Answers forms, field by field, on the standard input, which is a terminal."""

    abilities: Mapping[str, Any] = {"elicitation": True, "name": "scriptool call"}

    async def answer(self, questions: Mapping[str, Question]) -> Mapping[str, Any]:
        """Put one question after the other; an answer that does not fit is asked for again."""
        return {name: await self._answer(question) for name, question in questions.items()}

    async def _answer(self, question: Question) -> dict[str, Any]:
        say(f"{question.message}\n{_HOW}")
        while True:
            try:
                content = await self._filled_in(question.schema)
            except EOFError:
                say("")
                return {"action": "cancel"}
            if content is None:
                return {"action": "decline"}
            fitted = fit(Schema(dict(question.schema)), content)
            if not fitted.problems:
                return {"action": "accept", "content": fitted.value}
            say("\n".join(f"{problem['path'].removeprefix('/')}: {problem['message']}" for problem in fitted.problems))

    async def _filled_in(self, schema: Form) -> dict[str, Any] | None:
        """Give what was typed into each field of a form; None for a refusal. Raises: EOFError."""
        fields = schema.get("properties") or {}
        if not fields:
            prompt("Agreed? [y/N] ")
            return {} if (await _line()).strip().lower() in ("y", "yes") else None
        content: dict[str, Any] = {}
        for name, field in fields.items():
            prompt(_asking(name, field))
            typed = (await _line()).strip()
            if typed:
                content[name] = _value(field, typed)
            elif "default" not in field and name in schema.get("required", ()):
                return None
        return content


def _asking(name: str, field: Form) -> str:
    about = [part for part in (field.get("description"), _choices(field)) if part]
    default = f" [{_shown(field['default'])}]" if "default" in field else ""
    return f"{field.get('title') or name}{' (' + '; '.join(map(str, about)) + ')' if about else ''}{default}: "


def _choices(field: Form) -> str:
    if field.get("type") == "boolean":
        return "y or n"
    if field.get("type") == "array":
        inner = _choices(field.get("items") or {})
        return f"any of {inner}, with commas between" if inner else "values with commas between"
    named = [one for one in (field.get("oneOf") or field.get("anyOf") or ()) if isinstance(one, Mapping)]
    values = field.get("enum") or [one["const"] for one in named if "const" in one]
    return ", ".join(map(str, values))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "y" if value else "n"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _value(field: Form, typed: str) -> Any:
    """Give what was typed as its field wants it; numbers are read from text where all arguments are."""
    if field.get("type") == "boolean":
        return {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}.get(typed.lower(), typed)
    if field.get("type") == "array":
        return [part.strip() for part in typed.split(",")]
    return typed


async def _line() -> str:
    """Give the next line typed. Raises: EOFError at its end.

    The loop waits for it, not a thread: reading in a thread could not be cancelled.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[None] = loop.create_future()

    def ready() -> None:
        if not typed.done():
            typed.set_result(None)

    loop.add_reader(sys.stdin.fileno(), ready)
    try:
        await typed
    finally:
        loop.remove_reader(sys.stdin.fileno())
    data = os.read(sys.stdin.fileno(), _MAX_LINE)
    if not data:
        raise EOFError
    return data.decode("utf-8", "replace").removesuffix("\n")
