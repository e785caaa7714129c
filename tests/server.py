"""A real scriptool server in a process of its own, for tests that must not share one with it."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

SCRIPTOOL = Path(sys.executable).parent / "scriptool"


@dataclass(frozen=True)
class Server:
    """A running server; lives as long as the `with` block that started it."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and give the whole answer."""
        return httpx2.post(f"{self.url}/tools/{tool}", json=arguments, timeout=60).json()

    def get(self, path: str) -> Any:
        return httpx2.get(f"{self.url}{path}", timeout=60).json()


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """Serve *folder* until the block ends, on a free port."""
    with running([str(SCRIPTOOL), "serve", str(folder), "--no-shared", "--port", "0", *options]) as printed:
        yield Server(port_of(printed))


def port_of(printed: str) -> int:
    """Give the port that a server says it serves on."""
    found = re.search(r"http://127\.0\.0\.1:(\d+)", printed)
    assert found, printed
    return int(found[1])


@contextmanager
def running(command: Sequence[str], cwd: Path | None = None) -> Iterator[str]:
    """Run a command that serves until the block ends; give what it printed until it was ready."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, text=True, start_new_session=True
    )
    printed: list[str] = []
    ready = threading.Event()
    reader = threading.Thread(target=read, args=(process, printed, ready))
    reader.start()
    try:
        ready.wait(30)
        assert process.poll() is None, "the server ended: " + "".join(printed)
        yield "".join(printed)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(15)
        reader.join()


def read(process: subprocess.Popen[str], printed: list[str], ready: threading.Event) -> None:
    """Keep what the server prints; it is ready when it names its debug address, the last of them."""
    assert process.stdout
    with process.stdout:
        for line in process.stdout:
            printed.append(line)
            if "/debug" in line:
                ready.set()
    ready.set()
