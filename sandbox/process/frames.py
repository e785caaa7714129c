"""Frames: how parent and child talk over one stream socket. A frame is a length, a kind and a payload.

The parent reads with `FrameCutter`, which bounds what it keeps; the child trusts its parent and reads with `Wire`.
"""

import struct
from collections.abc import Callable, Mapping

HEADER = struct.Struct(">IB")

# From the parent.
REQUEST = 1
"""JSON: what to do; opens the talk."""
BLOB = 2
"""Opaque bytes: a source text on the way to a compiler, a product on the way from it or to a run."""
ANSWER = 3
"""JSON `{id, value}` or `{id, error}`: the answer to an ask."""

# From the child.
READY = 4
"""Empty: warmed, confined, waiting for the request."""
TELL = 5
"""JSON `[kind, payload]`: one-way, such as a printed line."""
ASK = 6
"""JSON `{id, name, payload}`: the parent owes an answer with the same id."""
WARNINGS = 7
"""JSON list of texts; comes before the value or error it belongs to."""
VALUE = 8
"""JSON: the result of a run; the last frame."""
ERROR = 9
"""JSON `{code, message, ...}`: why the run failed; the last frame."""
COMPILED = 10
"""JSON `{outline, warnings}`, after the product's blob; the last frame."""
REFUSED = 11
"""JSON list of diagnostics; the last frame."""
ATTEMPTED = 12
"""JSON `[name, got_through]`: how one attempt of the self-test ended, or null when it begins."""
CRASHED = 13
"""Text: the traceback of a bug in the child's own code; the last frame."""

_READ_SIZE = 1 << 16


class BrokenFrame(Exception):
    """The stream holds what no frame may be."""


class OversizedFrame(BrokenFrame):
    """A frame of *kind* announces *size* bytes, more than its cap."""

    def __init__(self, kind: int, size: int) -> None:
        super().__init__(f"a frame of kind {kind} announces {size} bytes")
        self.kind = kind
        self.size = size


def encode(kind: int, payload: bytes) -> bytes:
    """Give the bytes of one frame."""
    return HEADER.pack(len(payload), kind) + payload


class FrameCutter:
    """Cuts frames out of a stream that may lie.

    *caps* says which kinds may come and how many bytes each may have; it is checked against the length prefix, so
    never more than one capped frame and one read are kept.
    """

    def __init__(self, caps: Mapping[int, int]) -> None:
        self.caps = caps
        self._rest = bytearray()
        self.needed = HEADER.size
        """How many bytes the frame that comes next has, as far as is known."""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Give the frames that *data* completes.

        Raises:
            BrokenFrame: The kind is not one of `caps`.
            OversizedFrame: The announced length is over its cap.
        """
        if self._rest:
            self._rest += data
            if len(self._rest) < self.needed:
                return []
            data = bytes(self._rest)
        frames: list[tuple[int, bytes]] = []
        position = 0
        while (end := position + self._length_at(data, position)) <= len(data):
            frames.append((data[position + HEADER.size - 1], data[position + HEADER.size : end]))
            position = end
        self.needed = end - position
        self._rest = bytearray(data[position:])
        return frames

    def _length_at(self, data: bytes, position: int) -> int:
        """Give the length of the frame that begins at *position*, or of a header while that is not complete."""
        if len(data) - position < HEADER.size:
            return HEADER.size
        length, kind = HEADER.unpack_from(data, position)
        cap = self.caps.get(kind)
        if cap is None:
            raise BrokenFrame(f"a frame of kind {kind} may not come here")
        if length > cap:
            raise OversizedFrame(kind, length)
        return int(length) + HEADER.size


class Wire:
    """The child's end: reads frames of the parent, whom it trusts, and writes whole frames.

    *read* and *write* are `os.read` and `os.write` bound to *descriptor*, or anything that behaves so.
    """

    def __init__(
        self, read: Callable[[int], bytes], write: Callable[[memoryview], int], *, descriptor: int = -1
    ) -> None:
        self.descriptor = descriptor
        self._read = read
        self._write = write
        self._buffer = b""

    @property
    def buffered(self) -> bool:
        """Whether bytes of a further frame were read already, so that polling the channel would not tell of them."""
        return bool(self._buffer)

    def receive(self) -> tuple[int, bytes]:
        """Wait for one frame.

        Raises:
            EOFError: The parent is gone.
        """
        length, kind = HEADER.unpack(self._take(HEADER.size))
        return kind, self._take(length)

    def send(self, kind: int, payload: bytes) -> None:
        """Write one frame, waiting for room where the channel is full."""
        data = memoryview(encode(kind, payload))
        while data:
            data = data[self._write(data) :]

    def _take(self, size: int) -> bytes:
        parts = [self._buffer]
        missing = size - len(self._buffer)
        while missing > 0:
            # One read mostly brings the whole request, which saves a system call for each header.
            part = self._read(max(missing, _READ_SIZE))
            if not part:
                raise EOFError("the parent is gone")
            parts.append(part)
            missing -= len(part)
        data = b"".join(parts)
        self._buffer = data[size:]
        return data[:size]
