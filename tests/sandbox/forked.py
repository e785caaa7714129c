"""Work in forked children, as root and as an ordinary user: what a layer does cannot be taken back."""

import encodings.idna  # noqa: F401 - for what looks up names where no file can be opened any more
import errno
import json
import os
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox.kernel import privileges

USER = 64123
"""A user and group number that nobody on the machine has."""

as_root_and_user = pytest.mark.parametrize("identity", ["root", "user"] if os.getuid() == 0 else ["user"])
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root")
needs_namespaces = pytest.mark.skipif(
    subprocess.run(["unshare", "--user", "--net", "true"], capture_output=True, check=False).returncode != 0,
    reason="this machine gives nobody a user namespace",
)


@dataclass(frozen=True)
class Ending:
    """How a child ended: what its work returned, or the signal that ended it."""

    value: Any = None
    signal: int = 0


def in_child(work: Callable[[], Any], identity: str = "root", meanwhile: Callable[[int], None] | None = None) -> Ending:
    """Run *work* in a forked child, as the spare user if *identity* is "user", and give what it returned as JSON.

    *meanwhile* runs here, with the child's number. Waits until nobody the child forked is left.
    """
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        _answer(work, identity, writable)
    os.close(writable)
    if meanwhile:
        meanwhile(child)
    with open(readable, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    answer = json.loads(data) if data else {}
    assert "raised" not in answer, answer["raised"]
    return Ending(answer.get("value"), os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)


def _answer(work: Callable[[], Any], identity: str, writable: int) -> None:
    """Do the child's part; the answer leaves by standard output, so that *work* may close all above the first three."""
    try:
        os.dup2(writable, 1)
        if identity == "user" and os.getuid() == 0:
            os.setgroups([])
            os.setresgid(USER, USER, USER)
            os.setresuid(USER, USER, USER)
            privileges.allow_dumps()
        try:
            answer = {"value": work()}
        except Exception as error:
            answer = {"raised": f"{type(error).__name__}: {error}"}
        os.write(1, json.dumps(answer).encode())
    finally:
        os._exit(0)


def error_of(attempt: Callable[[], Any]) -> str:
    """Give the name of the error that *attempt* meets, "" where it meets none."""
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    except (ValueError, MemoryError) as error:
        return type(error).__name__
    return ""


def status(field: str) -> str:
    """Give a field of this process's /proc/self/status."""
    return next(line.split()[1] for line in Path("/proc/self/status").open() if line.startswith(f"{field}:"))


def tcp(port: int) -> None:
    """Connect to *port* of this machine."""
    with socket.create_connection(("127.0.0.1", port), 5):
        pass


def udp(port: int) -> None:
    """Make *port* of this machine the place to send to."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect(("127.0.0.1", port))
