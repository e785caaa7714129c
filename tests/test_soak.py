"""A real server under load while its zygote, its children and at last the server itself are killed at random.

`SOAK_SECONDS` says for how long (10 by default); `make soak` takes five minutes.
"""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from tests.sandbox.processes import descendants, ended, leaves, signal_all
from tests.server import SCRIPTOOL

SECONDS = float(os.environ.get("SOAK_SECONDS", "10"))
CALLERS = 16
LIVES = 2
"""How many servers are started, and killed under load, one after the other."""

ZYGOTE_SECONDS = 3.0
"""A zygote lives this long before it is killed: one that is killed at each start rightly makes scripts unavailable."""

EXCUSED = {"worker_lost", "overloaded"}


@dataclass
class Tally:
    """What callers saw."""

    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    cut: int = 0


async def start(folder: Path) -> tuple[asyncio.subprocess.Process, str]:
    """Start a server; give it and its address."""
    options = ["serve", str(folder), "--no-shared", "--port", "0"]
    server = await asyncio.create_subprocess_exec(
        str(SCRIPTOOL), *options, stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert server.stdout is not None
    line = (await server.stdout.readline()).decode()
    return server, line.split()[-1].removesuffix("/tools")


async def caller(url: str, number: int, tally: Tally) -> None:
    """Call until the server is gone; every answer must be the caller's own, or one of the excused faults."""
    async with httpx2.AsyncClient(base_url=url, timeout=60) as client:
        for turn in range(10**9):
            try:
                reply = (await client.post("/tools/echo", json={"n": number, "turn": turn})).json()
            except (httpx2.TransportError, ValueError):
                tally.cut += 1
                return
            code = "ok" if reply["ok"] else reply["error"]["code"]
            tally.answers[code] += 1
            if code not in EXCUSED and reply.get("result") != [number, turn]:
                tally.wrong.append(f"{number}/{turn}: {reply}")


async def killer(server: int, seconds: float, chance: random.Random) -> set[int]:
    """Kill children again and again for *seconds*, and the zygote now and then; give every process ever seen."""
    seen: set[int] = set()
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    zygote_next = loop.time() + ZYGOTE_SECONDS
    while loop.time() < until:
        family, children = descendants(server), leaves(server)
        seen |= family
        zygotes = family - children
        # A zygote that is still starting is a leaf too; two above a child are one that serves.
        victims = sorted(children) if len(zygotes) >= 2 else []
        if loop.time() > zygote_next:
            zygote_next = loop.time() + ZYGOTE_SECONDS
            victims = sorted(zygotes)
        signal_all(chance.sample(victims, min(len(victims), chance.choice([1, 1, 2, 5]))), signal.SIGKILL)
        await asyncio.sleep(chance.uniform(0.02, 0.3))  # the pace of the attack: nothing is waited for
    return seen | descendants(server)


@pytest.mark.timeout(SECONDS + 120)
async def test_killing_at_random_loses_no_caller_and_leaves_nothing_behind(folder: Path) -> None:
    (folder / "echo.py").write_text("def main(n: int, turn: int):\n    return [n, turn]\n")
    tally = Tally()
    chance = random.Random(7)
    for _ in range(LIVES):
        server, url = await start(folder)
        callers = [asyncio.create_task(caller(url, number, tally)) for number in range(CALLERS)]
        seen = await killer(server.pid, SECONDS / LIVES, chance)
        descriptors = len(os.listdir(f"/proc/{server.pid}/fd"))
        server.kill()
        await server.wait()
        async with asyncio.timeout(30):
            await asyncio.gather(*callers)
            await ended(*seen)
        assert descriptors < 400
    print(f"{dict(tally.answers)}, {tally.cut} connections cut", file=sys.stderr)
    assert tally.wrong == []
    assert tally.cut == CALLERS * LIVES
    assert tally.answers["ok"] > 100
    assert set(tally.answers) <= {"ok", *EXCUSED}
