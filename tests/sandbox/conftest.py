"""Real sandboxes for the tests."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from blockbuster import BlockBuster, blockbuster_ctx

from sandbox import Outcome, Sandbox

RunText = Callable[..., Any]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on asyncio, in one loop, so that they can share a sandbox."""
    return "asyncio"


@pytest.fixture(scope="session")
async def sandbox() -> AsyncIterator[Sandbox]:
    """Give a sandbox that tests share, since none can tell it from a fresh one."""
    async with Sandbox() as one:
        yield one


@pytest.fixture
def run_text(sandbox: Sandbox) -> RunText:
    """Give a function that compiles and runs a script: `await run_text("return args['x']", x=1)`."""

    async def run(text: str, **args: Any) -> Outcome:
        program = await sandbox.compile(text.encode(), "script.py")
        return await sandbox.run(program, "script.py", args)

    return run


@pytest.fixture(autouse=True)
def nothing_blocks_the_event_loop() -> Iterator[BlockBuster]:
    """Fail a test in which the sandbox blocks the loop."""
    with blockbuster_ctx("sandbox") as blockbuster:
        # Starting an interpreter waits for its exec, about a millisecond; a thread would end and take the zygote along.
        blockbuster.functions["os.read"].can_block_in("subprocess.py", {"_execute_child"})
        yield blockbuster
