"""Zygote: started by path with the folders to import from; imports and warms everything, confines itself, then forks.

Arguments: the control socket's descriptor; with commas between, the layers to leave off, the modules to import besides
its own and those that scripts may import besides; the folders to import from.
On the control socket (whole messages): READY_REPORT with JSON first, then for each FORK one FORKED with the child's
channel and pidfd, or FORK_FAILED. It ends when the other side is closed.
"""

import gc
import importlib
import importlib.machinery
import json
import os
import signal
import socket
import sys
import traceback
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

FORK = b"f"
READY_REPORT = b"r"
FORKED = b"c"
FORK_FAILED = b"n"
START_FAILED = b"x"

CHANNEL = 3
"""The descriptor a child talks over: none of the three that a stray write could go to."""

_REHEARSALS = 10
"""Until the interpreter has specialised the code that every run goes through, which writes to its memory."""


def main() -> None:
    """Warm, confine, report, and fork until the parent is gone."""
    control = socket.socket(fileno=int(sys.argv[1]))
    try:
        skip, imports, modules = ([name for name in names.split(",") if name] for names in sys.argv[2:5])
        zygote = _Zygote(control, skip, imports, modules, folders=sys.argv[5:])
    except BaseException:
        control.send(START_FAILED + traceback.format_exc()[-4000:].encode(errors="replace"))
        raise SystemExit(1) from None
    zygote.serve()


class _Zygote:
    """The warm, confined process that every child is a copy of."""

    def __init__(
        self, control: socket.socket, skip: list[str], imports: list[str], modules: list[str], folders: list[str]
    ) -> None:
        self._control = control
        _find_sandbox(folders)
        with _without_fork_hooks():
            # Only now can they be found; all of them lie below this module.
            from sandbox.kernel import confine
            from sandbox.process import child
            from sandbox.runtime import additions, namespace

        for name in imports:
            importlib.import_module(name)
        additions.add(modules)
        namespace.warm()
        self._rehearsal = child.Rehearsal()
        for _ in range(_REHEARSALS):
            self._rehearsal.play()
        self._live = child.live
        sys.stdin = sys.stdout = sys.stderr = None
        self._confinement = confine.Confinement(skip)
        self._confinement.confine_zygote()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps: no zombie, and no table of children here
        os.environ.clear()
        report = {"layers": self._confinement.report, "warm_bytes": self._confinement.warm_bytes}
        control.send(READY_REPORT + json.dumps(report).encode())
        gc.collect()
        gc.freeze()  # else the collector in a child would write to every page it inherited

    def serve(self) -> None:
        """Fork one child for each message, until the parent closes its end."""
        while self._control.recv(1):
            self._fork()

    def _fork(self) -> None:
        parents_end, channel = socket.socketpair()
        with parents_end, channel:
            try:
                pid = os.fork()
                if pid == 0:
                    self._become_child(channel)
                pidfd = os.pidfd_open(pid)
            except OSError:
                self._control.send(FORK_FAILED)
                return
            socket.send_fds(self._control, [FORKED], [parents_end.fileno(), pidfd])
            os.close(pidfd)

    def _become_child(self, channel: socket.socket) -> NoReturn:
        try:
            os.dup2(channel.detach(), CHANNEL)
            os.closerange(CHANNEL + 1, 1 << 10)
            self._live(CHANNEL, self._confinement, self._rehearsal)
        finally:
            # Not sys.exit: nothing of a script may run once its answer is given.
            os._exit(0)


@contextmanager
def _without_fork_hooks() -> Iterator[None]:
    """Let modules register nothing to be called in forked children: that costs each child half a millisecond.

    threading and logging would make their locks anew, which nobody holds at a fork; random would seed itself, which
    the child does in its own time.
    """
    register = os.register_at_fork
    os.register_at_fork = lambda **_hooks: None
    try:
        yield
    finally:
        os.register_at_fork = register


def _find_sandbox(folders: list[str]) -> None:
    """Make `sandbox` importable without its `__init__`, which is the parent's face and imports what only it needs."""
    sys.path += folders  # last: nothing in them takes the place of a standard module
    package = types.ModuleType("sandbox")
    package.__path__ = [str(Path(__file__).parents[1])]
    package.__spec__ = importlib.machinery.ModuleSpec("sandbox", None, is_package=True)
    sys.modules["sandbox"] = package


if __name__ == "__main__":
    main()
