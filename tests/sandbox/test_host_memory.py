"""How what a script made is freed in the process of an application: as its own doing, or without running its code."""

import asyncio
import gc
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox import Outcome, Sandbox
from tests.sandbox.hosted import Light, added_to, objects_of_scripts, run


@pytest.fixture
def losses() -> Iterator[list[Any]]:
    """Collect the errors that no code can take, such as those of destructors."""
    lost: list[Any] = []
    before, sys.unraisablehook = sys.unraisablehook, lambda unraisable: lost.append(unraisable.exc_type)
    yield lost
    sys.unraisablehook = before


LEFTOVERS = {
    "a destructor": """
class Bomb:
    def __del__(self):
        light.set_intensity(77)
        while True: pass
bomb = Bomb()
bomb.itself = bomb
return 1
""",
    "a destructor in a global of the module form": """
class Bomb:
    def __del__(self):
        light.set_intensity(77)
bomb = Bomb()
class Keeper:
    kept = bomb
def main():
    return 1
""",
    "a generator": """
def endless():
    try:
        yield
    finally:
        light.set_intensity(77)
        while True: pass
kept = [endless()]
next(kept[0])
kept.append(kept)
return 1
""",
    "a context manager of a generator": """
class Deaf:
    def __enter__(self): pass
    def __exit__(self, *error):
        light.set_intensity(77)
        return True
def endless():
    with Deaf(): yield
kept = [endless()]
next(kept[0])
kept.append(kept)
return 1
""",
    "an asynchronous generator that the application's loop would end": """
async def endless():
    try:
        yield 1
    finally:
        light.set_intensity(77)
kept = [endless()]
try: anext(kept[0]).send(None)
except StopIteration: pass
kept.append(kept)
return 1
""",
    "what a stream and a log were told to use": """
import contextlib, logging
class Sink:
    def write(self, text): return 0
    def flush(self): pass
    def __del__(self):
        light.set_intensity(77)
logging.getLogger("x").addHandler(logging.StreamHandler(Sink()))
contextlib.redirect_stdout(Sink()).__enter__()
return 1
""",
}


@pytest.mark.parametrize("text", LEFTOVERS.values(), ids=LEFTOVERS)
async def test_nothing_of_a_script_runs_after_it(sandbox: Sandbox, text: str, losses: list[Any]) -> None:
    light, trace, frozen, before = Light(), sys.gettrace(), gc.get_freeze_count(), objects_of_scripts()
    assert (await run(sandbox, text, {"light": light}))[0] == Outcome(1)
    gc.collect()
    for _ in range(3):
        await asyncio.sleep(0)
    assert (light.intensity, losses) == (2.0, [])
    assert (sys.gettrace(), gc.get_freeze_count()) == (trace, frozen)
    assert added_to(before) == []


async def test_an_application_that_set_its_memory_aside_finds_it_so(sandbox: Sandbox) -> None:
    gc.freeze()
    try:
        light = Light()
        assert (await run(sandbox, LEFTOVERS["a destructor"], {"light": light}))[0] == Outcome(1)
        gc.collect()
        assert (light.intensity, gc.get_freeze_count() > 0) == (2.0, True)
    finally:
        gc.unfreeze()


async def test_a_destructor_of_the_application_is_run_as_ever(sandbox: Sandbox) -> None:
    freed: list[int] = []

    class Handle:
        def __del__(self) -> None:
            for number in range(3):
                freed.append(number)  # noqa: PERF402 - step by step

    class Factory:
        def make(self) -> Handle:
            return Handle()

    text = "handle = factory.make()\nkept = [handle]\nkept.append(kept)\nreturn 1"
    assert (await run(sandbox, text, {"factory": Factory()}))[0] == Outcome(1)
    assert freed == [0, 1, 2]


CYCLES = """
class Bomb:
    def __del__(self):
        seen.note()
def endless():
    try: yield
    finally: seen.note()
for _ in range(200):
    bomb = Bomb()
    bomb.itself = bomb
    steps = endless()
    next(steps)
    kept = [steps]
    kept.append(kept)
    del bomb, kept, steps
    for _ in range(2000): pass
seen.take(Bomb())
return 1
"""


async def test_what_a_script_leaves_is_freed_on_no_other_thread(sandbox: Sandbox) -> None:
    class Seen:
        def __init__(self) -> None:
            self.threads: set[int] = set()
            self.over = threading.Event()
            self.taken: list[Any] = []

        def note(self) -> None:
            self.threads.add(threading.get_ident())

        def take(self, thing: Any) -> None:
            self.taken.append(thing)
            dropping = threading.Thread(target=self.taken.clear)
            del thing
            dropping.start()
            dropping.join()

        def allocate(self) -> None:
            while not self.over.is_set():
                cycle: list[Any] = []
                cycle.append(cycle)

    seen = Seen()
    busy = threading.Thread(target=seen.allocate)
    busy.start()
    try:
        assert (await run(sandbox, CYCLES, {"seen": seen}))[0] == Outcome(1)
    finally:
        seen.over.set()
        busy.join()
    assert seen.threads <= {threading.get_ident()}
    assert gc.isenabled()
