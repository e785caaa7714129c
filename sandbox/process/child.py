"""A child: answers one request, a compile or a run, and ends. It never does both, and never a second one."""

import asyncio
import functools
import json
import marshal
import os
import random
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from sandbox import values
from sandbox.errors import Fault
from sandbox.kernel import attempts
from sandbox.kernel.confine import Confinement
from sandbox.language import compiler
from sandbox.limits import Limits
from sandbox.process.frames import (
    ANSWER,
    ASK,
    ATTEMPTED,
    BLOB,
    COMPILED,
    CRASHED,
    ERROR,
    READY,
    REFUSED,
    REQUEST,
    TELL,
    VALUE,
    WARNINGS,
    Wire,
    encode,
)
from sandbox.runtime import namespace

Answer = dict[str, Any]

_OUT_OF_MEMORY = values.dumps({"code": "memory_limit", "message": "The script ran out of memory."})
"""Made ahead: at that moment there may be no room to make it."""


def live(descriptor: int, confinement: Confinement, rehearsal: "Rehearsal") -> None:
    """Be a child that talks over *descriptor*: warm, confine itself and say so; then answer one request and wait."""
    wire = Wire(functools.partial(os.read, descriptor), functools.partial(os.write, descriptor), descriptor=descriptor)
    try:
        random.seed()  # a fork has its parent's random numbers
        rehearsal.play()
        os.closerange(0, descriptor)
        confinement.confine_child()
    except Exception:
        wire.send(CRASHED, _traceback())
        return
    wire.send(READY, b"")
    serve(wire, confinement.limit_call)
    # The parent ends it, when the call is over: tearing a process down takes longer than many a script.
    os.read(descriptor, 1)


def serve(wire: Wire, limit: Callable[[Limits], object] = vars) -> None:
    """Answer the one request that comes over *wire*; *limit* bounds this process before it looks at the rest."""
    try:
        kind, payload = wire.receive()
        if kind != REQUEST:
            raise ValueError(f"expected a request, got a frame of kind {kind}")
        request = json.loads(payload)
        limit(Limits(**request["limits"]))
        _SERVICES[request["do"]](wire, request)
    except MemoryError:
        wire.send(ERROR, _OUT_OF_MEMORY)
    except EOFError:
        pass  # nobody is left to tell
    except Exception:
        wire.send(CRASHED, _traceback())


def _traceback() -> bytes:
    return traceback.format_exc()[-4000:].encode(errors="replace")


def _compile(wire: Wire, request: Mapping[str, Any]) -> None:
    source = _blob(wire)
    try:
        compiled = compiler.compile_module(source, helper=request["helper"], filename=request["filename"])
    except compiler.Refused as refusal:
        wire.send(REFUSED, values.dumps(refusal.diagnostics))
        return
    wire.send(BLOB, marshal.dumps((compiled.code, compiled.lines, compiled.outline)))
    wire.send(COMPILED, values.dumps({"outline": compiled.outline, "warnings": compiled.warnings}))


def _run(wire: Wire, request: Mapping[str, Any]) -> None:
    products = {name: marshal.loads(_blob(wire)) for name in request["modules"]}
    outline = products[""][2]
    modules = {name: (code, lines) for name, (code, lines, _) in products.items()}
    ending = namespace.execute(
        modules, outline, request["name"], request["args"], Channel(wire), Limits(**request["limits"])
    )
    if ending["warnings"]:
        wire.send(WARNINGS, values.dumps(ending["warnings"]))
    if ending["ok"]:
        wire.send(VALUE, values.dumps(ending["value"]))
    else:
        wire.send(ERROR, values.dumps(ending["error"]))


def _attempt(wire: Wire, request: Mapping[str, Any]) -> None:
    """Make the attempts of the self-test from number *first* on; each is announced, since it may be the end of this."""
    for name, attempt in list(attempts.ATTEMPTS.items())[request["first"] :]:
        wire.send(ATTEMPTED, values.dumps([name, None]))
        wire.send(ATTEMPTED, values.dumps([name, not attempts.held(attempt)]))
    wire.send(VALUE, b"null")


_SERVICES: dict[str, Callable[[Wire, Mapping[str, Any]], None]] = {
    "compile": _compile,
    "run": _run,
    "attempt": _attempt,
}


def _blob(wire: Wire) -> bytes:
    kind, payload = wire.receive()
    if kind != BLOB:
        raise ValueError(f"expected a blob, got a frame of kind {kind}")
    return payload


class Channel:
    """How a running script reaches its parent; lives as long as the run."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._asked = 0
        self._early: dict[int, Answer] = {}
        self._futures: dict[int, asyncio.Future[Answer]] = {}

    def tell(self, kind: str, payload: Any) -> None:
        """Send *payload* one-way, at once, so that it survives the script."""
        self._wire.send(TELL, values.dumps([kind, payload]))

    def ask(self, name: str, payload: Any) -> Any:
        """Ask the parent and wait for its answer.

        Raises:
            Fault: The parent's own.
        """
        number = self._send(name, payload)
        while number not in self._early:
            self._receive()
        if self._futures:
            self._drain()
        return _opened(self._early.pop(number))

    async def async_ask(self, name: str, payload: Any) -> Any:
        """Ask the parent without keeping other tasks of the script from running.

        Raises:
            Fault: The parent's own.
        """
        loop = asyncio.get_running_loop()
        number = self._send(name, payload)
        future = self._futures[number] = loop.create_future()
        loop.add_reader(self._wire.descriptor, self._arrived)
        try:
            return _opened(await future)
        finally:
            del self._futures[number]
            if not self._futures:
                loop.remove_reader(self._wire.descriptor)

    def _send(self, name: str, payload: Any) -> int:
        self._asked += 1
        self._wire.send(ASK, values.dumps({"id": self._asked, "name": name, "payload": payload}))
        return self._asked

    def _arrived(self) -> None:
        self._receive()
        self._drain()

    def _drain(self) -> None:
        """Take the answers that one read brought together; polling the channel would not tell of them."""
        while self._wire.buffered:
            self._receive()

    def _receive(self) -> None:
        """Take one answer, which may be that of another ask than the caller's."""
        kind, payload = self._wire.receive()
        if kind != ANSWER:
            raise ValueError(f"expected an answer, got a frame of kind {kind}")
        answer = json.loads(payload)
        future = self._futures.get(answer["id"])
        if future is None:
            self._early[answer["id"]] = answer
        elif not future.done():
            future.set_result(answer)


def _opened(answer: Answer) -> Any:
    if "error" not in answer:
        return answer["value"]
    details = dict(answer["error"])
    fault = Fault(details.pop("code"), details.pop("message"), hint=details.pop("hint", ""))
    fault.details = details
    raise fault


class _Recording:
    """A channel that is read from memory and written to nowhere."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int) -> bytes:
        part, self._data = self._data[:size], self._data[size:]
        return part

    @staticmethod
    def write(data: memoryview) -> int:
        return len(data)


_REHEARSAL = b'''
def main(count: int = 3, *, text: str = "warm") -> dict:
    """Touch what most scripts touch."""
    total = 0
    for number in range(count):
        total += number
    words = [f"{text}{number:02d}" for number in range(count)]
    try:
        raise ValueError(words)
    except ValueError as error:
        print(error)
    return {"total": total, "words": words, "by_word": {word: len(word) for word in words}}
'''


class Rehearsal:
    """A run of a harmless script, compiled ahead; playing it touches the memory that a real run will.

    Copy-on-write faults are thereby paid before a child is handed out. A compile is not rehearsed: it would double
    that cost for every call, and one text is compiled once.
    """

    def __init__(self) -> None:
        compiled = compiler.compile_module(_REHEARSAL)
        product = marshal.dumps((compiled.code, compiled.lines, compiled.outline))
        limits = dict(vars(Limits()))
        self._request = _request(do="run", name="rehearsal.py", modules=[""], args={"count": 5}, limits=limits)
        self._request += encode(BLOB, product)

    def play(self) -> None:
        """Run it, with the answer going nowhere."""
        recording = _Recording(self._request)
        serve(Wire(recording.read, recording.write))


def _request(**fields: Any) -> bytes:
    return encode(REQUEST, values.dumps(fields))
