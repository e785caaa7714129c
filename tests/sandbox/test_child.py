"""A child's work, done in this process: requests in, frames out."""

import json
import marshal
from collections.abc import Mapping
from typing import Any

import pytest

from sandbox import Fault, Limits
from sandbox.process.child import Channel, Rehearsal, serve
from sandbox.process.frames import (
    ANSWER,
    ASK,
    BLOB,
    COMPILED,
    CRASHED,
    ERROR,
    REFUSED,
    REQUEST,
    TELL,
    VALUE,
    WARNINGS,
    FrameCutter,
    Wire,
    encode,
)

KINDS = (BLOB, COMPILED, REFUSED, TELL, ASK, WARNINGS, VALUE, ERROR, CRASHED)
LIMITS = vars(Limits())


class Parent:
    """Says everything at once, and notes what it is told."""

    def __init__(self, *frames: bytes) -> None:
        self._unread = b"".join(frames)
        self._heard = b""

    def read(self, size: int) -> bytes:
        part, self._unread = self._unread[:size], self._unread[size:]
        return part

    def write(self, data: memoryview) -> int:
        self._heard += data
        return len(data)

    @property
    def heard(self) -> list[tuple[int, bytes]]:
        return FrameCutter(dict.fromkeys(KINDS, 1 << 20)).feed(self._heard)


def answered(*frames: bytes) -> list[tuple[int, bytes]]:
    """Give the frames a child answers with."""
    parent = Parent(*frames)
    serve(Wire(parent.read, parent.write))
    return parent.heard


def request(**fields: Any) -> bytes:
    return encode(REQUEST, json.dumps({"limits": LIMITS} | fields).encode())


def compiled(text: str, *, helper: bool = False, filename: str = "<script>") -> list[tuple[int, bytes]]:
    return answered(request(do="compile", helper=helper, filename=filename), encode(BLOB, text.encode()))


def run(text: str, args: Mapping[str, Any], *frames: bytes) -> list[tuple[int, bytes]]:
    product = compiled(text)[0][1]
    return answered(request(do="run", name="tool.py", modules=[""], args=args), encode(BLOB, product), *frames)


def test_a_compile_gives_an_opaque_product_and_what_there_is_to_know() -> None:
    (kind, product), (last, payload) = compiled("def main(x: int) -> int:\n    return x\n")
    assert (kind, last) == (BLOB, COMPILED)
    code, lines, outline = marshal.loads(product)
    assert (code.co_filename, lines[0]) == ("<script>", "def main(x: int) -> int:")
    answer = json.loads(payload)
    assert answer["outline"] == outline
    assert (outline["form"], answer["warnings"]) == ("function", [])


def test_a_refusal_is_a_list_of_diagnostics() -> None:
    [(kind, payload)] = compiled("import os.path as _p\nx = = 1\n")
    assert kind == REFUSED
    assert [type(diagnostic["line"]) for diagnostic in json.loads(payload)] == [int]


def test_a_run_gives_the_value_after_what_was_printed() -> None:
    frames = run("print('hello')\nreturn {'double': args['x'] * 2}\n", {"x": 4})
    assert frames[-1] == (VALUE, b'{"double":8}')
    assert [json.loads(payload)[0] for kind, payload in frames if kind == TELL] == ["print"]


def test_a_script_that_raises_gives_an_error() -> None:
    [(kind, payload)] = run("return 1 / args['x']\n", {"x": 0})
    error = json.loads(payload)
    assert (kind, error["code"], error["type"]) == (ERROR, "script_runtime_error", "ZeroDivisionError")


def test_running_out_of_memory_is_told_even_where_the_runtime_could_not() -> None:
    def run_out(_: Limits) -> None:
        raise MemoryError

    parent = Parent(request(do="compile", helper=False, filename="<script>"), encode(BLOB, b"return 1"))
    serve(Wire(parent.read, parent.write), run_out)
    [(kind, payload)] = parent.heard
    assert (kind, json.loads(payload)["code"]) == (ERROR, "memory_limit")


@pytest.mark.parametrize(
    "frames",
    [
        [encode(BLOB, b"")],
        [request(do="nothing")],
        [request(do="run", name="x", modules=[""], args={}), encode(BLOB, b"no marshal")],
    ],
)
def test_a_bug_on_the_way_is_told_as_a_crash(frames: list[bytes]) -> None:
    [(kind, payload)] = answered(*frames)
    assert kind == CRASHED
    assert payload.startswith(b"Traceback")


def test_a_parent_that_is_gone_is_told_nothing() -> None:
    assert answered() == []


def test_the_limits_of_the_call_are_set_before_anything_else_is_looked_at() -> None:
    seen: list[Limits] = []
    parent = Parent(request(do="nothing", limits=LIMITS | {"memory_mb": 7}))
    serve(Wire(parent.read, parent.write), seen.append)
    assert seen == [Limits(memory_mb=7)]


def test_a_rehearsal_is_a_run_that_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[int] = []
    monkeypatch.setattr(Wire, "send", lambda _wire, kind, _payload: kinds.append(kind))
    Rehearsal().play()
    assert kinds == [TELL, VALUE]


def test_answers_reach_the_asks_they_belong_to() -> None:
    parent = Parent(
        encode(ANSWER, b'{"id":1,"value":[1]}'),
        encode(ANSWER, b'{"id":2,"error":{"code":"timeout","message":"late","limit":3}}'),
    )
    channel = Channel(Wire(parent.read, parent.write))
    assert channel.ask("first", {"a": 1}) == [1]
    with pytest.raises(Fault, match="late") as refusal:
        channel.ask("second", None)
    assert refusal.value.to_json() == {"code": "timeout", "message": "late", "limit": 3}
    assert parent.heard[0] == (ASK, b'{"id":1,"name":"first","payload":{"a":1}}')
