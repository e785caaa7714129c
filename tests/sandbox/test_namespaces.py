"""Namespaces and the empty root, each by itself."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.kernel import layer, namespaces, privileges
from tests.sandbox.forked import as_root_and_user, error_of, in_child, needs_namespaces, needs_root, tcp, udp


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@needs_namespaces
@as_root_and_user
def test_in_namespaces_there_is_no_network_and_no_other_process(identity: str, port: int) -> None:
    outside = os.getpid()

    def work() -> list[Any]:
        namespaces.enter()
        errors = [error_of(lambda: tcp(port)), error_of(lambda: udp(port)), error_of(lambda: os.getsid(outside))]
        return [*errors, os.getpid()]

    assert in_child(work, identity).value == ["ENETUNREACH", "ENETUNREACH", "ESRCH", 1]


@needs_namespaces
@needs_root
def test_root_is_nobody_in_its_namespaces_and_outside() -> None:
    def work() -> list[Any]:
        namespaces.enter()
        names = Path("/proc/self/uid_map").read_text().split()
        return [os.getresuid(), os.getresgid(), os.getgroups(), error_of(lambda: os.setuid(0)), names]

    nobody = privileges.NOBODY
    assert in_child(work).value == [[nobody] * 3, [nobody] * 3, [], "EINVAL", [str(nobody), str(nobody), "1"]]


@needs_namespaces
@as_root_and_user
def test_the_empty_root_holds_nothing_and_takes_nothing(identity: str) -> None:
    def work() -> list[Any]:
        namespaces.enter()
        namespaces.empty_root()
        write = error_of(lambda: os.close(os.open("/file", os.O_CREAT | os.O_WRONLY)))
        make = error_of(lambda: os.mkdir("/folder"))
        return [os.listdir("/"), os.listdir("/.."), os.getcwd(), write, make]

    assert in_child(work, identity).value == [[], [], "/", "EROFS", "EROFS"]


@needs_namespaces
@as_root_and_user
def test_the_old_root_cannot_be_climbed_back_to_with_every_capability_of_the_namespace(identity: str) -> None:
    def work() -> list[str]:
        namespaces.enter()
        namespaces.empty_root()
        for _ in range(20):
            os.chdir("..")
            os.chroot(".")
        return os.listdir("/")

    assert in_child(work, identity).value == []


def test_the_empty_root_without_a_namespace_is_refused_to_a_user() -> None:
    def work() -> str:
        with pytest.raises(layer.LayerMissing) as missing:
            namespaces.empty_root()
        return str(missing.value)

    assert in_child(work, "user").value == "filesystem: unshare: Operation not permitted"
