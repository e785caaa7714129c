"""Nursery: always has a zygote with spares; starts the next one when the last is worn, dead or was never examined."""

import asyncio
import itertools
import logging
from collections.abc import Collection
from typing import Any

from sandbox import values
from sandbox.errors import Fault
from sandbox.kernel.layer import ON
from sandbox.limits import Limits
from sandbox.process.forker import ZygoteLost
from sandbox.process.frames import ATTEMPTED, CRASHED, REQUEST, VALUE, encode
from sandbox.process.spares import Spares
from sandbox.process.worker import Worker, WorkerLost

logger = logging.getLogger(__name__)

_RESTART_SECONDS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Waits before the zygote is started anew, by how often in a row that failed."""

_LOSSES_WAITED_FOR = 5
"""How many zygotes that are lost while they start callers wait out. One that says why it cannot is not waited out."""

_SELF_TEST_SECONDS = 20.0

_CAPS = {ATTEMPTED: 1 << 10, VALUE: 1 << 10, CRASHED: 1 << 14}

_HOW_TO_GET_SECCOMP = (
    "Run it on Linux on x86_64 or aarch64, in a container whose profile allows seccomp; "
    "or accept weaker walls with --weak-sandbox."
)


class Nursery:
    """Gives ready children for as long as the sandbox lives, whatever happens to the zygotes they come from.

    With *weak* children are given though the self-test found that a wall is missing that must not be. *skip* names
    layers to leave off, for measuring what they are worth, *imports* what zygotes import besides their own, *modules*
    what scripts may import besides.
    """

    def __init__(
        self,
        *,
        least: int,
        most: int,
        lifetime: int,
        weak: bool,
        skip: Collection[str],
        imports: Collection[str] = (),
        modules: Collection[str] = (),
    ) -> None:
        self._least = least
        self._most = most
        self._lifetime = lifetime
        self._weak = weak
        self._skip = skip
        self._imports = imports
        self._modules = modules
        self._spares: Spares | None = None
        self._retired: set[Spares] = set()
        self._owners: dict[Worker, Spares] = {}
        self._renewal: asyncio.Task[None] | None = None
        self._failure: Fault | None = None
        self._settled = asyncio.Event()
        self._closed = False
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
            Fault: `sandbox_unavailable`, with the missing layer and how to get it; `shutting_down`.
        """
        while True:
            await self._settled.wait()
            spares = self._spares
            if self._closed:
                raise shutting_down()
            if spares is None:
                raise self._failure or _does_not_start()
            try:
                worker = await spares.take()
            except ZygoteLost:
                continue
            self._owners[worker] = spares
            return worker

    def discard(self, worker: Worker) -> None:
        """End a child, and see to it that another waits in its place."""
        self._owners.pop(worker).discard(worker)

    async def close(self) -> None:
        """End every zygote and every child, and wait until they are gone."""
        self._closed = True
        self._settled.set()
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
            "missing": self._missing(),
            "attempts": dict(self._attempts),
            "refusal": self._failure.message if self._failure is not None else None,
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
        for attempt in itertools.count():
            await asyncio.sleep(_RESTART_SECONDS[min(attempt, len(_RESTART_SECONDS) - 1)])
            try:
                spares = await self._started()
            except Exception as failure:  # any: nothing else would end the wait of the callers
                lost = isinstance(failure, TimeoutError | ZygoteLost | WorkerLost)
                if not lost or attempt >= _LOSSES_WAITED_FOR:
                    # From now on callers are told at once, until an attempt succeeds.
                    self._failure = failure if isinstance(failure, Fault) else _does_not_start()
                    why = failure.message if isinstance(failure, Fault) else repr(failure)
                    logger.error("the sandbox does not start: %s", why)
                    self._settled.set()
                continue
            break
        before, self._spares = self._spares, spares
        self._retired = {each for each in self._retired if not each.done}
        if before is not None:
            self._retired.add(before)
            before.retire()
        self._failure = None if spares is not None else self._refusal()
        self._settled.set()
        if spares is not None and spares.worn:  # said so while it was still on trial
            self._renewal = asyncio.create_task(self._replace())

    async def _started(self) -> Spares | None:
        """Start a zygote and try its walls; None where scripts may not run behind them."""
        spares = Spares(
            least=self._least,
            most=self._most,
            lifetime=self._lifetime,
            skip=self._skip,
            imports=self._imports,
            modules=self._modules,
            on_worn=self._renew,
            on_lost=self._on_lost,
        )
        self._renewals += 1
        try:
            await spares.start()
            async with asyncio.timeout(_SELF_TEST_SECONDS):
                self._attempts = await _self_test(spares)
        except BaseException:
            await spares.close()
            raise
        self._layers = spares.forker.layers
        if self._level() == "weak":
            if not self._weak:
                await spares.close()
                return None
            logger.warning("scripts run behind weak walls; missing: %s", ", ".join(self._missing()))
        return spares

    def _on_lost(self, spares: Spares) -> None:
        logger.warning("the zygote was lost; starting another")
        if spares is self._spares:
            self._spares = None
            self._retired.add(spares)
            self._settled.clear()
            self._renew()

    def _missing(self) -> list[str]:
        """Name the layers that are not on, and the attempts that got through all of them."""
        layers = [layer for layer, state in self._layers.items() if state != ON]
        return layers + [f"attempt: {name}" for name, got_through in self._attempts.items() if got_through]

    def _refusal(self) -> Fault:
        why = self._layers["seccomp"]
        return Fault(
            "sandbox_unavailable",
            "Scripts do not run here, since a wall they must stay behind is missing"
            f"{'' if why == ON else f' (seccomp: {why})'}: {', '.join(self._missing())}.",
            hint=_HOW_TO_GET_SECCOMP,
            missing=self._missing(),
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


def _does_not_start() -> Fault:
    return Fault("sandbox_unavailable", "The sandbox's processes do not start; the log says why.", missing=["zygote"])


def shutting_down() -> Fault:
    """Make the fault of a call that comes while the sandbox closes, or that its closing ends."""
    return Fault("shutting_down", "The server is shutting down.", hint="Call again when it is back.")
