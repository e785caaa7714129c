"""The cache of compiled texts."""

import asyncio

import pytest

from sandbox import Fault
from sandbox.process.cache import MOST_UNUSED, Cache, Compiled
from sandbox.process.compilation import Refusal
from sandbox.process.program import Module


def module(digest: str, size: int = 10) -> Module:
    return Module(digest, {"imports": []}, (), b"x" * size)


class Compiler:
    """Compiles when it is let; counts how often it was asked and how often it was cancelled."""

    def __init__(self, compiled: Compiled | Fault) -> None:
        self.compiled = compiled
        self.go = asyncio.Event()
        self.begun = asyncio.Event()
        self.calls = 0
        self.cancelled = 0

    async def __call__(self) -> Compiled:
        self.calls += 1
        self.begun.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.compiled, Fault):
            raise self.compiled
        return self.compiled


async def put(cache: Cache, compiled: Compiled) -> None:
    async def compile_it() -> Compiled:
        return compiled

    await cache.get(compiled.digest, compile_it)


def digests(cache: Cache) -> set[str]:
    return {entry["digest"] for entry in cache.report()["entries"]}


async def test_callers_at_the_same_moment_share_one_compile() -> None:
    cache, compiler = Cache(1 << 20), Compiler(module("a"))
    callers = [asyncio.create_task(cache.get("a", compiler)) for _ in range(50)]
    await compiler.begun.wait()
    compiler.go.set()
    assert await asyncio.gather(*callers) == [compiler.compiled] * 50
    assert compiler.calls == 1
    report = cache.report()
    assert (report["hits"], report["misses"], report["compiles"]) == (0, 50, 1)
    assert await cache.get("a", compiler) is compiler.compiled
    assert cache.report()["hits"] == 1
    assert cache.report()["entries"][0]["hits"] == 1


async def test_a_cancelled_caller_leaves_the_compile_to_the_others() -> None:
    cache, compiler = Cache(1 << 20), Compiler(module("a"))
    leaver, stayer = (asyncio.create_task(cache.get("a", compiler)) for _ in range(2))
    await compiler.begun.wait()
    leaver.cancel()
    await asyncio.wait([leaver])
    compiler.go.set()
    assert await stayer is compiler.compiled
    assert compiler.cancelled == 0


async def test_a_compile_nobody_waits_for_is_cancelled_and_the_next_caller_starts_anew() -> None:
    cache, compiler = Cache(1 << 20), Compiler(module("a"))
    caller = asyncio.create_task(cache.get("a", compiler))
    await compiler.begun.wait()
    caller.cancel()
    await asyncio.wait([caller])
    compiler.go.set()
    assert await cache.get("a", compiler) is compiler.compiled
    assert (compiler.calls, compiler.cancelled) == (2, 1)


async def test_a_refusal_is_kept_and_a_fault_is_not() -> None:
    cache = Cache(1 << 20)
    refusal = Refusal("refused", ({"rule": "syntax"},))
    await put(cache, refusal)
    assert cache.look("refused") is refusal
    assert cache.report()["entries"][0]["failed"] is True
    compiler = Compiler(Fault("timeout", "too slow"))
    compiler.go.set()
    for _ in range(2):
        with pytest.raises(Fault, match="too slow"):
            await cache.get("slow", compiler)
    assert compiler.calls == 2
    assert cache.look("slow") is None


async def test_bytes_are_bounded_and_the_least_recently_used_goes() -> None:
    size = module("a", 1000).size
    cache = Cache(3 * size)
    for name in "abc":
        await put(cache, module(name, 1000))
    await put(cache, module("a", 1000))
    await put(cache, module("d", 1000))
    assert digests(cache) == {"a", "c", "d"}
    report = cache.report()
    assert (report["evictions"], report["bytes"], report["max_bytes"]) == (1, 3 * size, 3 * size)


async def test_a_text_larger_than_the_cache_is_given_and_not_kept() -> None:
    cache = Cache(1000)
    await put(cache, module("huge", 5000))
    assert digests(cache) == set()


async def test_of_programs_no_file_uses_only_the_latest_are_kept() -> None:
    cache = Cache(1 << 24)
    names = [f"{number:03d}" for number in range(100)]
    for name in names:
        await put(cache, module(name))
    assert len(digests(cache)) == 100
    cache.keep(names[:10])
    assert digests(cache) == {*names[:10], *names[-MOST_UNUSED:]}
    await put(cache, module("new"))
    assert digests(cache) == {*names[:10], *names[-MOST_UNUSED + 1 :], "new"}


async def test_keeping_a_program_keeps_its_helpers() -> None:
    cache = Cache(1 << 24)
    await put(cache, module("main"))
    await put(cache, module("helper"))
    cache.remember("program", ["main", "helper"])
    cache.keep(["program"])
    for number in range(2 * MOST_UNUSED):
        await put(cache, module(str(number)))
    assert {"main", "helper"} < digests(cache)
    assert len(digests(cache)) == 2 + MOST_UNUSED
