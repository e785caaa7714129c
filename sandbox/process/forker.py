"""Forker: the parent's end of one zygote. It starts it, asks it for children, and notices when it is gone."""

import array
import asyncio
import contextlib
import importlib.util
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from sandbox.errors import Fault
from sandbox.process.worker import Worker
from sandbox.process.zygote import FORK, FORKED, READY_REPORT, START_FAILED

logger = logging.getLogger(__name__)

_MESSAGE_SIZE = 1 << 16
_START_SECONDS = 30.0


class ZygoteLost(Exception):
    """The zygote is gone or broken; whoever waited for a child of it must turn to the next one."""


class Forker:
    """One zygote, from its start until it and all its children are gone.

    *on_child* is called with each worker that was asked for, or None where the zygote could not fork; *on_change* with
    a worker that became ready or was lost unasked; *on_lost* once, when the zygote is gone without `close`.
    """

    def __init__(
        self,
        *,
        skip: Collection[str],
        imports: Collection[str] = (),
        modules: Collection[str] = (),
        on_child: Callable[[Worker | None], None],
        on_change: Callable[[Worker], None],
        on_lost: Callable[[], None],
    ) -> None:
        self._skip = skip
        self._imports = imports
        self._modules = modules
        self._on_child = on_child
        self._on_change = on_change
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._pidfd = -1
        self._reaped = asyncio.Event()
        self.asked = 0
        self.layers: dict[str, str] = {}
        self.warm_bytes = 0

    @property
    def alive(self) -> bool:
        """Whether it has reported and was not seen to end."""
        return self._control is not None and bool(self.layers)

    @property
    def gone(self) -> bool:
        """Whether the process that was started has ended and is reaped."""
        return self._reaped.is_set()

    @property
    def pid(self) -> int:
        """The process that was started: the zygote, or what waits outside its PID namespace."""
        return self._process.pid if self._process else 0

    async def start(self) -> None:
        """Start the zygote and wait for its report.

        Raises:
            Fault: `sandbox_unavailable`, with a reason that the next start will meet again.
            ZygoteLost: It ended, or said nothing in time; the next one may do better.
        """
        if sys.platform != "linux":
            raise _unavailable(f"they need Linux, and this is {sys.platform}; run it in a container")
        folders = [_folder_of("RestrictedPython")]
        if self._modules:  # to find them, folders are read
            folders += await asyncio.to_thread(lambda: [_folder_of(name) for name in self._modules])
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        self._control = ours
        with theirs:
            self._process = _spawn(theirs.fileno(), [self._skip, self._imports, self._modules], folders)
        # The end of a process is a readable pidfd; it is reaped then and there.
        self._pidfd = os.pidfd_open(self._process.pid)
        self._loop.add_reader(self._pidfd, self._reap)
        try:
            report = _report(await asyncio.wait_for(self._loop.sock_recv(ours, _MESSAGE_SIZE), _START_SECONDS))
        except (OSError, TimeoutError) as error:
            self.close()
            raise ZygoteLost(repr(error)) from error
        except BaseException:
            self.close()
            raise
        self.layers = report["layers"]
        self.warm_bytes = report["warm_bytes"]
        self._loop.add_reader(ours, self._receive)

    def fork(self) -> None:
        """Ask for one child; it comes through *on_child*."""
        if self._control is None:
            return
        self.asked += 1
        with contextlib.suppress(BlockingIOError, ConnectionError):  # its end is told by *on_lost*
            self._control.send(FORK)

    def close(self) -> None:
        """End the zygote, and with it every child it still has."""
        if self._control is None:
            return
        self._loop.remove_reader(self._control)
        self._control.close()
        self._control = None
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def _receive(self) -> None:
        assert self._control is not None
        try:
            message, descriptors = _receive_descriptors(self._control)
        except BlockingIOError:
            return
        except OSError:
            message, descriptors = b"", []
        if message == FORKED and len(descriptors) == 2:
            channel, pidfd = descriptors
            stream = socket.socket(fileno=channel)
            self._on_child(Worker(stream, pidfd, warm_bytes=self.warm_bytes, on_change=self._on_change))
        elif message:
            self._on_child(None)
        else:
            self.close()
            self._on_lost()

    def _reap(self) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            return
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._reaped.set()
        if self.alive:
            self.close()
            self._on_lost()

    async def reaped(self) -> None:
        """Wait until the process that was started is gone; to be called after `close`."""
        if self._process is not None:
            await self._reaped.wait()


def _folder_of(module: str) -> str:
    """Give the folder to import *module* from. Raises Fault."""
    top = module.partition(".")[0]
    found = importlib.util.find_spec(top)
    if found is None:
        raise _unavailable(f"there is no module {top}; install it, or leave it out")
    places = list(found.submodule_search_locations or ())
    return str(Path(places[0] if places else found.origin or "").parent)


def _spawn(control: int, lists: list[Collection[str]], folders: list[str]) -> "subprocess.Popen[bytes]":
    zygote = Path(__file__).with_name("zygote.py")
    # Isolated, without site: a bare interpreter takes 32 ms so and 166 ms with it, and nothing of the
    # operator's environment reaches it. A session of its own keeps the terminal's signals away.
    command = [sys.executable, "-I", "-S", "-B", str(zygote), str(control)]
    return subprocess.Popen(
        [*command, *(",".join(sorted(names)) for names in lists), *dict.fromkeys(folders)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[control],
        env={},
        cwd="/",
        start_new_session=True,
    )


def _report(message: bytes) -> dict[str, Any]:
    if message[:1] == READY_REPORT:
        report: dict[str, Any] = json.loads(message[1:])
        return report
    if message[:1] == START_FAILED:
        logger.error("the zygote failed to start:\n%s", message[1:].decode(errors="replace"))
        raise _unavailable("it failed while it was warming up; the log has the traceback")
    raise ZygoteLost("it ended before it was ready")


def _unavailable(reason: str) -> Fault:
    return Fault("sandbox_unavailable", f"The sandbox's processes do not start: {reason}", missing=["zygote"])


def _receive_descriptors(control: socket.socket) -> tuple[bytes, list[int]]:
    descriptors: array.array[int] = array.array("i")
    space = socket.CMSG_SPACE(2 * descriptors.itemsize)
    message, ancillary, _, _ = control.recvmsg(_MESSAGE_SIZE, space, socket.MSG_CMSG_CLOEXEC)
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    return message, list(descriptors)
