"""Who runs, who waits and who is refused."""

import asyncio

import pytest

from sandbox import Fault
from sandbox.process.places import Place, Places


def places(size: int = 2, *, line: int = 256, alive: int = 64, patience: float = 60.0) -> Places:
    return Places(size, line=line, alive=alive, patience=patience)


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


def calling(room: Places, tool: str, *, nested: bool = False) -> "asyncio.Task[Place]":
    return asyncio.create_task(room.take(tool, nested=nested))


async def test_as_many_run_as_there_are_places_and_the_next_gets_the_first_that_is_left() -> None:
    room = places(2)
    first = await room.take("a")
    await room.take("b")
    third = calling(room, "c")
    await settle()
    assert (room.running, room.waiting, third.done()) == (2, 1, False)
    first.leave()
    await third
    assert (room.running, room.waiting, room.begun) == (2, 0, 2)


async def test_one_tool_holds_all_places_but_one() -> None:
    room = places(4)
    slow = [calling(room, "slow") for _ in range(20)]
    await settle()
    assert sum(task.done() for task in slow) == 3
    await room.take("quick")


async def test_tools_take_turns_however_many_calls_each_has_in_line() -> None:
    room = places(1)
    holder = await room.take("first")
    order: list[str] = []

    async def call(tool: str) -> None:
        place = await room.take(tool)
        order.append(tool)
        place.leave()

    async with asyncio.TaskGroup() as group:
        for tool in ["busy", "busy", "busy", "calm", "calm"]:
            group.create_task(call(tool))
        await settle()
        holder.leave()
    assert order == ["busy", "calm", "busy", "calm", "busy"]


async def test_the_line_is_bounded_and_a_single_tool_does_not_fill_it() -> None:
    room = places(1, line=8)
    await room.take("a")
    waiting = [calling(room, "a") for _ in range(7)]
    await settle()
    with pytest.raises(Fault) as refusal:
        await room.take("a")
    other = calling(room, "b")
    await settle()
    with pytest.raises(Fault) as refusal:
        await room.take("c")
    assert refusal.value.code == "overloaded"
    assert refusal.value.details == {"retry_after": 1, "limit": "waiting_calls", "allowed": 8, "used": 8}
    for task in [*waiting, other]:
        task.cancel()
    await settle()
    assert room.waiting == 0


async def test_who_waits_too_long_is_told_so() -> None:
    room = places(1, patience=0.01)
    await room.take("a")
    with pytest.raises(Fault) as refusal:
        await room.take("b")
    assert refusal.value.code == "overloaded"
    assert refusal.value.details == {"retry_after": 1, "limit": "queue_seconds", "allowed": 0.01, "used": 0.01}
    assert room.waiting == 0


async def test_a_cancelled_call_leaves_the_line_also_in_the_moment_it_is_admitted() -> None:
    room = places(1)
    holder = await room.take("a")
    waiting, admitted = calling(room, "b"), calling(room, "c")
    await settle()
    waiting.cancel()
    await settle()
    holder.leave()
    admitted.cancel()
    await settle()
    assert (room.running, room.waiting, room.begun) == (0, 0, 0)


async def test_a_place_given_back_is_free_for_others_and_comes_back_first() -> None:
    room = places(1)
    caller = await room.take("caller")
    caller.give_back()
    nested = await room.take("nested", nested=True)
    outside = calling(room, "outside")
    again = asyncio.create_task(caller.take_again())
    await settle()
    assert (again.done(), outside.done()) == (False, False)
    nested.leave()
    await again
    assert not outside.done()
    caller.leave()
    await outside


async def test_nested_calls_go_before_those_from_outside_also_when_the_line_is_full() -> None:
    room = places(1, line=1)
    holder = await room.take("a")
    outside = calling(room, "b")
    await settle()
    nested = calling(room, "c", nested=True)
    await settle()
    holder.leave()
    (await nested).leave()
    await outside


async def test_a_nested_call_never_waits_for_the_end_of_calls_that_wait_for_it() -> None:
    room = places(2, alive=3)
    for _ in range(3):
        (await room.take("caller")).give_back()
    with pytest.raises(Fault) as refusal:
        await room.take("nested", nested=True)
    assert refusal.value.code == "overloaded"
    assert refusal.value.details["limit"] == "live_calls"


async def test_a_call_cancelled_while_it_takes_its_place_again_holds_none() -> None:
    room = places(1)
    caller = await room.take("a")
    caller.give_back()
    holder = await room.take("b")
    again = asyncio.create_task(caller.take_again())
    await settle()
    again.cancel()
    await settle()
    caller.leave()
    holder.leave()
    assert (room.running, room.begun) == (0, 0)


async def test_a_call_that_stepped_aside_is_not_alive_until_it_steps_back() -> None:
    room = places(1, alive=1)
    paused = await room.take("a")
    paused.give_back()
    paused.step_aside()
    paused.step_aside()
    other = await room.take("b")
    waiting = calling(room, "c")
    await settle()
    assert (room.begun, room.running, waiting.done()) == (1, 1, False)
    paused.step_back()
    paused.step_back()
    assert room.begun == 2
    other.leave()
    await settle()
    assert (room.begun, waiting.done()) == (1, False)
    paused.leave()
    (await waiting).leave()
    assert (room.begun, room.running) == (0, 0)


async def test_a_call_that_left_takes_no_place_again() -> None:
    room = places(1)
    first = await room.take("tool")
    first.give_back()
    second = await room.take("tool")
    returning = asyncio.create_task(first.take_again())
    await asyncio.sleep(0)
    first.leave()
    second.leave()
    await returning
    assert (room.running, room.begun, first.held) == (0, 0, False)
