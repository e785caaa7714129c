"""Landlock by itself."""

import os
import socket
from collections.abc import Iterator

import pytest

from sandbox.kernel import landlock
from tests.sandbox.forked import as_root_and_user, error_of, in_child, tcp, udp


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@as_root_and_user
def test_landlock_alone_closes_files_tcp_and_signals_to_the_outside(identity: str, port: int) -> None:
    outside = os.getppid() if identity == "root" else 0

    def work() -> dict[str, str]:
        landlock.restrict()
        return {
            "open": error_of(lambda: open("/etc/passwd")),
            "list": error_of(lambda: os.listdir("/")),
            "make": error_of(lambda: os.mkdir("/tmp/scriptool-test")),
            "tcp": error_of(lambda: tcp(port)),
            "udp": error_of(lambda: udp(port)),
            "own": error_of(lambda: os.kill(os.getpid(), 0)),
            "signal": error_of(lambda: os.kill(outside, 0)) if outside else "EPERM",
        }

    known = landlock.version()
    assert in_child(work, identity).value == {
        "open": "EACCES",
        "list": "EACCES",
        "make": "EACCES",
        "tcp": "EACCES" if known >= 4 else "",
        "udp": "",
        "own": "",
        "signal": "EPERM" if known >= 6 or not outside else "",
    }
