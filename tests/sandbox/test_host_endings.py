"""How a script ends that does not want to, in the process of an application: in time, and alone."""

import asyncio
import contextlib
import decimal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

import pytest

from sandbox import Fault, Limits, Outcome, Sandbox
from tests.sandbox.hosted import hosted, run

NAME: ContextVar[str] = ContextVar("NAME")

CATCHES = {
    "in a handler": "while True:\n    try:\n        while True: x = 1\n    except BaseException:\n        x = 5",
    "in a finally": "while True:\n    try:\n        while True: pass\n    finally:\n        continue",
    "by a context manager": """
class Deaf:
    def __enter__(self): return self
    def __exit__(self, *error): return True
while True:
    with Deaf():
        while True: pass
""",
    "by one of the library": """
from contextlib import suppress
while True:
    with suppress(BaseException):
        for _ in iter(int, 1): pass
""",
    "on many levels": """
def deaf(depth):
    while True:
        try:
            deaf(depth - 1) if depth else None
            while True: pass
        except BaseException:
            deaf(depth - 1) if depth else None
deaf(30)
""",
    "at the end of the stack": """
def deep():
    try:
        deep()
    except RecursionError:
        pass
    while True:
        try:
            while True: pass
        except BaseException: pass
deep()
""",
    "in a destructor": """
class Bomb:
    def __del__(self):
        while True:
            try:
                while True: pass
            except BaseException: pass
while True:
    Bomb()
""",
    "in a comparison that is lost": """
class Deaf:
    def __hash__(self): return 1
    def __eq__(self, other):
        while True: pass
while True:
    try: {Deaf(): 1}[Deaf()]
    except BaseException: pass
""",
    "in tasks": """
import asyncio
async def deaf():
    while True:
        try:
            await asyncio.sleep(0)
            while True: pass
        except BaseException: pass
async def main():
    await asyncio.gather(*[deaf() for _ in range(100)])
""",
    "while it waits": """
import asyncio
async def main():
    while True:
        try: await asyncio.sleep(60)
        except BaseException: pass
""",
    "in a generator": """
def deaf():
    while True:
        try:
            while True: pass
        except BaseException:
            yield 1
while True:
    for _ in deaf(): pass
""",
    "by a stack of callbacks": """
import contextlib
with contextlib.ExitStack() as stack:
    for _ in range(10_000): stack.callback(sum, range(1_000_000))
""",
    "by a stack of asynchronous callbacks": """
import contextlib
async def main():
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(10_000): stack.callback(sum, range(1_000_000))
""",
    "by calls of the loop": """
import asyncio
async def main():
    for _ in range(10_000): asyncio.get_running_loop().call_soon(sum, range(1_000_000))
    await asyncio.sleep(60)
""",
    "on one line": "while True:\n    try: [0 for _ in iter(int, 1)]\n    except BaseException: continue",
}


@pytest.fixture
def losses() -> Iterator[list[Any]]:
    """Collect the errors that no code can take, such as those of destructors."""
    lost: list[Any] = []
    before, sys.unraisablehook = sys.unraisablehook, lambda unraisable: lost.append(unraisable.exc_type)
    yield lost
    sys.unraisablehook = before


@pytest.mark.parametrize("text", CATCHES.values(), ids=CATCHES)
async def test_a_script_that_catches_its_own_end_is_ended(sandbox: Sandbox, text: str, losses: list[Any]) -> None:
    del losses
    limit, trace, hooks = sys.getrecursionlimit(), sys.gettrace(), sys.get_asyncgen_hooks()
    with pytest.raises(Fault) as caught:
        await run(sandbox, text, {}, Limits(seconds=0.1))
    told = caught.value.to_json()
    assert (told["code"], told.get("limit")) == ("timeout", "seconds"), told
    assert (sys.getrecursionlimit(), sys.gettrace(), sys.get_asyncgen_hooks()) == (limit, trace, hooks)
    assert (await run(sandbox, "return sum(range(1000))", {}))[0] == Outcome(499500)


WAITS = [
    "import time\ntime.sleep(1000)",
    "import time\nclass Long(int):\n    def __index__(self): return 0\ntime.sleep(Long(1000))",
    "import queue\nqueue.Queue().get()",
    "import queue\nqueue.LifoQueue().get(timeout=1000)",
    "import queue\nq = queue.PriorityQueue(1)\nq.put(1)\nq.put(2)",
    "import queue\nqueue.SimpleQueue().get()",
    "import queue\nq = queue.Queue()\nq.put(1)\nq.join()",
]


@pytest.mark.parametrize("text", WAITS)
async def test_a_script_that_waits_for_nothing_is_ended(sandbox: Sandbox, text: str) -> None:
    program = await sandbox.compile(text.encode(), "waits.py")
    with pytest.raises(Fault) as caught:
        await asyncio.to_thread(hosted, program, text.encode(), {}, limits=Limits(seconds=0.1))
    assert caught.value.code == "timeout"


USES_OF_WAITS = """
import queue, time
said = []
def fails(call, *arguments, **named):
    try: call(*arguments, **named)
    except Exception as error: said.append(f"{type(error).__name__}: {error}")
for length in (-1, "x", float("inf"), float("nan")): fails(time.sleep, length)
q = queue.PriorityQueue(2)
fails(q.get, timeout=0.06)
fails(q.get, False)
fails(q.get, timeout=-1)
q.put(2)
q.put(1)
fails(q.put, 3, timeout=0.06)
fails(q.put_nowait, 3)
said.append([q.get(), q.get_nowait()])
s = queue.SimpleQueue()
s.put(4)
said.append(s.get(timeout=1))
fails(s.get, True, 0.06)
time.sleep(0.06)
q.task_done()
q.task_done()
q.join()
return [said, queue.Queue.__module__, isinstance(q, queue.Queue)]
"""


async def test_waits_of_a_script_are_those_of_the_library(sandbox: Sandbox) -> None:
    text = USES_OF_WAITS.encode()
    program = await sandbox.compile(text, "waits.py")
    plain = (await sandbox.run(program, "waits.py", {})).value
    assert (await asyncio.to_thread(hosted, program, text, {})).value == plain


async def test_loops_of_the_application_are_left_to_end(sandbox: Sandbox) -> None:
    done: list[int] = []

    class Group:
        def close(self) -> None:
            with contextlib.ExitStack() as stack:
                for number in range(3):
                    stack.callback(done.append, number)
                while True:
                    pass

    text = "try: group.close()\nexcept BaseException: pass"
    with pytest.raises(Fault):
        await run(sandbox, text, {"group": Group()}, Limits(seconds=0.1))
    assert done == [2, 1, 0]


async def test_what_the_application_tidies_up_at_the_end_of_a_script_is_tidied_up(sandbox: Sandbox) -> None:
    done: list[str] = []

    class Undo:
        def group(self, work: Callable[[], None]) -> None:
            try:
                work()
            finally:
                self.close()

        def close(self) -> None:
            done.append("close")
            done.append("redraw")

    text = "def work():\n    while True:\n        try:\n            while True: pass\n"
    text += "        except BaseException: pass\nundo.group(work)"
    with pytest.raises(Fault):
        await run(sandbox, text, {"undo": Undo()}, Limits(seconds=0.1))
    assert done == ["close", "redraw"]


async def test_what_the_thread_does_while_a_script_waits_is_not_ended_with_it(sandbox: Sandbox) -> None:
    waiting = await sandbox.compile(b"return ctx.secret('x')", "waiting.py")
    text = b"import time\nend = time.monotonic() + 0.3\nwhile time.monotonic() < end: pass\nreturn 'done'"
    other = await sandbox.compile(text, "other.py")
    answer: Future[Any] = Future()
    outcomes: list[Any] = []
    found: list[Any] = []

    def idle() -> None:
        if outcomes:
            return
        found.append((asyncio.get_running_loop(), sys.get_asyncgen_hooks(), decimal.getcontext().prec, NAME.get()))
        outcomes.append(hosted(other, text, {}))
        answer.set_result("late")

    NAME.set("application")
    expected = asyncio.get_running_loop(), sys.get_asyncgen_hooks(), decimal.getcontext().prec, "application"
    with pytest.raises(Fault) as caught:
        hosted(
            waiting,
            b"return ctx.secret('x')",
            {},
            limits=Limits(seconds=0.1),
            ask=lambda *_: answer,
            idle=idle,
        )
    assert (caught.value.code, outcomes, found) == ("timeout", [Outcome("done")], [expected])


async def test_a_script_whose_time_is_over_while_another_runs_on_its_thread_is_ended_all_the_same(
    sandbox: Sandbox,
) -> None:
    text = b"try: ctx.secret('x')\nexcept Exception: pass\nwhile True:\n    try:\n        while True: pass\n"
    text += b"    except BaseException: pass"
    outer = await sandbox.compile(text, "outer.py")
    spinning = b"import time\nend = time.monotonic() + 0.3\nwhile time.monotonic() < end: pass\nreturn 'done'"
    inner = await sandbox.compile(spinning, "inner.py")
    deaf = b"while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    late = await sandbox.compile(deaf, "late.py")
    answer: Future[Any] = Future()
    endings: list[Any] = []

    def idle() -> None:
        if not endings:
            endings.append(hosted(inner, spinning, {}))
            with pytest.raises(Fault) as caught:
                hosted(late, deaf, {}, limits=Limits(seconds=0.2))
            endings.append(caught.value.code)
            answer.set_result("late")

    before = sys.gettrace(), sys.unraisablehook, threading.active_count()
    with pytest.raises(Fault) as caught:
        hosted(outer, text, {}, limits=Limits(seconds=0.1), ask=lambda *_: answer, idle=idle)
    assert (caught.value.code, endings) == ("timeout", [Outcome("done"), "timeout"])
    assert (sys.gettrace(), sys.unraisablehook, threading.active_count()) == before


async def test_scripts_that_wait_past_their_time_leave_the_means_to_end_another(sandbox: Sandbox) -> None:
    waiting = await sandbox.compile(b"return ctx.secret('x')", "waiting.py")
    deaf = b"while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    last = await sandbox.compile(deaf, "last.py")
    codes: list[str] = []

    def run_inside_of(depth: int) -> None:
        with pytest.raises(Fault) as caught:
            if depth:
                wait_around(depth)
            else:
                hosted(last, deaf, {}, limits=Limits(seconds=0.2))
        codes.append(caught.value.code)

    def wait_around(depth: int) -> None:
        answer: Future[Any] = Future()

        def idle() -> None:
            if not answer.done():
                run_inside_of(depth - 1)
                answer.set_result("late")

        hosted(
            waiting,
            b"return ctx.secret('x')",
            {},
            limits=Limits(seconds=0.05),
            ask=lambda *_: answer,
            idle=idle,
        )

    run_inside_of(8)
    assert codes == ["timeout"] * 9
