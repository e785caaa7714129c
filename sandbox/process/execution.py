"""Execution: one program running in one child; its frames in, an Outcome or a Fault out, its asks answered."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from sandbox import values
from sandbox.errors import Fault
from sandbox.limits import Limits
from sandbox.process import child_fault, testimony
from sandbox.process.clock import Clock
from sandbox.process.frames import ANSWER, ASK, CRASHED, ERROR, REQUEST, TELL, VALUE, WARNINGS, OversizedFrame, encode
from sandbox.process.places import Place
from sandbox.process.program import Program
from sandbox.process.worker import Worker, WorkerLost

logger = logging.getLogger(__name__)

Tell = Callable[[str, Any], None]
"""Takes what a script says one-way: a kind and a payload."""

Ask = Callable[[str, Any], Awaitable[Any]]
"""Answers what a script asks by name, or raises the Fault that the script then sees."""

_KIBIBYTE = 1 << 10
_MEBIBYTE = 1 << 20
_ESCAPED = 6
"""How many bytes JSON may make of one."""
_MOST_ASKS = 64
_MOST_PATIENT = 100
"""How often one call may wait for a person, each time perhaps for minutes."""
_MOST_ASKED = 16 * _MEBIBYTE
"""Bytes of asks that may be unanswered at a time."""
_FRAME_WEIGHT = 16
"""What a frame counts for besides its bytes, so that a flood of empty ones has an end too."""
_SAID_FOR_OUTPUT = 32
"""How much may be said for each byte of output that is allowed: an empty line is one byte, and counts 30 as a frame."""


@dataclass(frozen=True)
class Outcome:
    """What a run gave: its value, as JSON, and remarks on how it came about."""

    value: Any
    warnings: tuple[str, ...] = ()


class Execution:
    """One run in a child that was just handed out, from its request to its last frame; lives as long as the call.

    Asks named in *patient* wait for a person: the clock stands still meanwhile, also that of the runs which wait for
    this one, and none of them counts as alive. While any ask is open the call holds no place, since what it waits for
    may need that very place.
    """

    def __init__(
        self, worker: Worker, place: Place, limits: Limits, *, tell: Tell, ask: Ask, patient: Collection[str] = ()
    ) -> None:
        self._worker = worker
        self._place = place
        self._limits = limits
        self._tell = tell
        self._ask = ask
        self._patient = patient
        self._clock = Clock(limits.seconds, self._time_out, worker.processor_seconds)
        self._asks: dict[int, int] = {}
        """The size of each ask that is not answered, by its number."""
        self._answering: set[asyncio.Task[None]] = set()
        """What works on them, also while it waits for the place that the run goes on with."""
        self._returning = asyncio.Lock()
        self._said = 0
        self._waits = 0
        self._over = False
        self._answered: dict[str, Fault] = {}
        self._warnings: tuple[str, ...] = ()

    async def run(self, program: Program, name: str, args: Mapping[str, Any], *, spent: float = 0.0) -> Outcome:
        """Run *program* and give its outcome; *spent* seconds of its limit were used up before.

        Raises:
            Fault: What the script, the child or a limit made of it.
        """
        request = {"do": "run", "name": name, "args": args, "modules": [*program.modules], "limits": vars(self._limits)}
        self._worker.open(encode(REQUEST, values.dumps(request)) + program.blobs, self._caps())
        self._clock.start(spent)
        try:
            while True:
                kind, payload = await self._worker.frame()
                if kind == VALUE:
                    _check_count(payload, "result_too_large", "The result holds", "Return less, or text.")
                    return Outcome(testimony.parse(payload), self._warnings)
                self._take(kind, payload)
        except OversizedFrame as oversized:
            raise self._oversized(oversized) from None
        except WorkerLost as lost:
            raise lost.to_fault() from None
        except Fault as fault:
            if fault.code == "memory_limit" and fault.code not in self._answered:
                await self._name_memory(fault)
            raise
        finally:
            self._over = True
            self._clock.stop()
            if self._answering:
                await self._cancel_asks()

    def _caps(self) -> dict[int, int]:
        return {
            TELL: _ESCAPED * self._limits.output_kb * _KIBIBYTE + 64 * _KIBIBYTE,
            ASK: 8 * _MEBIBYTE,
            WARNINGS: 128 * _KIBIBYTE,
            VALUE: self._limits.result_kb * _KIBIBYTE,
            ERROR: _MEBIBYTE,
            CRASHED: 16 * _KIBIBYTE,
        }

    def _take(self, kind: int, payload: bytes) -> None:
        """Take a frame that is not the value."""
        if kind == ASK:
            self._open_ask(payload)
            return
        self._said += len(payload) + _FRAME_WEIGHT
        if self._said > _SAID_FOR_OUTPUT * self._limits.output_kb * _KIBIBYTE + 2 * _MEBIBYTE:
            raise WorkerLost("it said more than a call may")
        if kind == TELL:
            self._tell(*testimony.told(payload))
        elif kind == WARNINGS:
            self._warnings = testimony.warnings(payload)
        elif kind == ERROR:
            raise child_fault.read(payload, self._answered)
        else:
            raise WorkerLost(f"it crashed: {payload.decode(errors='replace')!r}")

    def _open_ask(self, payload: bytes) -> None:
        _check_count(payload, "bad_request", "What the script asks holds", "Ask with less at a time.")
        number, name, content = testimony.asked(payload)
        size = len(payload) + _FRAME_WEIGHT
        if number in self._asks or len(self._answering) >= _MOST_ASKS:
            raise WorkerLost("it asked twice under one number, or too much at once")
        if sum(self._asks.values()) + size > _MOST_ASKED:
            raise WorkerLost("it asked with too many bytes at once")
        self._place.give_back()
        self._asks[number] = size
        task = asyncio.create_task(self._answer(number, name, content))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, number: int, name: str, content: Any) -> None:
        """Answer one ask; what it raises, unless that is a Fault, ends the run."""
        await self._worker.reading()  # what it has not read is kept here, and must not grow without end
        waiting = (*_WAITING.get(), self)
        _WAITING.set(waiting)
        try:
            with _patiently(waiting if name in self._patient else ()):
                answer = await self._answered_with(number, name, content)
        except Exception as bug:
            self._worker.fail(bug)
            return
        self._worker.send(encode(ANSWER, answer))

    async def _answered_with(self, number: int, name: str, content: Any) -> bytes:
        try:
            answer = values.dumps({"id": number, "value": await self._asked(name, content)})
        except Fault as fault:
            self._answered[fault.code] = fault
            answer = values.dumps({"id": number, "error": fault.to_json()})
        del self._asks[number]
        await self._hold_place()
        return answer

    async def _asked(self, name: str, content: Any) -> Any:
        if name in self._patient:
            self._waits += 1
            if self._waits > _MOST_PATIENT:
                raise Fault("bad_request", f"One call asks a person {_MOST_PATIENT} times at most.")
        return await self._ask(name, content)

    def pause(self) -> None:
        """Let this run wait for a person."""
        self._clock.pause()
        self._place.step_aside()

    def resume(self) -> None:
        """Let this run go on, unless it is over."""
        self._place.step_back()
        if not self._over:
            self._clock.resume()

    async def _hold_place(self) -> None:
        """Take a place again before the script goes on, unless it still waits for something."""
        async with self._returning:
            if not self._asks:
                await self._place.take_again()
            if self._asks:
                self._place.give_back()

    async def _cancel_asks(self) -> None:
        self._worker.close()  # first: nobody waits for a child because of what it asked
        tasks = set(self._answering)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def _name_memory(self, fault: Fault) -> None:
        """Say what was allowed and used, by the kernel's count instead of the child's."""
        peak = await asyncio.to_thread(self._worker.peak_memory)
        fault.details |= {"limit": "memory_mb", "allowed": self._limits.memory_mb}
        if peak is not None:
            fault.details["used"] = max(0, peak - self._worker.warm_bytes) // _MEBIBYTE

    def _time_out(self) -> None:
        seconds = self._limits.seconds
        self._worker.fail(
            Fault(
                "timeout",
                f"The script ran longer than {seconds:g} seconds and was ended.",
                hint="Let it do less in one call, or raise `limits.seconds` in its definition.",
                limit="seconds",
                allowed=seconds,
                used=round(self._clock.spent, 3),
            )
        )

    def _oversized(self, oversized: OversizedFrame) -> Fault:
        if oversized.kind != VALUE:
            return WorkerLost(str(oversized)).to_fault()
        allowed = self._limits.result_kb
        return Fault(
            "result_too_large",
            f"The result is {oversized.size} bytes of JSON, more than the {allowed} KB that are allowed.",
            hint="Return less, or raise `limits.result_kb` in the definition.",
            limit="result_kb",
            allowed=allowed,
            used=-(-oversized.size // _KIBIBYTE),
            size=oversized.size,
        )


def _check_count(payload: bytes, code: str, what: str, hint: str) -> None:
    """Raise a Fault with *code* where JSON holds more values than are read."""
    if (used := values.count(payload)) > values.MAX_VALUES:
        message = f"{what} {used} values, more than {values.MAX_VALUES}."
        raise Fault(code, message, hint=hint, limit="values", allowed=values.MAX_VALUES, used=used)


_WAITING: ContextVar[tuple[Execution, ...]] = ContextVar("_WAITING", default=())
"""The runs that wait for the work of the current task, outermost first."""


@contextmanager
def _patiently(waiting: tuple[Execution, ...]) -> Iterator[None]:
    """Let all *waiting* wait for a person while the block runs."""
    for execution in waiting:
        execution.pause()
    try:
        yield
    finally:
        for execution in waiting:
            execution.resume()
