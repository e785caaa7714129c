"""Nursery: always has a zygote with spares; starts the next one when the last is worn, dead or was never examined."""

import asyncio
import itertools
import logging
from collections.abc import Collection
from typing import Any

from sandbox import values
from sandbox.errors import Fault
from sandbox.frames import ATTEMPTED, CRASHED, REQUEST, VALUE, encode
from sandbox.layer import ON
from sandbox.limits import Limits
from sandbox.spares import Spares, ZygoteLost
from sandbox.worker import Worker, WorkerLost

logger = logging.getLogger(__name__)

_RESTART_SECONDS = (0.0, 0.05, 0.2, 1.0, 5.0)
"""Waits before the zygote is started anew, by how often in a row that failed."""

_SELF_TEST_SECONDS = 20.0

_CAPS = {ATTEMPTED: 1 << 10, VALUE: 1 << 10, CRASHED: 1 << 14}

_HOW_TO_GET_SECCOMP = (
    "Run it on Linux on x86_64 or aarch64, in a container whose profile allows seccomp; "
    "or accept weaker walls with --weak-sandbox."
)


class Nursery:
    """Gives ready children for as long as the sandbox lives, whatever happens to the zygotes they come from.

    With *weak* children are given though the self-test found that a wall is missing that must not be. *skip* names
    layers to leave off, for measuring what they are worth.
    """

    def __init__(self, *, least: int, most: int, lifetime: int, weak: bool, skip: Collection[str]) -> None:
        self._least = least
        self._most = most
        self._lifetime = lifetime
        self._weak = weak
        self._skip = skip
        self._spares: Spares | None = None
        self._retired: set[Spares] = set()
        self._owners: dict[Worker, Spares] = {}
        self._renewal: asyncio.Task[None] | None = None
        self._failure: Fault | None = None
        self._settled = asyncio.Event()
        self._layers: dict[str, str] = {}
        self._attempts: dict[str, bool] = {}
        self._renewals = 0

    async def start(self) -> None:
        """Start the first zygote and try its walls; where scripts may not run, `take` says so."""
        self._renew()
        await self._settled.wait()

    async def take(self) -> Worker:
        """Give a ready child, which must be handed to `discard` in the end.

        Raises:
            Fault: `sandbox_unavailable`, with the missing layer and how to get it.
        """
        while True:
            await self._settled.wait()
            if self._spares is None:
                raise self._failure or _does_not_start("it was closed")
            spares = self._spares
            try:
                worker = await spares.take()
            except ZygoteLost:
                continue
            self._owners[worker] = spares
            return worker

    def discard(self, worker: Worker) -> None:
        """End a child, and see to it that another waits in its place."""
        spares = self._owners.pop(worker)
        spares.discard(worker)
        if spares.done:
            self._retired.discard(spares)

    async def close(self) -> None:
        """End every zygote and every child, and wait until they are gone."""
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.wait([self._renewal])
        serving, self._spares = self._spares, None
        for spares in [*self._retired, *([serving] if serving else [])]:
            await spares.close()

    def report(self) -> dict[str, Any]:
        """Give what is known of the walls and the children, as JSON."""
        serving = [self._spares] if self._spares else []
        return {
            "level": self._level(),
            "layers": dict(self._layers),
            "missing": [layer for layer, state in self._layers.items() if state != ON],
            "attempts": dict(self._attempts),
            "spares": sum(spares.ready for spares in serving),
            "children": sum(spares.living for spares in [*self._retired, *serving]),
            "zygote": serving[0].forker.pid if serving else None,
            "zygote_restarts": max(self._renewals - 1, 0),
        }

    def _level(self) -> str:
        """`full`, `strong` where seccomp carries it without some other layer, `weak` without it, `none` before."""
        if not self._layers:
            return "none"
        if self._layers["seccomp"] != ON or any(self._attempts.values()):
            return "weak"
        return "full" if all(state == ON for state in self._layers.values()) else "strong"

    def _renew(self) -> None:
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.create_task(self._replace())

    async def _replace(self) -> None:
        """Start zygotes until one serves, and retire the one before it."""
        for pause in itertools.chain(_RESTART_SECONDS, itertools.repeat(_RESTART_SECONDS[-1])):
            await asyncio.sleep(pause)
            try:
                spares = await self._started()
            except Fault as failure:
                # Kept until the next attempt succeeds, so that callers are told at once and none waits on hope.
                self._failure = failure
                self._settled.set()
                continue
            break
        before, self._spares = self._spares, spares
        if before is not None:
            self._retired.add(before)
            before.retire()
        self._failure = None if spares is not None else self._refusal()
        self._settled.set()

    async def _started(self) -> Spares | None:
        """Start a zygote and try its walls; None where scripts may not run behind them."""
        spares = Spares(
            least=self._least,
            most=self._most,
            lifetime=self._lifetime,
            skip=self._skip,
            on_worn=self._renew,
            on_lost=self._on_lost,
        )
        self._renewals += 1
        try:
            await spares.start()
            async with asyncio.timeout(_SELF_TEST_SECONDS):
                self._attempts = await _self_test(spares)
        except BaseException as failure:
            await spares.close()
            if isinstance(failure, TimeoutError | ZygoteLost | WorkerLost):
                raise _does_not_start(repr(failure)) from failure
            raise
        self._layers = spares.forker.layers
        if self._level() == "weak" and not self._weak:
            await spares.close()
            return None
        return spares

    def _on_lost(self, spares: Spares) -> None:
        logger.warning("the zygote was lost; starting another")
        if spares is self._spares:
            self._spares = None
            self._retired.add(spares)
            self._settled.clear()
            self._renew()

    def _refusal(self) -> Fault:
        missing = [name for name, got_through in self._attempts.items() if got_through]
        why = self._layers["seccomp"]
        if why != ON:
            missing.insert(0, "seccomp")
        else:
            why = f"the self-test got through: {', '.join(missing)}"
        return Fault(
            "sandbox_unavailable",
            f"Scripts do not run here, since a wall they must stay behind is missing: seccomp ({why}).",
            hint=_HOW_TO_GET_SECCOMP,
            missing=missing,
        )


async def _self_test(spares: Spares) -> dict[str, bool]:
    """Make every attempt in a real child; give whether it got through. A child that it kills has held."""
    got_through: dict[str, bool] = {}
    while True:
        worker = await spares.take()
        tried = len(got_through)
        worker.open(encode(REQUEST, values.dumps({"do": "attempt", "first": tried, "limits": vars(Limits())})), _CAPS)
        try:
            while (frame := await worker.frame())[0] == ATTEMPTED:
                name, through = values.loads(frame[1])
                got_through[name] = bool(through)
            if frame[0] == VALUE:
                return got_through
            raise WorkerLost(frame[1].decode(errors="replace"))
        except WorkerLost:
            if len(got_through) == tried:
                raise
        finally:
            spares.discard(worker)


def _does_not_start(reason: str) -> Fault:
    logger.error("the sandbox does not start: %s", reason)
    return Fault("sandbox_unavailable", "The sandbox's processes do not start; the log says why.", missing=["zygote"])
