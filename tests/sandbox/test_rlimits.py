"""Rlimits by themselves."""

import errno
import os
import resource
import signal
import threading

from sandbox.kernel import privileges, rlimits
from tests.sandbox.forked import Ending, as_root_and_user, error_of, in_child


@as_root_and_user
def test_rlimits_alone_let_no_limit_rise_and_few_descriptors_be_opened(identity: str) -> None:
    def work() -> dict[str, str]:
        privileges.drop_capabilities()  # root with CAP_SYS_RESOURCE may raise
        rlimits.bound_all()
        rlimits.bound_child()
        infinite = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        os.closerange(3, 1024)  # what the tests before this one hold open
        descriptors = [os.dup(0) for _ in range(3)]
        return {
            "raise": error_of(lambda: resource.setrlimit(resource.RLIMIT_CPU, infinite)),
            "descriptors": error_of(lambda: [os.dup(descriptors[0]) for _ in range(20)]),
            "core": str(resource.getrlimit(resource.RLIMIT_CORE)),
        }

    assert in_child(work, identity).value == {"raise": "ValueError", "descriptors": "EMFILE", "core": "(0, 0)"}


def test_a_file_cannot_be_written_under_rlimits() -> None:
    def work() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        file = os.memfd_create("file")
        rlimits.bound_all()
        return error_of(lambda: os.write(file, b"x"))

    assert in_child(work).value == "EFBIG"


def test_a_user_starts_no_process_and_no_thread_under_rlimits() -> None:
    def work() -> list[str]:
        rlimits.bound_child()

        def start() -> None:
            try:
                threading.Thread(target=int).start()
            except RuntimeError as error:
                raise OSError(errno.EAGAIN, "") from error

        return [error_of(os.fork), error_of(start)]

    assert in_child(work, "user").value == ["EAGAIN", "EAGAIN"]


def test_memory_of_a_call_is_counted_on_top_of_the_warm_process() -> None:
    def work() -> list[str]:
        rlimits.bound_call(30, 64, rlimits.address_space())
        # A hundred would do in a small process; one that ran many tests may have as much freed and still mapped.
        return [error_of(lambda: bytearray(32 << 20)), error_of(lambda: bytearray(1 << 30))]

    assert in_child(work).value == ["", "MemoryError"]


def test_a_call_that_spins_is_ended_by_the_kernel_when_no_clock_ends_it() -> None:
    def work() -> None:
        rlimits.bound_call(1 - rlimits.CPU_GRACE_SECONDS, 64, rlimits.address_space())
        while True:
            pass

    assert in_child(work) == Ending(signal=signal.SIGKILL)
