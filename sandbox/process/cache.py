"""Cache: what the compiler made of each text, by digest; bounded by bytes, and made once however many ask."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache

from sandbox.process.compilation import Refusal
from sandbox.process.program import Module

MOST_UNUSED = 64
"""How many texts are kept that no present file has."""

_MOST_CLOSURES = 10_000

Compiled = Module | Refusal
"""What a compiler makes of a text."""


@dataclass
class Entry:
    """One text in the cache."""

    compiled: Compiled
    since: float
    hits: int = 0


@dataclass(eq=False)
class _Flight:
    """A compile under way and how many wait for it."""

    task: "asyncio.Task[Compiled]"
    waiting: int = 0


class _Entries(LRUCache[str, Entry]):
    """Least recently used goes first; each eviction is told."""

    def __init__(self, max_bytes: int, on_evict: Callable[[str], None]) -> None:
        super().__init__(max_bytes, getsizeof=lambda entry: entry.compiled.size)
        self._on_evict = on_evict

    def popitem(self) -> tuple[str, Entry]:
        digest, entry = super().popitem()
        self._on_evict(digest)
        return digest, entry


class Cache:
    """Compiled texts; lives as long as the sandbox. Belongs to one event loop.

    Refusals are kept as modules are; what a compile raises never is.
    """

    def __init__(self, max_bytes: int) -> None:
        self._entries = _Entries(max_bytes, self._evicted)
        self._flights: dict[str, _Flight] = {}
        self._closures: LRUCache[str, tuple[str, ...]] = LRUCache(_MOST_CLOSURES)
        self._used: frozenset[str] | None = None
        self._unused: OrderedDict[str, None] = OrderedDict()
        self._hits = self._misses = self._compiles = self._evictions = 0

    def look(self, digest: str) -> Compiled | None:
        """Give what is known of a text, without making or counting anything."""
        entry = self._entries.get(digest)
        return entry.compiled if entry else None

    async def get(self, digest: str, compile_it: Callable[[], Awaitable[Compiled]]) -> Compiled:
        """Give what is known of a text, or compile it.

        Callers that ask at the same time wait for one compile, which goes on until nobody waits for it any more.

        Raises:
            Fault: What *compile_it* raises, which is not kept.
        """
        if (entry := self._entries.get(digest)) is not None:
            self._hits += 1
            entry.hits += 1
            if digest in self._unused:
                self._unused.move_to_end(digest)
            return entry.compiled
        self._misses += 1
        flight = self._flights.get(digest)
        if flight is None:
            flight = self._flights[digest] = _Flight(asyncio.ensure_future(self._fly(digest, compile_it)))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                # Not later: who asks next must not join a compile that is being cancelled.
                self._land(digest, flight)
                flight.task.cancel()

    def remember(self, program: str, modules: Iterable[str]) -> None:
        """Note of which texts a program consists, so that keeping it keeps them."""
        self._closures[program] = tuple(modules)

    def keep(self, digests: Iterable[str]) -> None:
        """Name the programs (or single texts) that present files use; of the others only the latest few are kept.

        Until this is first called, all count as used.
        """
        named = set(digests)
        self._used = frozenset(named.union(*(self._closures.get(digest, ()) for digest in named)))
        # In the order of their last use, as far as it is known.
        before = self._unused
        self._unused = OrderedDict.fromkeys(
            [digest for digest in before if digest not in self._used]
            + [digest for digest in self._entries if digest not in self._used and digest not in before]
        )
        self._drop_unused()

    def report(self) -> dict[str, Any]:
        """Give entries and counters, as JSON; `age` in seconds."""
        now = time.monotonic()
        return {
            "entries": [
                {
                    "digest": digest,
                    "bytes": entry.compiled.size,
                    "age": round(now - entry.since, 3),
                    "hits": entry.hits,
                    "failed": isinstance(entry.compiled, Refusal),
                }
                for digest, entry in self._entries.items()
            ],
            "hits": self._hits,
            "misses": self._misses,
            "compiles": self._compiles,
            "evictions": self._evictions,
            "bytes": self._entries.currsize,
            "max_bytes": self._entries.maxsize,
        }

    async def _fly(self, digest: str, compile_it: Callable[[], Awaitable[Compiled]]) -> Compiled:
        flight = self._flights[digest]
        self._compiles += 1
        try:
            compiled = await compile_it()
        finally:
            self._land(digest, flight)
        self._put(digest, compiled)
        return compiled

    def _land(self, digest: str, flight: _Flight) -> None:
        if self._flights.get(digest) is flight:
            del self._flights[digest]

    def _put(self, digest: str, compiled: Compiled) -> None:
        if compiled.size > self._entries.maxsize:
            return  # it would push out all others and still not fit
        self._entries[digest] = Entry(compiled, time.monotonic())
        if self._used is not None and digest not in self._used:
            self._unused[digest] = None
            self._drop_unused()

    def _drop_unused(self) -> None:
        while len(self._unused) > MOST_UNUSED:
            digest, _ = self._unused.popitem(last=False)
            if self._entries.pop(digest, None) is not None:
                self._evictions += 1

    def _evicted(self, digest: str) -> None:
        self._evictions += 1
        self._unused.pop(digest, None)
