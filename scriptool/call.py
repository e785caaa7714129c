"""Call, Context, Result: a wish for a tool, what the running tool may ask of its surroundings, and how it ended."""

import secrets
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox import Ask, Fault
from scriptool.deadline import Deadline
from scriptool.mask import Mask
from scriptool.questions import NOBODY, Respondent


@dataclass(frozen=True)
class Caller:
    """Who calls: by which facade (`http`, `mcp`, `cli`, `check`) and, where it is known, as which client."""

    facade: str
    client: str | None = None


@dataclass(frozen=True)
class Call:
    """A wish: run *tool* with *args* (JSON) for *caller*. *parent* is the id of the call that asked for this one."""

    tool: str
    args: Mapping[str, Any]
    caller: Caller
    parent: str | None = None


@dataclass(frozen=True)
class Result:
    """How a call ended: a *value* (JSON) or an *error* (`{code, message, hint?, ...}`), and what was seen meanwhile.

    *content* is the value as blocks, where the script returned some; *meta* is for programs, not for models. *mask*
    takes the secrets of the call out of what is kept of its value elsewhere.
    """

    call_id: str
    duration_ms: float
    value: Any = None
    error: Mapping[str, Any] | None = None
    output: str = ""
    warnings: tuple[str, ...] = ()
    digest: str | None = None
    content: tuple[Mapping[str, Any], ...] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    mask: Mask = field(default=Mask(), repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Say whether the call gave a value."""
        return self.error is None

    def to_json(self) -> dict[str, Any]:
        """Give the one envelope every facade answers with."""
        outcome = {"ok": True, "result": self.value} if self.error is None else {"ok": False, "error": dict(self.error)}
        seen = {"output": self.output, "warnings": list(self.warnings), "call_id": self.call_id}
        meta = {"_meta": dict(self.meta)} if self.meta else {}
        return outcome | seen | {"duration_ms": self.duration_ms, "digest": self.digest} | meta


Nested = Callable[[str, Mapping[str, Any]], Awaitable[Result]]
"""Calls another tool on behalf of a running one."""

Check = Callable[[str, Mapping[str, Any]], Awaitable[None]]
"""Checks that a call would be accepted. Raises Fault if not."""

Listener = Callable[[str, Any], None]
"""Hears what a running call tells, as it happens; must not block or raise. `print` comes with a text, `log` with
`{level, message, fields}`, `progress` with `{done, total, message}`."""


def unheard(kind: str, payload: Any) -> None:
    """Be the listener of a call nobody watches."""


async def _unanswered(name: str, _payload: Any) -> Any:
    raise Fault("permission_denied", f"This tool may not ask for {name!r}.", permission=name)


PATIENT: Final = frozenset({"ask"})
"""What a script asks that a person answers, in their own time."""

_OWN_META: Final = ("scriptool/", "io.modelcontextprotocol/")
"""Beginnings of `_meta` names that no script gives; one that left its language might try."""

MAX_LOGGED: Final = 100
"""How many log lines of one call are kept."""


async def _alone(tool: str, _args: Mapping[str, Any]) -> Any:
    raise Fault("tool_not_found", f"There is no dispatcher to find {tool!r} with.")


@dataclass
class Context:
    """One running call, for as long as it runs: its id, what it printed, warned and told, and what it may ask.

    *confirmed* says that a destructive tool was confirmed in this call, *above* is the call that asked for this one.
    *nested* and *check* are the dispatcher's, *answer* is what answers the asks of a script, *respondent* whoever
    answers what it asks of its caller. *shows_content* says that its value is made of blocks. Until it is *judged*, it
    is not known which of its arguments are secret; *given* gives what takes out all that scripts were given so far.
    *deadline* is when its steps have to be done.
    """

    call: Call
    listener: Listener = unheard
    call_id: str = field(default_factory=lambda: secrets.token_hex(8))
    started: float = field(default_factory=time.perf_counter)
    digest: str | None = None
    mask: Mask = Mask()
    judged: bool = False
    warnings: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    confirmed: bool = False
    logged: list[Any] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    shows_content: bool = False
    respondent: Respondent = NOBODY
    deadline: Deadline | None = None
    above: "Context | None" = field(default=None, repr=False)
    _held: str = field(default="", init=False, repr=False)
    answer: Ask = field(default=_unanswered, repr=False)
    nested: Nested = field(default=_alone, repr=False)
    check: Check = field(default=_alone, repr=False)
    given: Callable[[], Mask] = field(default=Mask, repr=False)

    def tell(self, kind: str, payload: Any) -> None:
        """Take what the running tool says one way: keep what is printed and logged, pass all on, secrets masked."""
        if kind == "print" and isinstance(payload, str):
            self.printed.append(payload)
            payload = self._held + payload
            whole = len(payload) - (self.mask | self.given()).held_back(payload)
            payload, self._held = payload[:whole], payload[whole:]
            if not payload:
                return
        if kind == "content":
            self.shows_content = True
            return
        payload = (self.mask | self.given()).told(kind, payload)
        if kind == "meta":
            given = payload.items() if isinstance(payload, dict) else ()
            self.meta |= {name: value for name, value in given if not name.startswith(_OWN_META)}
            return
        if kind == "log" and len(self.logged) < MAX_LOGGED:
            self.logged.append(payload)
        self.listener(kind, payload)

    def end(self) -> None:
        """Tell what was kept back of what was printed, since it could have been the beginning of a secret."""
        held, self._held = self._held, ""
        if held:
            self.listener("print", self.mask.text(held))

    @property
    def depth(self) -> int:
        """How many calls stand above this one."""
        return 0 if self.above is None else self.above.depth + 1

    def chain(self) -> "Iterator[Context]":
        """Give this call and all that stand above it."""
        link: Context | None = self
        while link is not None:
            yield link
            link = link.above

    async def ask(self, name: str, payload: Any) -> Any:
        """Answer what the running tool asks of its parent. Raises Fault."""
        return await self.answer(name, payload)
