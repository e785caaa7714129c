"""Server: one contender as a process of its own, on a free port, ended with all its children."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
PEER_PYTHON = HERE.parent / ".bench-venv/bin/python"
START_SECONDS = 60


@contextmanager
def scriptool(folder: Path) -> Iterator[int]:
    """Serve *folder* with scriptool and give the port."""
    program = Path(sys.executable).parent / "scriptool"
    with running([str(program), "serve", str(folder), "--no-shared", "--port", "{port}"]) as port:
        yield port


@contextmanager
def peer(name: str, *arguments: str) -> Iterator[int]:
    """Run a file of `peers/` in their virtual environment and give the port."""
    with running([str(PEER_PYTHON), str(HERE / "peers" / f"{name}.py"), "{port}", *arguments]) as port:
        yield port


@contextmanager
def running(command: Sequence[str]) -> Iterator[int]:
    port = free_port()
    argv = [part.format(port=port) for part in command]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        wait_until_open(port, process)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_until_open(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    process.kill()
    raise RuntimeError(f"the server did not come up: {process.communicate()[1].decode()[-2000:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
