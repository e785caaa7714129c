"""Real sandboxes for the tests, and programs that have left the language already."""

import marshal
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from blockbuster import BlockBuster, blockbuster_ctx

from sandbox import Outcome, Program, Sandbox
from sandbox.program import MAIN, Module, module_digest

RunText = Callable[..., Any]

OUTLINE = {
    "form": "function",
    "doc": None,
    "takes_args": True,
    "parameters": [],
    "returns": None,
    "classes": {},
    "functions": ["main"],
    "imports": [],
    "block": None,
}

FIND_BUILTINS = """
def _all_of_python():
    for kind in object.__subclasses__() if "object" in globals() else ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            return kind.__init__.__globals__["sys"].modules["builtins"]
builtins = _all_of_python()
"""
"""What whoever has left the language can do: go from any object to the real builtins."""


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
        # Starting an interpreter waits for its exec, about a millisecond; a thread would outlive the parent's death.
        blockbuster.functions["os.read"].can_block_in("subprocess.py", {"_execute_child"})
        yield blockbuster


def raw_program(text: str, *, imports: str = "os, sys") -> Program:
    """Give a program of plain Python that is not under the policy: what a full escape of the language leads to.

    It is a child's product like any other, so nothing but the text differs from a real run. *text* defines
    `main(args)` and finds `builtins` and the modules *imports* at hand.
    """
    names = [name.strip() for name in imports.split(",")]
    source = FIND_BUILTINS + "".join(f"{name} = builtins.__import__({name!r})\n" for name in names) + text
    product = marshal.dumps((compile(source, "<script>", "exec"), source.splitlines(), OUTLINE))
    digest = module_digest(MAIN, source.encode())
    return Program(digest, {MAIN: Module(digest, OUTLINE, (), product)})
