"""Questions: what a running call may ask of whoever made it, and the bounds within which it waits for the answer."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from sandbox import Fault
from scriptool.arguments import fit
from scriptool.metaschema import schema_problems
from scriptool.schema import Schema
from scriptool.vocabulary.effort import size_of

MAX_OPEN: Final = 64
"""How many calls may wait for an answer at once; each keeps its process meanwhile."""

_READ: Final = frozenset(("message", "title", "description", "text", "systemPrompt"))

_SHARE: Final = 4
"""The part of them that the calls of one client may have."""

ANSWER_SECONDS: Final = 600.0
"""How long a call waits for an answer."""

MAX_FORM: Final = 2000
"""How many parts the schema of one question may have."""

MAX_AT_ONCE: Final = 32
"""How many questions one call may ask together."""

_NEEDS: Final[Mapping[str, str]] = {
    "elicitation": "a client that can ask its user (elicitation)",
    "sampling": "a client that lends its model (sampling)",
    "roots": "a client that names the folders it works in (roots)",
}

KINDS: Final = tuple(_NEEDS)
"""The kinds of questions, each called after the capability a client declares for it."""


@dataclass(frozen=True)
class Question:
    """One question of a *kind*: `elicitation` has a *message* and a form's *schema*, `sampling` the *request*."""

    kind: str
    message: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)

    def fitted(self, answer: Any) -> dict[str, Any] | None:
        """Give *answer* with its form completed by defaults, or None where it is no answer to this question."""
        if not isinstance(answer, dict):
            return None
        if self.kind == "elicitation":
            return self._filled_in(answer)
        wanted = answer.get("content" if self.kind == "sampling" else "roots")
        return answer if isinstance(wanted, list | dict if self.kind == "sampling" else list) else None

    def _filled_in(self, answer: dict[str, Any]) -> dict[str, Any] | None:
        if answer.get("action") not in ("accept", "decline", "cancel"):
            return None
        if answer["action"] != "accept":
            return {"action": answer["action"]}
        fitted = fit(Schema(dict(self.schema)), answer.get("content") or {})
        return None if fitted.problems else {"action": "accept", "content": fitted.value}


class Respondent(Protocol):
    """Who answers the questions of one call. *abilities* has a true value for each kind it can answer, and perhaps
    the `name` and `version` of a client."""

    @property
    def abilities(self) -> Mapping[str, Any]: ...

    async def answer(self, questions: Mapping[str, Question]) -> Mapping[str, Any]:
        """Give an answer that fits each question, by its name. Raises Fault `cannot_ask`, `answer_expired`."""


class _Nobody:
    abilities: Mapping[str, Any] = {}

    async def answer(self, questions: Mapping[str, Question]) -> Mapping[str, Any]:
        raise cannot_ask(next(iter(questions.values())).kind)


NOBODY: Final[Respondent] = _Nobody()
"""Answers the calls of callers that cannot be asked."""


class Questions:
    """All questions that are open. Lives as long as the server."""

    def __init__(self, most: int = MAX_OPEN, seconds: float = ANSWER_SECONDS) -> None:
        self._most = most
        self._seconds = seconds
        self._of_each: Counter[str | None] = Counter()

    @property
    def open(self) -> int:
        """Give how many calls wait for an answer."""
        return self._of_each.total()

    async def ask(
        self, respondent: Respondent, questions: Mapping[str, Question], client: str | None = None
    ) -> Mapping[str, Any]:
        """Have *respondent* answer what a call of *client* asks, and wait.

        Raises: Fault `cannot_ask`, `answer_expired`, `overloaded` where too many calls wait, or too many of one client.
        """
        for question in questions.values():
            if not respondent.abilities.get(question.kind):
                raise cannot_ask(question.kind)
        for count, most, whose in (
            (self.open, self._most, "calls"),
            (self._of_each[client], self._most // _SHARE, "calls of this client"),
        ):
            if count >= max(1, most):
                message = f"{count} {whose} wait for an answer already."
                raise Fault("overloaded", message, hint="Call again later.", limit="open_questions", retry_after=10)
        self._of_each[client] += 1
        try:
            async with asyncio.timeout(self._seconds):
                return await respondent.answer(questions)
        except TimeoutError:
            raise answer_expired() from None
        finally:
            self._of_each[client] -= 1
            self._of_each += Counter()  # which forgets clients that wait for nothing


def masked(payload: Any, text: Callable[[str], str]) -> Any:
    """Give what a script asks with *text* put on all that is to be read by a person or a model."""
    match payload:
        case list():
            return [masked(item, text) for item in payload]
        case dict():
            return {
                name: text(item) if name in _READ and isinstance(item, str) else masked(item, text)
                for name, item in payload.items()
            }
        case _:
            return payload


def read_questions(payload: Any) -> dict[str, Question]:
    """Read what a script asks, which is not to be trusted. Raises Fault `bad_request`."""
    if not isinstance(payload, dict) or not 0 < len(payload) <= MAX_AT_ONCE:
        raise Fault("bad_request", f"A script asks 1 to {MAX_AT_ONCE} questions at once.")
    return {name[:200]: _read(question) for name, question in payload.items()}


def _read(given: Any) -> Question:
    match given:
        case {"kind": "elicitation", "message": str(message), "schema": dict(schema)}:
            _check_form(schema)
            return Question("elicitation", message, schema)
        case {"kind": "sampling", "request": dict(request)}:
            return Question("sampling", request=request)
        case {"kind": "roots"}:
            return Question("roots")
    raise Fault("bad_request", "What the script asked for is no question.")


def _check_form(schema: dict[str, Any]) -> None:
    if size_of(schema) > MAX_FORM:
        raise Fault("bad_request", f"The form of a question has more than {MAX_FORM} parts.")
    if problems := schema_problems(schema):
        message = f"{problems[0]['path'] or 'The form of a question'}: {problems[0]['message']}"
        raise Fault("bad_request", f"What the script asked for is no form: {message}", problems=problems)


def cannot_ask(capability: str, reason: str = "") -> Fault:
    """Say that whoever called cannot be asked what needs this *capability*."""
    message = reason or f"This call asks what only {_NEEDS[capability]} can answer; this caller is none."
    hint = "Call it from an MCP client that can, or have the script look at ctx.client first."
    return Fault("cannot_ask", message, hint=hint, capability=capability)


def answer_expired() -> Fault:
    """Say that the call which asked is no longer there to be answered."""
    message = "The call that asked this is over: its answer came too late, or the server was restarted meanwhile."
    return Fault("answer_expired", message, hint="Call the tool again; it starts from the beginning.")
