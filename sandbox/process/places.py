"""Places: how many calls run at once, who waits for how long, and whose turn it is."""

import asyncio
import math
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from typing import Any

from sandbox.errors import Fault

_LINE_SHARE = 7 / 8
"""How much of the waiting line one tool may fill, so that the others still find room in it."""

_LONGEST_RETRY = 60


@dataclass(eq=False)
class _Turn:
    """One call that waits; *admitted* is resolved when its place has been taken for it."""

    tool: str
    admitted: "asyncio.Future[None]"


class Places:
    """The running places and the line before them; lives as long as the sandbox.

    *size* calls run at once and *line* wait, none longer than *patience* seconds. *alive* bounds the calls that have
    begun, also those that gave their place back while they wait for their parent. Of several places one tool may hold
    all but one, and tools take turns, so that a slow one leaves room for the rest.
    """

    def __init__(self, size: int, *, line: int, alive: int, patience: float) -> None:
        self.size = size
        self._line = line
        self._alive = alive
        self._patience = patience
        self._share = max(1, size - 1)
        self._taken: Counter[str] = Counter()
        self._returning: deque[_Turn] = deque()
        self._nested: deque[_Turn] = deque()
        self._outside: OrderedDict[str, deque[_Turn]] = OrderedDict()
        self._usual_seconds = 0.0
        self.running = 0
        self.waiting = 0
        self.begun = 0

    async def take(self, tool: str, *, nested: bool = False) -> "Place":
        """Give a place to a call of *tool*, now or when its turn comes. *nested* calls go before those from outside.

        Raises:
            Fault: `overloaded`, with `retry_after` in seconds.
        """
        if not self._may_begin(tool):
            if nested and self.begun >= self._alive:
                # Waiting could be for its own caller, so it never does.
                raise self._overloaded("live_calls", self._alive, self.begun)
            await self._wait(_Turn(tool, asyncio.get_running_loop().create_future()), nested)
        else:
            self._begin(tool)
        return Place(self, tool)

    def _may_run(self, tool: str) -> bool:
        return self.running < self.size and self._taken[tool] < self._share

    def _may_begin(self, tool: str) -> bool:
        return self.begun < self._alive and self._may_run(tool)

    def _begin(self, tool: str) -> None:
        self.begun += 1
        self._occupy(tool)

    def _occupy(self, tool: str) -> None:
        self.running += 1
        self._taken[tool] += 1

    def _vacate(self, tool: str) -> None:
        self.running -= 1
        self._taken[tool] -= 1
        if not self._taken[tool]:
            del self._taken[tool]
        self._admit()

    def _end(self, seconds: float) -> None:
        self.begun -= 1
        self._usual_seconds += (seconds - self._usual_seconds) / 8
        self._admit()

    async def _wait(self, turn: _Turn, nested: bool) -> None:
        """Stand in line until admitted, which has then begun the call."""
        queue = self._nested if nested else self._outside.setdefault(turn.tool, deque())
        if not nested and (self.waiting >= self._line or len(queue) >= self._line * _LINE_SHARE):
            raise self._overloaded("waiting_calls", self._line, self.waiting)
        queue.append(turn)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await turn.admitted
        except BaseException as failure:
            if turn.admitted.done() and not turn.admitted.cancelled():
                self._vacate(turn.tool)
                self._end(self._usual_seconds)
            else:
                queue.remove(turn)
            if isinstance(failure, TimeoutError):
                raise self._overloaded("queue_seconds", self._patience, self._patience) from None
            raise
        finally:
            self.waiting -= 1
            if not queue and not nested and self._outside.get(turn.tool) is queue:
                del self._outside[turn.tool]

    async def _return(self, tool: str) -> None:
        """Take a place again for a call that gave its own back; it is before all others, and there is no limit."""
        if self._may_run(tool):
            self._occupy(tool)
            return
        turn = _Turn(tool, asyncio.get_running_loop().create_future())
        self._returning.append(turn)
        try:
            await turn.admitted
        except asyncio.CancelledError:
            if turn.admitted.done() and not turn.admitted.cancelled():
                self._vacate(tool)
            else:
                self._returning.remove(turn)
            raise

    def _admit(self) -> None:
        """Give the free places to those whose turn it is."""
        while self.running < self.size:
            if turn := self._pop(self._returning):
                self._occupy(turn.tool)
            elif self.begun < self._alive and (turn := self._pop(self._nested) or self._pop_outside()):
                self._begin(turn.tool)
            else:
                return
            turn.admitted.set_result(None)

    def _pop(self, queue: deque[_Turn]) -> _Turn | None:
        for turn in queue:
            if not turn.admitted.done() and self._may_run(turn.tool):
                queue.remove(turn)
                return turn
        return None

    def _pop_outside(self) -> _Turn | None:
        for tool, queue in self._outside.items():
            if turn := self._pop(queue):
                self._outside.move_to_end(tool)
                return turn
        return None

    def _overloaded(self, limit: str, allowed: float, used: float) -> Fault:
        seconds = math.ceil((self.waiting + 1) * self._usual_seconds / self.size)
        details: dict[str, Any] = {"limit": limit, "allowed": allowed, "used": used}
        return Fault(
            "overloaded",
            f"Too much is asked at once: {limit} is at {used:g} of {allowed:g}.",
            hint="Call again later.",
            retry_after=max(1, min(seconds, _LONGEST_RETRY)),
            **details,
        )


class Place:
    """The right of one call to run; lives as long as the call, and can be given back for a while."""

    def __init__(self, places: Places, tool: str) -> None:
        self._places = places
        self._tool = tool
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._aside = 0
        self._left = False
        self.held = True

    def step_aside(self) -> None:
        """Count as alive no longer, until as many `step_back` were called."""
        self._aside += 1
        if self._aside == 1:
            self._places.begun -= 1
            self._places._admit()

    def step_back(self) -> None:
        """Count as alive again; there is no limit, since this call has begun."""
        self._aside -= 1
        if not self._aside:
            self._places.begun += 1

    def give_back(self) -> None:
        """Let another call run while this one waits for its parent."""
        if self.held:
            self.held = False
            self._places._vacate(self._tool)

    async def take_again(self) -> None:
        """Wait for a place to go on with."""
        if not self.held:
            await self._places._return(self._tool)
            self.held = True
            if self._left:  # meanwhile, so that nobody would give it back
                self.give_back()

    def leave(self) -> None:
        """End the call."""
        self._left = True
        self.give_back()
        self._places._end(self._loop.time() - self._since)
