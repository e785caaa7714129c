"""Runs that ask and are ended meanwhile leave no place taken."""

import asyncio
from typing import Any

import pytest

from sandbox import Fault, Limits, Sandbox

FLOOD = b"""
print("begun")
for _ in range(10**7):
    ctx.client.can_ask
return 1
"""


@pytest.mark.parametrize("ended_by", ["timeout", "caller"])
async def test_runs_that_are_ended_while_they_ask_leave_their_places(ended_by: str) -> None:
    async def answer(_name: str, _payload: Any) -> dict[str, Any]:
        return {"elicitation": False}

    async with Sandbox(places=2) as sandbox:
        program = await sandbox.compile(FLOOD, "flood.py")
        limits = Limits(seconds=0.3 if ended_by == "timeout" else 60)

        async def flood(name: str, begun: asyncio.Event) -> None:
            await sandbox.run(program, name, {}, limits, ask=answer, tell=lambda *_what: begun.set())

        for _ in range(3):
            begun = asyncio.Event()
            calls = [asyncio.create_task(flood(f"flood{number % 2}.py", begun)) for number in range(6)]
            if ended_by == "caller":
                await begun.wait()
                for _ in range(200):
                    await asyncio.sleep(0)
                for call in calls:
                    call.cancel()
            ended = await asyncio.gather(*calls, return_exceptions=True)
            kind = asyncio.CancelledError if ended_by == "caller" else Fault
            assert all(isinstance(one, kind) for one in ended)
        await asyncio.sleep(0)
        report = sandbox.report()
        assert (report["running"], report["waiting"], report["live"]) == (0, 0, 0)
        after = await sandbox.compile(b"return 2\n", "after.py")
        assert (await sandbox.run(after, "after.py", {})).value == 2
