"""Frames: what the parent makes of a stream that may lie."""

import os
import random

import pytest

from sandbox.process.frames import HEADER, READY, TELL, VALUE, BrokenFrame, FrameCutter, OversizedFrame, Wire, encode


def test_frames_are_cut_wherever_the_reads_end() -> None:
    frames = [(VALUE, b"one"), (TELL, b""), (VALUE, b"x" * 300)]
    stream = b"".join(encode(kind, payload) for kind, payload in frames)
    for size in range(1, len(stream) + 1):
        cutter = FrameCutter({VALUE: 300, TELL: 0})
        cut = [frame for start in range(0, len(stream), size) for frame in cutter.feed(stream[start : start + size])]
        assert cut == frames


def test_a_length_over_the_cap_is_refused_before_its_bytes_come() -> None:
    cutter = FrameCutter({VALUE: 100})
    with pytest.raises(OversizedFrame) as refusal:
        cutter.feed(HEADER.pack(101, VALUE))
    assert (refusal.value.kind, refusal.value.size) == (VALUE, 101)


def test_a_kind_that_may_not_come_is_refused_by_its_header() -> None:
    with pytest.raises(BrokenFrame):
        FrameCutter({VALUE: 100}).feed(encode(READY, b""))


def test_random_streams_end_in_frames_within_their_caps_or_a_refusal() -> None:
    chance = random.Random(0)
    for _ in range(2_000):
        cutter = FrameCutter({VALUE: 1_000, TELL: 10})
        stream = bytearray(encode(VALUE, chance.randbytes(chance.randrange(50))) * 3)
        for _ in range(chance.randrange(4)):
            stream[chance.randrange(len(stream))] = chance.randrange(256)
        try:
            frames = [frame for byte in stream for frame in cutter.feed(bytes([byte]))]
        except BrokenFrame:
            continue
        assert all(len(payload) <= cutter.caps[kind] for kind, payload in frames)


def test_a_wire_reads_frames_that_come_together_and_says_so() -> None:
    reader, writer = os.pipe()
    os.write(writer, encode(VALUE, b"a") + encode(TELL, b"b"))
    wire = Wire(lambda size: os.read(reader, size), lambda data: os.write(writer, data), descriptor=reader)
    assert wire.receive() == (VALUE, b"a")
    told_of_more = wire.buffered
    assert wire.receive() == (TELL, b"b")
    assert (told_of_more, wire.buffered) == (True, False)
    os.close(writer)
    with pytest.raises(EOFError):
        wire.receive()
    os.close(reader)
