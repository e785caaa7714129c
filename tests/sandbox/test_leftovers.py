"""What is left behind: no process, no zombie, no descriptor, whatever ends first."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import Sandbox
from tests.sandbox.processes import descendants, ended

SERVER = """
import asyncio, os
from sandbox import Sandbox

async def serve():
    async with Sandbox() as sandbox:
        program = await sandbox.compile(b"print(1)\\nwhile True: pass\\nreturn 1", "x.py")
        begun = asyncio.Event()
        calls = [sandbox.run(program, "x.py", {}, tell=lambda *_: begun.set()) for _ in range(3)]
        waiting = asyncio.gather(*calls)
        await begun.wait()
        print("begun", flush=True)
        await waiting

asyncio.run(serve())
"""


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.timeout(90)
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
    async with Sandbox() as sandbox:  # what the loop and the imports open once is open now
        await sandbox.compile(b"return 1\n", "x.py")
    before, family = descriptors(), descendants(os.getpid())
    async with Sandbox() as sandbox:
        program = await sandbox.compile(b"return 1\n", "x.py")
        await asyncio.gather(*(sandbox.run(program, "x.py", {}) for _ in range(20)))
        own = descendants(os.getpid()) - family
    await ended(*own)
    assert descriptors() == before
    assert not own & descendants(os.getpid())


async def test_a_server_killed_at_once_leaves_no_process(tmp_path: Path) -> None:
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent.parent
    )
    assert server.stdout is not None
    assert await server.stdout.readline() == b"begun\n"
    family = descendants(server.pid)
    assert len(family) >= 4
    server.send_signal(signal.SIGKILL)
    await server.wait()
    await ended(*family)
