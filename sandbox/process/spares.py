"""Spares: the children of one zygote that are forked ahead, warmed and waiting, as many as the load asks for."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection

from sandbox.process.forker import Forker, ZygoteLost
from sandbox.process.worker import Worker

_SHRINK_SECONDS = 5.0
"""How long there must have been spares enough before one fewer is kept."""

_LONGEST_WAIT = 20.0
"""Seconds after which a zygote that gives no child is taken for stuck."""

_MOST_STILLBORN = 20
"""Children in a row that end before they are ready, after which the zygote is taken for broken."""


class Spares:
    """The children of one zygote, each handed out once; lives as long as that zygote.

    *least* and *most* bound how many wait ready. *on_worn* is called once it has made *lifetime* children, and it
    goes on until `retire`; *on_lost* when the zygote is gone or broken.
    """

    def __init__(
        self,
        *,
        least: int,
        most: int,
        lifetime: int,
        skip: Collection[str],
        imports: Collection[str] = (),
        modules: Collection[str] = (),
        on_worn: "Callable[[], None]",
        on_lost: "Callable[[Spares], None]",
    ) -> None:
        self._least = least
        self._most = most
        self._lifetime = lifetime
        self._on_worn = on_worn
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._forker = Forker(
            skip=skip,
            imports=imports,
            modules=modules,
            on_child=self._born,
            on_change=self._changed,
            on_lost=self._end,
        )
        self._target = least
        self._forking = 0
        self._stillborn = 0
        self._living: set[Worker] = set()
        self._warming: set[Worker] = set()
        self._ready: list[Worker] = []
        self._waiters: deque[asyncio.Future[Worker]] = deque()
        self._shrink: asyncio.TimerHandle | None = None
        self._told_worn = False
        self._ended = False

    @property
    def forker(self) -> Forker:
        """The zygote they come from."""
        return self._forker

    @property
    def ready(self) -> int:
        """How many wait to be handed out."""
        return len(self._ready)

    @property
    def done(self) -> bool:
        """Whether nothing of it is left."""
        return self._ended and self._forker.gone

    @property
    def worn(self) -> bool:
        """Whether it has made as many children as it should."""
        return self._forker.asked >= self._lifetime

    @property
    def living(self) -> int:
        """How many children there are in all: warming, ready and handed out."""
        return len(self._living)

    async def start(self) -> None:
        """Start the zygote and ask for the first spares.

        Raises:
            Fault: `sandbox_unavailable`, with the reason.
        """
        await self._forker.start()
        self._refill()

    async def take(self) -> Worker:
        """Hand out a ready child, at once if there is one.

        Raises:
            ZygoteLost: There will be none.
        """
        # Last come, first out: its memory is the likeliest to be in the processor's caches still.
        while self._ready:
            worker = self._ready.pop()
            if not self._ready:
                self._refill()
            if worker.is_alive():
                return worker
            self._forget(worker)
        while True:
            worker = await self._wait()
            if worker.ready:  # it may have ended since it was handed over
                return worker

    async def _wait(self) -> Worker:
        """Wait for the next child that becomes ready."""
        if self._ended:
            raise ZygoteLost
        self._grow()
        waiter: asyncio.Future[Worker] = self._loop.create_future()
        self._waiters.append(waiter)
        self._refill()
        try:
            async with asyncio.timeout(_LONGEST_WAIT):
                return await waiter
        except BaseException as failure:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            elif waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.discard(waiter.result())
            if isinstance(failure, TimeoutError):
                self._end()
                raise ZygoteLost from None
            raise

    def discard(self, worker: Worker) -> None:
        """End a child that was handed out, and see to it that another waits in its place."""
        self._forget(worker)
        self._refill()

    def retire(self) -> None:
        """Make no more children; the zygote ends with the last one that is at work."""
        self._ended = True
        if self._shrink is not None:
            self._shrink.cancel()
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_exception(ZygoteLost())
        while self._ready:
            self._forget(self._ready.pop())
        self._close_if_empty()

    async def close(self) -> None:
        """End the zygote and all its children, and wait until it is gone."""
        self.retire()
        self._forker.close()
        for worker in list(self._living):
            self._forget(worker)
        await self._forker.reaped()

    def _born(self, worker: Worker | None) -> None:
        self._forking -= 1
        if worker is None:
            self._miscarried()
        elif self._ended:
            worker.close()
            self._close_if_empty()
        else:
            self._living.add(worker)
            self._warming.add(worker)

    def _changed(self, worker: Worker) -> None:
        """A child became ready, or ended before it was asked anything."""
        self._warming.discard(worker)
        if worker.ready:
            self._stillborn = 0
            self._offer(worker)
            return
        if worker in self._ready:
            self._ready.remove(worker)
        self._forget(worker)
        self._miscarried()

    def _offer(self, worker: Worker) -> None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(worker)
                return
        if self._ended:
            self._forget(worker)
        else:
            self._ready.append(worker)

    def _miscarried(self) -> None:
        self._stillborn += 1
        if self._ended:
            self._close_if_empty()
        elif self._stillborn > _MOST_STILLBORN:
            self._end()
        else:
            self._refill()

    def _forget(self, worker: Worker) -> None:
        worker.close()
        self._living.discard(worker)
        self._warming.discard(worker)
        if self._ended:
            self._close_if_empty()

    def _refill(self) -> None:
        """Ask for as many children as are wanted and not yet on their way."""
        if self._ended:
            return
        coming = len(self._ready) + len(self._warming) + self._forking
        missing = self._target + len(self._waiters) - coming
        for _ in range(missing):
            self._forking += 1
            self._forker.fork()
        if self.worn and not self._told_worn:
            self._told_worn = True
            self._on_worn()

    def _grow(self) -> None:
        self._target = min(self._target + 1, self._most)
        if self._shrink is not None:
            self._shrink.cancel()
        self._shrink = self._loop.call_later(_SHRINK_SECONDS, self._shrink_by_one)

    def _shrink_by_one(self) -> None:
        self._shrink = None
        if self._target > self._least:
            self._target -= 1
            self._shrink = self._loop.call_later(_SHRINK_SECONDS, self._shrink_by_one)
        if len(self._ready) > self._target:
            self._forget(self._ready.pop(0))

    def _end(self) -> None:
        if not self._ended:
            self.retire()
            self._on_lost(self)

    def _close_if_empty(self) -> None:
        if not self._living and not self._forking:
            self._forker.close()
