"""Large bodies and values are read and judged while others go on."""

import asyncio
import json
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


class Seen(list[Any]):
    """A list that knows the threads it was gone through in."""

    threads: set[int]

    def __iter__(self) -> Iterator[Any]:
        self.threads.add(threading.get_ident())
        return super().__iter__()


@pytest.mark.parametrize(("size", "elsewhere"), [(10, False), (20_000, True)])
async def test_large_arguments_are_judged_in_a_thread(call: Any, write_tool: Any, size: int, elsewhere: bool) -> None:
    write_tool("count.py", "def main(many: list[int]) -> list[int]:\n    return many\n")
    many = Seen(["1"] * size)
    many.threads = set()
    assert (await call("count", many=many)).value == [1] * size
    assert bool(many.threads - {threading.get_ident()}) is elsewhere


@pytest.mark.timeout(60)
async def test_what_takes_too_long_to_judge_is_refused(call: Any, write_tool: Any) -> None:
    schema = {"type": "object", "properties": {"many": {"items": {"type": "integer"}}}}
    fields = {"name": "count", "description": "x", "kind": "script", "file": "count.py", "inputSchema": schema}
    write_tool("count.json", json.dumps(fields))
    write_tool("count.py", "return 1\n")
    result = await call("count", many=[1] * 400_000)
    assert result.error["problems"][0]["message"] == "takes too long to be held against the schema"
