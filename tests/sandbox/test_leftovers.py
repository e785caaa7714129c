"""What is left behind: no process, no zombie, no descriptor, whatever ends first."""

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import Fault, Sandbox
from tests.sandbox.processes import descendants, ended, signal_all

SERVER = """
import asyncio, sys
from sandbox import Sandbox

async def serve():
    async with Sandbox(without=sys.argv[1:], weak=True) as sandbox:
        program = await sandbox.compile(b"print(1)\\nwhile True: pass\\nreturn 1", "x.py")
        begun = asyncio.Event()
        calls = [sandbox.run(program, "x.py", {}, tell=lambda *_: begun.set()) for _ in range(3)]
        waiting = asyncio.gather(*calls)
        await begun.wait()
        print("begun", flush=True)
        await waiting

asyncio.run(serve())
"""


BUSY = b"total = 0\nfor n in range(20_000):\n    total += n\nreturn args['x']\n"


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.timeout(180)
async def test_two_thousand_calls_leave_no_descriptor_and_no_zombie() -> None:
    async with Sandbox() as sandbox:
        program = await sandbox.compile(b"return 1\n", "x.py")
        await asyncio.gather(*(sandbox.run(program, "x.py", {}) for _ in range(50)))
        before, family = descriptors(), len(descendants(os.getpid()))
        for _ in range(20):
            await asyncio.gather(*(sandbox.run(program, "x.py", {}) for _ in range(100)))
        # How many spares wait differs with the load; each has two descriptors.
        assert descriptors() <= before + 2 * 10
        assert len(descendants(os.getpid())) <= family + 10


async def test_a_closed_sandbox_leaves_no_process_and_no_descriptor() -> None:
    before, family = opened(), descendants(os.getpid())
    async with Sandbox() as sandbox:
        program = await sandbox.compile(b"return 1\n", "x.py")
        await asyncio.gather(*(sandbox.run(program, "x.py", {}) for _ in range(20)))
        own = descendants(os.getpid()) - family
        sockets = opened() - before
    await ended(*own)
    assert not own & descendants(os.getpid())
    assert not sockets & opened()


def opened() -> set[str]:
    """Give the sockets that are open, by the names the kernel never gives twice."""
    links = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the one that lists them
            links.add(str(descriptor.readlink()))
    return {link for link in links if link.startswith("socket:")}


@pytest.mark.parametrize("without", [[], ["namespaces"], ["parent_death"], ["seccomp", "rlimits"]])
async def test_a_server_killed_at_once_leaves_no_process(without: list[str]) -> None:
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, *without, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent.parent
    )
    assert server.stdout is not None
    assert await server.stdout.readline() == b"begun\n"
    family = descendants(server.pid)
    assert len(family) >= 3
    server.send_signal(signal.SIGKILL)
    await server.wait()
    await ended(*family)


@pytest.mark.timeout(120)
async def test_processes_killed_at_random_under_load_cost_no_caller_its_answer() -> None:
    chance = random.Random(int.from_bytes(os.urandom(4)))
    family = descendants(os.getpid())
    async with Sandbox() as sandbox:
        program = await sandbox.compile(BUSY, "x.py")
        before = descriptors()

        async def call(number: int) -> str:
            if number % 10 == 0:
                alive = sorted(descendants(os.getpid()) - family)
                signal_all(chance.sample(alive, min(1, len(alive))), signal.SIGKILL)
            try:
                outcome = await sandbox.run(program, "x.py", {"x": number})
            except Fault as fault:
                return fault.code
            return "own" if outcome.value == number else "another's"

        async def caller(first: int) -> list[str]:
            return [await call(first + number) for number in range(30)]

        endings = [ending for part in await asyncio.gather(*map(caller, range(0, 480, 30))) for ending in part]
        assert set(endings) <= {"own", "worker_lost"}
        assert endings.count("own") > 240
        assert (await sandbox.run(program, "x.py", {"x": 7})).value == 7
        assert descriptors() <= before + 2 * 10
        own = descendants(os.getpid()) - family
    await ended(*own)
