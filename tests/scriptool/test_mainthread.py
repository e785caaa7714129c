"""The main thread: what other threads ask of it is done where the application pumps, in order, once, or not at all."""

import asyncio
import threading
from functools import partial

import pytest

from scriptool.host import Host
from scriptool.objects.mainthread import NotPumped, StillRunning
from tests.application import host, running


async def test_what_runs_on_the_main_thread_runs_where_the_host_pumps() -> None:
    one = host()
    with running(one) as main:
        assert await one.run_on_main(threading.current_thread, 10) is main
        with pytest.raises(ZeroDivisionError):
            await one.run_on_main(lambda: 1 // 0, 10)


async def test_calls_from_many_threads_are_done_one_by_one_and_all_answered() -> None:
    one = host()
    inside: list[int] = []
    most = 0

    def work(number: int) -> int:
        nonlocal most
        inside.append(number)
        most = max(most, len(inside))
        assert one.pump() == 0  # a pump within a pump does nothing
        inside.remove(number)
        return number

    async def ask(start: int) -> list[int]:
        return [await one.run_on_main(partial(work, number), 10) for number in range(start, start + 20)]

    with running(one):
        parts = await asyncio.gather(*(asyncio.to_thread(asyncio.run, ask(start * 20)) for start in range(5)))
    assert [number for part in parts for number in part] == list(range(100))
    assert most == 1


async def test_work_that_waits_may_go_on_with_what_it_waits_for() -> None:
    one = host()
    order: list[str] = []

    def outer() -> None:
        one.main_thread.go_on()
        order.append("outer")

    tasks = [asyncio.create_task(one.run_on_main(outer, 10))]
    tasks += [asyncio.create_task(one.run_on_main(partial(order.append, name), 10)) for name in ("second", "third")]
    await asyncio.sleep(0)
    assert one.pump() == 1
    await asyncio.gather(*tasks)
    assert order == ["second", "third", "outer"]


async def test_a_host_that_does_not_pump_is_told_apart_from_slow_work() -> None:
    one = host()
    ran: list[str] = []
    with pytest.raises(NotPumped):
        await one.run_on_main(lambda: ran.append("late"), 0.01)
    assert one.pump() == 0  # it was withdrawn
    hold = threading.Event()
    with running(one):
        with pytest.raises(StillRunning):
            await one.run_on_main(hold.wait, 0.05)
        hold.set()
    assert ran == []


async def test_cancelled_work_that_has_not_begun_is_never_done() -> None:
    one = host()
    ran: list[str] = []
    task = asyncio.create_task(one.run_on_main(lambda: ran.append("done"), 10))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (one.pump(), ran) == (0, [])


async def test_an_application_with_a_queue_of_its_own_needs_no_timer() -> None:
    loop = asyncio.get_running_loop()
    one = Host(roots={"x": 1}, schedule=loop.call_soon_threadsafe)
    assert await one.run_on_main(lambda: 5, 10) == 5
