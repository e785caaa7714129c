"""All layers together, what is noticed when one is off, and what is done where one cannot be had."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox import attempts, layer, libc, privileges
from sandbox.confine import Confinement
from sandbox.limits import Limits
from tests.sandbox.forked import as_root_and_user, error_of, in_child, needs_namespaces, needs_root


def report(*skip: str) -> Callable[[], dict[str, str]]:
    def work() -> dict[str, str]:
        confinement = Confinement(skip)
        confinement.confine_zygote()
        return confinement.report

    return work


@needs_namespaces
@as_root_and_user
def test_every_layer_is_on_and_holds(identity: str) -> None:
    assert in_child(report(), identity).value == dict.fromkeys(layer.LAYERS, layer.ON)


@needs_namespaces
@pytest.mark.parametrize("skipped", [name for name in layer.LAYERS if name not in ("uid", "no_new_privs")])
@as_root_and_user
def test_a_layer_left_off_by_hand_is_noticed_by_the_attempt_it_alone_holds(identity: str, skipped: str) -> None:
    what, _ = (attempts.ZYGOTE_ATTEMPTS | attempts.CHILD_ATTEMPTS)[skipped]
    expected = dict.fromkeys(layer.LAYERS, layer.ON) | {skipped: f"{what} got through"}
    if skipped == "namespaces" and identity == "user":
        expected["filesystem"] = "unshare: Operation not permitted"
    assert in_child(report(skipped), identity).value == expected


@needs_root
def test_root_that_keeps_its_identity_is_noticed() -> None:
    assert in_child(report("uid")).value["uid"] == "being root got through"


def test_no_new_privileges_left_off_is_noticed_where_nothing_else_brings_them() -> None:
    left_off = in_child(report("no_new_privs", "landlock", "seccomp"), "user").value
    assert left_off["no_new_privs"] == "gaining privileges by a program got through"


def test_an_unknown_layer_cannot_be_left_off() -> None:
    with pytest.raises(ValueError, match="no such layer: firewall"):
        Confinement(["firewall"])


@needs_namespaces
@as_root_and_user
def test_memory_runs_out_as_an_exception_and_the_limits_hold_in_a_confined_child(identity: str) -> None:
    def work() -> list[Any]:
        confinement = Confinement()
        confinement.confine_zygote()
        readable, writable = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                confinement.confine_child()
                confinement.limit_call(Limits(memory_mb=64))
                os.write(writable, error_of(lambda: bytearray(200 << 20)).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        return [os.read(readable, 100).decode()]

    assert in_child(work, identity).value == ["MemoryError"]


def test_what_is_lost_where_users_get_no_namespaces_is_named_and_the_rest_is_on() -> None:
    def work() -> dict[str, str]:
        in_a_machine_without_user_namespaces()
        return report()()

    found = in_child(work, "user").value
    assert found.pop("namespaces") == "no user namespace is left (user.max_user_namespaces)"
    assert found == dict.fromkeys(found, layer.ON) | {"filesystem": "unshare: Operation not permitted"}


def in_a_machine_without_user_namespaces() -> None:
    """Enter a user namespace that may not hold another, and give up what being its owner brings."""
    user, group = os.getuid(), os.getgid()
    libc.syscall("unshare", 0x1000_0000)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    Path("/proc/sys/user/max_user_namespaces").write_text("0")
    privileges.drop_capabilities()


@needs_root
def test_root_without_user_namespaces_makes_the_others_and_becomes_nobody() -> None:
    asked, answer = os.pipe(), os.pipe()

    def work() -> dict[str, str]:
        libc.syscall("unshare", 0x1000_0000)
        os.write(asked[1], b"x")
        os.read(answer[0], 1)
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
        Path("/proc/sys/user/max_user_namespaces").write_text("0")
        return report()()

    def map_every_number(child: int) -> None:
        os.read(asked[0], 1)
        for kind in ("uid", "gid"):
            Path(f"/proc/{child}/{kind}_map").write_text("0 0 65536")
        os.write(answer[1], b"x")

    assert in_child(work, meanwhile=map_every_number).value == dict.fromkeys(layer.LAYERS, layer.ON)
