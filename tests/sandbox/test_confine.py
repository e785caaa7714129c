"""All layers together, what is noticed when one is off, and what is done where one cannot be had."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.kernel import attempts, layer, libc, privileges
from sandbox.kernel.confine import Confinement
from sandbox.limits import Limits
from tests.sandbox.forked import Ending, as_root_and_user, error_of, in_child, needs_namespaces, needs_root


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


class RootWithoutUserNamespaces:
    """What root finds in a container that allows no user namespace; every number is mapped, from outside."""

    def __init__(self) -> None:
        self._asked, self._answered = os.pipe(), os.pipe()

    def enter(self) -> None:
        libc.syscall("unshare", 0x1000_0000)
        os.write(self._asked[1], b"x")
        os.read(self._answered[0], 1)
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
        Path("/proc/sys/user/max_user_namespaces").write_text("0")

    def map_numbers(self, child: int) -> None:
        os.read(self._asked[0], 1)
        for kind in ("uid", "gid"):
            Path(f"/proc/{child}/{kind}_map").write_text("0 0 65536")
        os.write(self._answered[1], b"x")


@needs_root
def test_root_without_user_namespaces_makes_the_others_and_becomes_nobody() -> None:
    machine = RootWithoutUserNamespaces()

    def work() -> dict[str, str]:
        machine.enter()
        return report()()

    assert in_child(work, meanwhile=machine.map_numbers).value == dict.fromkeys(layer.LAYERS, layer.ON)


@needs_root
def test_a_zygote_that_root_left_as_nobody_ends_with_the_process_that_waits_outside() -> None:
    machine = RootWithoutUserNamespaces()
    confined = os.pipe()

    def work() -> None:
        machine.enter()
        Confinement().confine_zygote()
        os.write(confined[1], b"x")
        signal.pause()

    def end_the_one_outside(child: int) -> None:
        machine.map_numbers(child)
        os.read(confined[0], 1)
        os.kill(child, signal.SIGKILL)

    assert in_child(work, meanwhile=end_the_one_outside) == Ending(signal=signal.SIGKILL)


@needs_namespaces
@as_root_and_user
def test_a_zygote_and_its_children_end_with_the_process_that_waits_outside(identity: str) -> None:
    confined = os.pipe()

    def work() -> None:
        confinement = Confinement()
        confinement.confine_zygote()
        if os.fork() == 0:
            confinement.confine_child()
            os.write(confined[1], b"x")
        while True:
            time.sleep(60)

    def end_the_one_outside(child: int) -> None:
        os.read(confined[0], 1)
        os.kill(child, signal.SIGKILL)

    assert in_child(work, identity, meanwhile=end_the_one_outside) == Ending(signal=signal.SIGKILL)


def test_the_page_on_the_sandbox_names_every_layer() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sandbox.md").read_text()
    assert re.findall(r"^\| `(\w+)` \| [A-Z]", page, re.MULTILINE) == list(layer.LAYERS)
