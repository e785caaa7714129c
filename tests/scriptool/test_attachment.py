"""The attachment: an application's lateness as faults, undo groups, and an application in another process."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox import Fault
from scriptool.application.attachment import Attachment
from scriptool.host import Host
from tests.application import host, running

ROOT = Path(__file__).parents[2]


async def test_the_two_ways_to_be_late_read_differently() -> None:
    hold = threading.Event()
    one = host(slow=lambda: hold.wait() and 1)
    attachment = Attachment(one, application=True)
    with pytest.raises(Fault) as silent:
        await attachment.read([{"id": "a", "path": "@now"}], 0.01)
    with running(one):
        with pytest.raises(Fault) as slow:
            await attachment.read([{"id": "a", "path": "@slow"}], 0.05)
        hold.set()
    assert silent.value.to_json() == {
        "code": "timeout",
        "message": "The application did not get to this call within 0.01 seconds.",
        "hint": "Its main thread is busy or does not pump. Call host.pump() from the application's loop or a timer, "
        "many times a second.",
        "limit": "seconds",
        "allowed": 0.01,
        "waited_for": "pump",
    }
    assert slow.value.to_json() == {
        "code": "timeout",
        "message": "The application began with this call and was not done within 0.05 seconds.",
        "hint": "What it does there cannot be stopped from outside; ask for less, or raise `limits.seconds`.",
        "limit": "seconds",
        "allowed": 0.05,
        "waited_for": "host",
    }


class Undo:
    """An application's undo stack: groups, and how each was closed."""

    def __init__(self) -> None:
        self.log: list[str] = []

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        self.log.append(f"open {title}")
        try:
            yield
        except Exception as error:
            self.log.append(f"failed: {error}")
            raise
        finally:
            self.log.append("close")


async def test_an_undo_group_is_closed_after_success_failure_and_cancelling() -> None:
    undo = Undo()
    one = Host(undo=undo.group)
    attachment = Attachment(one, application=True)
    entered = asyncio.Event()

    async def wait_inside() -> None:
        async with attachment.undo("third"):
            entered.set()
            await asyncio.Event().wait()

    with running(one):
        async with attachment.undo("first"):
            undo.log.append("work")
        assert undo.log == ["open first", "work", "close"]
        with pytest.raises(ValueError, match="oops"):
            async with attachment.undo("second"):
                raise ValueError("oops")
        assert undo.log[3:] == ["open second", "failed: oops", "close"]
        task = asyncio.create_task(wait_inside())
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await one.run_on_main(lambda: None, 10)
    assert undo.log[6:] == ["open third", "failed: the call was cancelled", "close"]


async def test_an_undo_group_opened_too_late_is_closed_again() -> None:
    undo = Undo()
    one = Host(undo=undo.group)
    hold = threading.Event()

    def slow(title: str) -> Any:
        hold.wait()
        return undo.group(title)

    one = Host(undo=slow)
    task = asyncio.create_task(enter(Attachment(one)))
    with running(one):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        hold.set()
    assert undo.log in ([], ["open late", "failed: the call was cancelled", "close"])


async def enter(attachment: Attachment) -> None:
    async with attachment.undo("late"):
        await asyncio.Event().wait()


async def test_an_undo_group_that_cannot_be_opened_stops_the_work() -> None:
    def refuse(title: str) -> Any:
        raise RuntimeError("read-only document")

    one = Host(undo=refuse)
    with running(one), pytest.raises(Fault) as caught:
        async with Attachment(one).undo("x"):
            raise AssertionError("never reached")
    assert caught.value.message == ("The application could not open the undo group: RuntimeError: read-only document")


OTHER_PROCESS = """
import json, sys
from scriptool.host import Host

host = Host(roots={"pid": __import__("os").getpid, "sizes": [1, 2, 3]})
for line in sys.stdin:
    print(json.dumps(host.answer(json.loads(line))), flush=True)
"""


def other_process() -> "subprocess.Popen[str]":
    """Start an application that answers on its standard streams, where nothing but the standard library is there."""
    command = [sys.executable, "-S", "-c", OTHER_PROCESS]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, text=True, env={"PYTHONPATH": str(ROOT)}, **pipes)


class Remote:
    """A host in another process: requests and answers are lines of JSON."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    async def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        async with asyncio.timeout(seconds):
            answer: dict[str, Any] = json.loads(await asyncio.to_thread(self._exchange, json.dumps(request)))
            return answer

    def _exchange(self, line: str) -> str:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


async def test_a_host_in_another_process_answers_the_same_requests() -> None:
    with other_process() as process:
        attachment = Attachment(Remote(process))
        answer = await attachment.read([{"id": "sizes", "path": "@sizes[1]"}, {"id": "pid", "path": "@pid"}], 10)
        async with attachment.undo("nothing to undo"):
            pass
    assert answer == {
        "sizes": {"path": "@sizes[1]", "type": "int", "value": 2},
        "pid": {
            "path": "@pid",
            "error": {
                "code": "bad_path",
                "message": "builtin_function_or_method is not data",
                "hint": "Name a member of it with /name.",
            },
        },
    }
