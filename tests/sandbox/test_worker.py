"""What the parent makes of a child that dies, lies, floods or stays silent; the test speaks as the child."""

import asyncio
import contextlib
import json
import logging
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from sandbox import Fault, Limits, Outcome, Program
from sandbox.process.compilation import compile_text
from sandbox.process.execution import Execution
from sandbox.process.frames import (
    ASK,
    BLOB,
    COMPILED,
    ERROR,
    HEADER,
    READY,
    REFUSED,
    REQUEST,
    TELL,
    VALUE,
    WARNINGS,
    encode,
)
from sandbox.process.places import Places
from sandbox.process.worker import Worker

PROGRAM = Program("digest", {})

LOST = "worker_lost"


@dataclass
class Liar:
    """A child whose process does nothing and whose channel the test speaks on."""

    process: "subprocess.Popen[bytes]"
    channel: socket.socket
    worker: Worker
    changes: "asyncio.Queue[bool]"

    async def say(self, *frames: bytes) -> None:
        """Write as a child would; what the parent does not want to read is dropped."""
        with contextlib.suppress(ConnectionError):
            await asyncio.get_running_loop().sock_sendall(self.channel, b"".join(frames))

    async def hear(self) -> tuple[int, Any]:
        """Read one frame of the parent."""
        loop = asyncio.get_running_loop()
        head = b""
        while len(head) < HEADER.size:
            head += await loop.sock_recv(self.channel, HEADER.size - len(head))
        length, kind = HEADER.unpack(head)
        payload = b""
        while len(payload) < length:
            payload += await loop.sock_recv(self.channel, length - len(payload))
        return kind, json.loads(payload)


@pytest.fixture
async def liar() -> AsyncIterator[Liar]:
    """Give a child that is ready."""
    process = subprocess.Popen(  # noqa: ASYNC220 - it is there to be killed
        [sys.executable, "-ISc", "import time; time.sleep(60)"]
    )
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    changes: asyncio.Queue[bool] = asyncio.Queue()
    pidfd = os.pidfd_open(process.pid)
    worker = Worker(ours, pidfd, warm_bytes=0, on_change=lambda worker: changes.put_nowait(worker.ready))
    theirs.send(encode(READY, b""))
    assert await changes.get()
    yield Liar(process, theirs, worker, changes)
    worker.close()
    theirs.close()
    assert process.wait() == -signal.SIGKILL


async def execute(liar: Liar, *, limits: Limits | None = None, **options: Any) -> Outcome:
    limits = limits or Limits(seconds=5)
    place = await Places(1, line=1, alive=1, patience=1).take("tool")
    options = {"tell": hear_nothing, "ask": refuse_to_answer} | options
    return await Execution(liar.worker, place, limits, **options).run(PROGRAM, "tool.py", {})


def hear_nothing(_kind: str, _payload: Any) -> None:
    """Take what is told."""


async def refuse_to_answer(name: str, _: Any) -> Any:
    raise Fault("cannot_ask", f"no {name}")


async def ending(liar: Liar, *frames: bytes, hang_up: bool = False, **options: Any) -> Outcome | Fault:
    """Give how a run ends whose child says *frames*."""
    running = asyncio.create_task(execute(liar, **options))
    assert (await liar.hear())[0] == REQUEST
    await liar.say(*frames)
    if hang_up:
        liar.channel.shutdown(socket.SHUT_WR)
    try:
        return await running
    except Fault as fault:
        return fault


def error(**content: Any) -> bytes:
    return encode(ERROR, json.dumps(content).encode())


async def test_the_request_says_what_to_do_and_the_value_is_the_outcome(liar: Liar) -> None:
    running = asyncio.create_task(execute(liar))
    assert await liar.hear() == (
        REQUEST,
        {"do": "run", "name": "tool.py", "args": {}, "modules": [], "limits": vars(Limits(seconds=5))},
    )
    await liar.say(encode(WARNINGS, b'["odd"]'), encode(VALUE, b'{"total":3}'))
    assert await running == Outcome({"total": 3}, ("odd",))
    assert liar.changes.empty()


LIES = {
    "bytes that are no frame": [b"GET / HTTP/1.1\r\n\r\n"],
    "a frame of the parent's": [encode(REQUEST, b"{}")],
    "a compiler's answer to a run": [encode(COMPILED, b"{}")],
    "ready again": [encode(READY, b"")],
    "a value that is not JSON": [encode(VALUE, b"{]")],
    "a value that is not UTF-8": [encode(VALUE, b'"\xff"')],
    "an infinite number": [encode(VALUE, b"1e999")],
    "not a number": [encode(VALUE, b"NaN")],
    "a key twice": [encode(VALUE, b'{"a":1,"a":2}')],
    "a lone surrogate": [encode(VALUE, b'"\\ud800"')],
    "a value nested deep": [encode(VALUE, b"[" * 5000 + b"]" * 5000)],
    "an endless integer": [encode(VALUE, b"9" * 100_000)],
    "an error that is a list": [encode(ERROR, b"[]")],
    "an error without a message": [error(code="tool_error")],
    "a code of the parent's": [error(code="internal_error", message="")],
    "another code of the parent's": [error(code="overloaded", message="", retry_after=9)],
    "a code that is a list": [error(code=["tool_error"], message="")],
    "a hint that is a number": [error(code="tool_error", message="", hint=3)],
    "warnings that are numbers": [encode(WARNINGS, b"[1]")],
    "a telling that is an object": [encode(TELL, b"{}")],
    "a telling of a number": [encode(TELL, b"[1,2]")],
    "an ask without a name": [encode(ASK, b'{"id":1,"payload":2}')],
    "an ask with a true number": [encode(ASK, b'{"id":true,"name":"x","payload":2}')],
    "an ask with a name too long": [encode(ASK, b'{"id":1,"name":"%s","payload":2}' % (b"x" * 201))],
    "the same ask twice": [encode(ASK, b'{"id":1,"name":"slow","payload":2}')] * 2,
    "too many asks": [encode(ASK, b'{"id":%d,"name":"slow","payload":2}' % number) for number in range(65)],
    "too long an error": [HEADER.pack(1 << 21, ERROR)],
    "a length of four gigabytes": [HEADER.pack((1 << 32) - 1, TELL)],
}


@pytest.mark.parametrize("frames", LIES.values(), ids=LIES)
async def test_a_child_that_lies_is_lost(liar: Liar, frames: list[bytes]) -> None:
    async def never(_name: str, _payload: Any) -> Any:
        await asyncio.Event().wait()

    fault = await ending(liar, *frames, ask=never)
    assert isinstance(fault, Fault)
    assert fault.code == LOST
    assert fault.details == {}


async def test_a_child_that_hangs_up_in_the_middle_of_its_answer_is_lost(liar: Liar) -> None:
    fault = await ending(liar, encode(VALUE, b"12345")[:-1], hang_up=True)
    assert isinstance(fault, Fault)
    assert fault.code == LOST


async def test_a_result_over_its_cap_is_named_before_it_is_read(liar: Liar) -> None:
    fault = await ending(liar, HEADER.pack(50_000_000, VALUE), limits=Limits(result_kb=10))
    assert isinstance(fault, Fault)
    assert fault.code == "result_too_large"
    assert fault.details == {"limit": "result_kb", "allowed": 10, "used": 48_829, "size": 50_000_000}


async def test_what_a_child_may_report_of_itself_goes_through_with_its_details(liar: Liar) -> None:
    content = {"code": "tool_error", "message": "sold out", "hint": "later", "details": {"left": 0, "self": 1}}
    fault = await ending(liar, error(**content, self=1))
    assert isinstance(fault, Fault)
    assert fault.to_json() == content


async def test_a_fault_is_the_childs_to_report_once_the_parent_answered_with_it(liar: Liar) -> None:
    running = asyncio.create_task(execute(liar))
    await liar.hear()
    await liar.say(encode(ASK, b'{"id":7,"name":"person","payload":null}'))
    assert (await liar.hear())[1] == {"id": 7, "error": {"code": "cannot_ask", "message": "no person"}}
    await liar.say(error(code="cannot_ask", message="no person"))
    with pytest.raises(Fault, match="no person") as refusal:
        await running
    assert refusal.value.code == "cannot_ask"


async def test_a_child_that_stays_silent_is_timed_out_by_the_parents_clock(liar: Liar) -> None:
    fault = await ending(liar, limits=Limits(seconds=0.05))
    assert isinstance(fault, Fault)
    assert fault.code == "timeout"
    assert (fault.details["limit"], fault.details["allowed"]) == ("seconds", 0.05)
    assert fault.details["used"] >= 0.05


async def test_a_flood_of_tiny_frames_ends(liar: Liar) -> None:
    heard: list[str] = []
    flood = encode(TELL, b'["print",""]') * 20_000
    running = asyncio.create_task(execute(liar, limits=Limits(seconds=15), tell=lambda kind, _: heard.append(kind)))
    await liar.hear()
    while not running.done():
        await liar.say(flood)
    with pytest.raises(Fault) as refusal:
        await running
    assert refusal.value.code == LOST
    assert len(heard) < 500_000


async def test_what_the_parent_fails_at_while_it_answers_reaches_the_caller_as_it_is(liar: Liar) -> None:
    async def broken(_name: str, _payload: Any) -> Any:
        raise ZeroDivisionError("our bug")

    running = asyncio.create_task(execute(liar, ask=broken))
    await liar.hear()
    await liar.say(encode(ASK, b'{"id":1,"name":"x","payload":null}'))
    with pytest.raises(ZeroDivisionError, match="our bug"):
        await running


async def test_the_end_of_a_run_cancels_what_it_still_asks(liar: Liar) -> None:
    cancelled = asyncio.Event()
    asked = asyncio.Event()

    async def slow(_name: str, _payload: Any) -> Any:
        asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    running = asyncio.create_task(execute(liar, ask=slow))
    await liar.hear()
    await liar.say(encode(ASK, b'{"id":1,"name":"x","payload":null}'))
    await asked.wait()
    await liar.say(encode(VALUE, b"null"))
    assert await running == Outcome(None)
    assert cancelled.is_set()


async def test_the_clock_stands_still_while_a_person_is_asked(liar: Liar) -> None:
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def person(_name: str, _payload: Any) -> Any:
        return await answer

    running = asyncio.create_task(execute(liar, ask=person, patient=["person"], limits=Limits(seconds=0.1)))
    await liar.hear()
    await liar.say(encode(ASK, b'{"id":1,"name":"person","payload":null}'))
    assert (await asyncio.wait([running], timeout=0.3))[1] == {running}
    answer.set_result("yes")
    assert (await liar.hear())[1] == {"id": 1, "value": "yes"}
    await liar.say(encode(VALUE, b"1"))
    assert await running == Outcome(1)


async def test_an_answer_larger_than_the_channel_holds_arrives_whole(liar: Liar) -> None:
    async def generous(_name: str, _payload: Any) -> Any:
        return "x" * 3_000_000

    running = asyncio.create_task(execute(liar, ask=generous))
    await liar.hear()
    await liar.say(encode(ASK, b'{"id":1,"name":"x","payload":null}'))
    assert (await liar.hear())[1] == {"id": 1, "value": "x" * 3_000_000}
    await liar.say(encode(VALUE, b"1"))
    assert await running == Outcome(1)


@pytest.mark.parametrize("early", [b"", encode(VALUE, b"1"), b"\0"])
async def test_a_spare_that_speaks_or_ends_before_it_is_asked_is_no_longer_ready(liar: Liar, early: bytes) -> None:
    if early:
        await liar.say(early)
    else:
        liar.channel.shutdown(socket.SHUT_WR)
    assert await liar.changes.get() is False


COMPILER_LIES = {
    "a product and nothing more": [encode(BLOB, b"code")],
    "an outline without a product": [encode(COMPILED, b'{"outline":{},"warnings":[]}')],
    "a product and no outline": [encode(BLOB, b"code"), encode(COMPILED, b'{"outline":{},"warnings":[]}')],
    "two products": [encode(BLOB, b"code"), encode(BLOB, b"code")],
    "a product larger than any": [HEADER.pack(1 << 30, BLOB)],
    "a refusal that is an object": [encode(REFUSED, b"{}")],
    "a refusal without a reason": [encode(REFUSED, b"[]")],
    "a value": [encode(VALUE, b"1")],
    "an ask": [encode(ASK, b'{"id":1,"name":"x","payload":null}')],
}


@pytest.mark.parametrize("frames", COMPILER_LIES.values(), ids=COMPILER_LIES)
async def test_a_compiler_that_lies_is_lost(liar: Liar, frames: list[bytes]) -> None:
    compiling = asyncio.create_task(compile_text(liar.worker, "", b"return 1", "digest"))
    assert (await liar.hear())[1]["do"] == "compile"
    await liar.say(*frames)
    liar.channel.shutdown(socket.SHUT_WR)
    with pytest.raises(Fault) as refusal:
        await compiling
    assert refusal.value.code == LOST


async def test_a_request_to_a_closed_worker_is_lost_and_touches_no_descriptor(liar: Liar) -> None:
    liar.worker.close()
    with pytest.raises(Fault) as refusal:
        await execute(liar)
    assert refusal.value.code == LOST


async def test_random_and_mutated_frames_never_hang_or_grow_the_parent(
    liar: Liar, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    chance = random.Random(int.from_bytes(os.urandom(2)))
    liar.process.kill()  # one pidfd does for all: nobody ends what is gone
    ended = os.pidfd_open(liar.process.pid)
    for _ in range(300):
        await fuzz(chance, ended)
    os.close(ended)


HONEST = [
    encode(TELL, b'["print","a line"]'),
    encode(ASK, b'{"id":1,"name":"tool","payload":{"a":[1,2.5,null]}}'),
    encode(WARNINGS, b'["odd"]'),
    error(code="tool_error", message="no", details={"a": 1}),
    encode(VALUE, b'{"a":[1,2,{"b":"text"}],"c":1e5}'),
]


async def fuzz(chance: random.Random, ended: int) -> None:
    """Let one child say a random mixture, and see that the parent ends with an outcome or a fault it may give."""
    stream = bytearray(b"".join(chance.choices(HONEST, k=chance.randrange(1, 8))))
    for _ in range(chance.choice([0, 1, 1, 2, 8])):
        where = chance.randrange(len(stream) + 1)
        stream[where : where + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    ready = asyncio.Event()
    worker = Worker(ours, os.dup(ended), warm_bytes=0, on_change=lambda _: ready.set())
    theirs.send(encode(READY, b""))
    await ready.wait()
    place = await Places(1, line=1, alive=1, patience=1).take("tool")
    execution = Execution(worker, place, Limits(seconds=5), tell=hear_nothing, ask=refuse_to_answer)
    running = asyncio.create_task(execution.run(PROGRAM, "tool.py", {}))
    await asyncio.sleep(0)
    theirs.send(bytes(stream) or b"\0")
    theirs.shutdown(socket.SHUT_WR)
    try:
        assert isinstance(await running, Outcome)
    except Fault as fault:
        assert fault.code in {LOST, "tool_error", "result_too_large", "cannot_ask"}
    finally:
        worker.close()
        theirs.close()
