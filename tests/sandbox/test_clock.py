"""The clock of a call."""

import asyncio

import pytest

from sandbox.process import clock as clock_module
from sandbox.process.clock import Clock


async def test_it_calls_when_the_seconds_are_over() -> None:
    over = asyncio.Event()
    clock = Clock(0.02, over.set)
    clock.start()
    await over.wait()
    assert clock.spent >= 0.02


async def test_seconds_spent_before_count() -> None:
    over = asyncio.Event()
    clock = Clock(1000, over.set)
    clock.start(spent=1000)
    await over.wait()


async def test_it_stands_still_until_every_pause_is_over() -> None:
    over = asyncio.Event()
    clock = Clock(0.05, over.set)
    clock.start()
    clock.pause()
    clock.pause()
    spent = clock.spent
    clock.resume()
    await asyncio.wait([asyncio.create_task(over.wait())], timeout=0.1)
    assert (over.is_set(), clock.spent) == (False, spent)
    clock.resume()
    await over.wait()


async def test_what_computes_for_too_long_is_over_also_while_it_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_module, "LOOK_SECONDS", 0.01)
    over, used = asyncio.Event(), [5.0]
    clock = Clock(10, over.set, lambda: used[0])
    clock.start()
    clock.pause()
    await asyncio.wait([asyncio.create_task(over.wait())], timeout=0.05)
    assert not over.is_set()
    used[0] = 10.0
    await over.wait()
    clock.stop()


async def test_a_stopped_clock_calls_nobody() -> None:
    over = asyncio.Event()
    clock = Clock(0.01, over.set)
    clock.start()
    clock.stop()
    await asyncio.wait([asyncio.create_task(over.wait())], timeout=0.05)
    assert not over.is_set()
