"""Large bodies and values are read and judged while others go on."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from typing import Any

import anyio
import httpx2
import pytest

from scriptool.offload import Offload


@pytest.fixture
def offload() -> Iterator[Offload]:
    one = Offload()
    yield one
    one.close()


async def test_what_is_large_is_worked_on_in_a_thread_and_all_else_at_once(offload: Offload) -> None:
    here = threading.get_ident()
    assert await offload.run(False, threading.get_ident) == here
    assert await offload.run(True, threading.get_ident) != here


async def test_others_go_on_while_a_thread_works(offload: Offload) -> None:
    end = threading.Event()

    async def go_on() -> None:
        end.set()

    with anyio.fail_after(10):
        assert (await asyncio.gather(offload.run(True, end.wait, 10), go_on()))[0] is True


async def test_what_fails_in_a_thread_fails_for_who_asked(offload: Offload) -> None:
    with pytest.raises(ZeroDivisionError):
        await offload.run(True, divmod, 1, 0)


async def turns_of_others(work: Coroutine[Any, Any, Any]) -> int:
    """Do *work*, and give how often another task had its turn meanwhile."""
    turns = 0
    task = asyncio.create_task(work)
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    await task
    return turns


async def test_others_have_their_turn_while_a_large_body_is_read(client: httpx2.AsyncClient) -> None:
    async def post(members: int) -> None:
        body = "{" + ",".join(f'"{number % (members - 1)}":0' for number in range(members)) + "}"
        reply = await client.post("/tools/any", content=body, headers={"content-type": "application/json"})
        assert reply.json()["error"]["message"].startswith("The body is not JSON: the key '0' stands twice")

    assert await turns_of_others(post(2)) < 5  # nothing to wait for: what is small is read at once
    assert await turns_of_others(post(300_000)) > 20
