"""Privileges that are given up, each by itself."""

import os
import signal
from pathlib import Path
from typing import Any

from sandbox.kernel import privileges
from tests.sandbox.forked import as_root_and_user, error_of, in_child, needs_root, status


@needs_root
def test_a_server_that_is_root_becomes_nobody_for_good() -> None:
    def work() -> list[Any]:
        privileges.drop_root()
        errors = [error_of(lambda: os.setuid(0)), error_of(lambda: os.listdir("/root"))]
        return [os.getresuid(), os.getresgid(), os.getgroups(), *errors]

    nobody = [privileges.NOBODY] * 3
    assert in_child(work).value == [nobody, nobody, [], "EPERM", "EACCES"]


@as_root_and_user
def test_no_set_of_capabilities_holds_any(identity: str) -> None:
    def work() -> list[Any]:
        privileges.drop_capabilities()
        usable = [int(status(name), 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")]
        return [usable, error_of(lambda: os.chroot("/"))]

    assert in_child(work, identity).value == [[0, 0, 0, 0], "EPERM"]


@needs_root
def test_root_empties_the_bounding_set_too() -> None:
    def work() -> int:
        privileges.drop_capabilities()
        return int(status("CapBnd"), 16)

    assert in_child(work).value == 0


@as_root_and_user
def test_no_program_gains_privileges(identity: str) -> None:
    def work() -> str:
        privileges.forbid_new_privileges()
        return status("NoNewPrivs")

    assert in_child(work, identity).value == "1"


def test_an_undumpable_process_is_closed_to_its_own_user() -> None:
    def work() -> list[Any]:
        before = error_of(lambda: Path("/proc/self/environ").read_bytes())
        privileges.forbid_dumps()
        return [before, error_of(lambda: Path("/proc/self/environ").read_bytes())]

    assert in_child(work, "user").value == ["", "EACCES"]


@as_root_and_user
def test_a_process_ends_with_the_one_that_made_it(identity: str) -> None:
    def work() -> None:
        maker = os.getpid()
        ready, is_ready = os.pipe()
        if os.fork() == 0:
            privileges.die_with(maker)
            os.write(is_ready, b"x")
            signal.pause()
        os.read(ready, 1)

    in_child(work, identity)  # comes back only when all that was forked in it is gone


def test_a_process_whose_maker_is_gone_already_ends_at_once() -> None:
    def work() -> int:
        child = os.fork()
        if child == 0:
            privileges.die_with(1 << 22)  # above any process number
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert in_child(work).value == 1
