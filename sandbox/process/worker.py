"""Worker: the parent's end of one child. It believes nothing the child says, and always ends it by SIGKILL."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from sandbox.errors import Fault
from sandbox.process.frames import READY, BrokenFrame, FrameCutter, OversizedFrame, encode

logger = logging.getLogger(__name__)

_READY_FRAME = encode(READY, b"")
_READ_SIZE = 1 << 14
"""Bytes of one read: little enough that a flood of tiny frames does not keep the loop from others."""
_BIG_READ_SIZE = 1 << 18
"""The same in the middle of a large frame."""
_MOST_UNREAD = 1 << 23
"""Bytes that may wait for the child to read them before it is answered no more."""


class WorkerLost(Exception):
    """The child died or broke the protocol; the text says which, for the log."""

    def to_fault(self) -> Fault:
        """Give what a caller is told."""
        logger.warning("a sandbox child was lost: %s", self)
        return Fault(
            "worker_lost",
            "The process that worked on this script ended before it gave an answer.",
            hint="Call again. If it happens each time, the script ends its own process, such as by recursion in C.",
        )


class Worker:
    """One child, from its fork to its end; serves at most one request.

    It begins with *warm_bytes* of address space. *on_change* is called when it has become ready, and when it is lost
    before a request was opened.
    """

    def __init__(
        self, channel: socket.socket, pidfd: int, *, warm_bytes: int, on_change: "Callable[[Worker], None]"
    ) -> None:
        self.warm_bytes = warm_bytes
        channel.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._channel = channel
        self._descriptor = channel.fileno()
        self._pidfd = pidfd
        self._on_change = on_change
        self._warmed = False
        self._cutter: FrameCutter | None = None
        self._frames: deque[tuple[int, bytes]] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._failure: Exception | None = None
        self._unsent = bytearray()
        self._reads = asyncio.Event()
        self._reads.set()
        self.closed = False
        self._loop.add_reader(self._descriptor, self._read_early)

    @property
    def ready(self) -> bool:
        """Whether it is warmed, confined, and waits for its request."""
        return self._warmed and self._failure is None and not self.closed

    def is_alive(self) -> bool:
        """Ask the kernel, which knows before the end of its stream is read."""
        try:
            signal.pidfd_send_signal(self._pidfd, 0)
        except ProcessLookupError:
            return False
        return True

    def peak_memory(self) -> int | None:
        """Give the most address space it ever had, in bytes; None where the kernel does not say. Reads files."""
        try:
            status = self._about("status")
            return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmPeak:"))
        except (OSError, StopIteration, ValueError):
            return None

    def processor_seconds(self) -> float:
        """Give the processor time it has used; 0 where the kernel does not say. Reads files."""
        try:
            fields = self._about("stat").rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, StopIteration, ValueError, IndexError):
            return 0.0

    def _about(self, name: str) -> str:
        """Read one of the files that tell of the process."""
        about = Path(f"/proc/self/fdinfo/{self._pidfd}").read_text()
        pid = next(line.split()[1] for line in about.splitlines() if line.startswith("Pid:"))
        return Path(f"/proc/{pid}/{name}").read_text()

    def open(self, request: bytes, caps: Mapping[int, int]) -> None:
        """Send the request; from now on frames of the kinds in *caps* may come, each up to its cap in bytes."""
        if self.closed:  # its descriptor may be another's by now
            return
        self._cutter = FrameCutter(caps)
        self._loop.add_reader(self._descriptor, self._read)
        self.send(request)

    def send(self, data: bytes) -> None:
        """Write *data*, now as far as the channel has room and the rest when it has."""
        if self.closed:
            return
        if self._unsent:
            self._unsent += data
        elif (sent := self._send_some(data)) < len(data):
            self._unsent += memoryview(data)[sent:]
            self._loop.add_writer(self._descriptor, self._write)
        if len(self._unsent) > _MOST_UNREAD:
            self._reads.clear()

    async def reading(self) -> None:
        """Wait while the child leaves too much unread; forever, if it never reads it."""
        await self._reads.wait()

    async def frame(self) -> tuple[int, bytes]:
        """Wait for the next frame.

        Raises:
            WorkerLost: The child died or lied.
            Exception: What `fail` was given.
            OversizedFrame: A frame is over its cap.
        """
        while not self._frames:
            if self._failure is not None:
                raise self._failure
            self._waiter = self._loop.create_future()
            await self._waiter
        return self._frames.popleft()

    def fail(self, failure: Exception) -> None:
        """Let `frame` raise *failure* once the frames that came before it are taken."""
        if self._failure is None:
            self._failure = failure
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def close(self) -> None:
        """End the child, whatever it is doing."""
        if self.closed:
            return
        self.closed = True
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        self._loop.remove_reader(self._descriptor)
        if self._unsent:
            self._loop.remove_writer(self._descriptor)
        self._channel.close()
        os.close(self._pidfd)
        self.fail(WorkerLost("it was closed"))

    def _read_early(self) -> None:
        """Take the one frame that may come before a request."""
        try:
            data = self._channel.recv(_READ_SIZE)
        except (BlockingIOError, ConnectionError):
            data = b""
        if data == _READY_FRAME and not self._warmed:
            self._warmed = True
        else:
            self._loop.remove_reader(self._descriptor)
            if data:
                logger.error("a sandbox child failed before it was asked anything: %r", data)
            self.fail(WorkerLost("it ended unasked"))
        self._on_change(self)

    def _read(self) -> None:
        assert self._cutter is not None
        try:
            data = self._channel.recv(_BIG_READ_SIZE if self._cutter.needed > _READ_SIZE else _READ_SIZE)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        try:
            if not data:
                raise BrokenFrame("it ended")
            self._frames.extend(self._cutter.feed(data))
        except Exception as failure:  # any, since a stream that is left unread would call again and again
            self._loop.remove_reader(self._descriptor)
            plain = isinstance(failure, BrokenFrame) and not isinstance(failure, OversizedFrame)
            self.fail(WorkerLost(str(failure)) if plain else failure)
        if self._waiter is not None and not self._waiter.done() and self._frames:
            self._waiter.set_result(None)

    def _write(self) -> None:
        del self._unsent[: self._send_some(self._unsent)]
        if len(self._unsent) <= _MOST_UNREAD:
            self._reads.set()
        if not self._unsent:
            self._loop.remove_writer(self._descriptor)

    def _send_some(self, data: bytes | bytearray) -> int:
        try:
            return self._channel.send(data)
        except BlockingIOError:
            return 0
        except ConnectionError:
            return len(data)  # the end of its stream will tell why
