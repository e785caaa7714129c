"""The filter of system calls: what goes on under it, what is refused, what is fatal."""

import asyncio
import ctypes
import errno
import gc
import hashlib
import json
import mmap
import os
import re
import resource
import selectors
import signal
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.kernel import libc, seccomp, syscalls
from tests.sandbox.forked import Ending, as_root_and_user, error_of, in_child


def under_filter(work: Callable[[], Any]) -> Callable[[], Any]:
    def filtered() -> Any:
        seccomp.allow_list().load()
        return work()

    return filtered


def raw(name: str, *arguments: Any) -> Callable[[], Any]:
    return lambda: libc.syscall(name, *arguments)


def ordinary_work() -> list[Any]:
    """What scripts do: memory, collection, text, numbers, time, randomness, locks."""
    big = [bytearray(1 << 20) for _ in range(64)]
    big.extend(bytearray(10) for _ in range(300_000))
    del big
    gc.collect()
    lock = threading.Lock()
    with lock:
        time.sleep(0.001)
    return [
        len(hashlib.sha256(os.urandom(32)).hexdigest()),
        len(str(uuid.uuid4())),
        re.sub(r"(a+)+b", "x", "aaab"),
        json.loads(json.dumps({"a": [1.5, None]})),
        lock.acquire(timeout=0.001),
        time.time() > 0 and time.process_time() > 0,
    ]


@as_root_and_user
def test_ordinary_work_goes_on_under_the_filter(identity: str) -> None:
    ending = in_child(under_filter(ordinary_work), identity)
    assert ending.value == [64, 36, "x", {"a": [1.5, None]}, True, True]


def test_an_event_loop_made_before_the_filter_runs_under_it() -> None:
    async def two() -> list[int]:
        async def one(number: int) -> int:
            await asyncio.sleep(0.001 * number)
            return number

        return list(await asyncio.gather(one(2), one(1)))

    def work() -> list[int]:
        loop = asyncio.SelectorEventLoop(selectors.PollSelector())
        seccomp.allow_list().load()
        return loop.run_until_complete(two())

    assert in_child(work).value == [2, 1]


@as_root_and_user
def test_memory_is_never_executable(identity: str) -> None:
    def work() -> list[str]:
        page = mmap.mmap(-1, mmap.PAGESIZE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        return [
            error_of(lambda: mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC)),
            error_of(raw("mprotect", address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC)),
            error_of(raw("mprotect", address, mmap.PAGESIZE, mmap.PROT_READ)),
        ]

    assert in_child(under_filter(work), identity).value == ["EPERM", "EPERM", ""]


def test_calls_that_are_allowed_for_one_purpose_are_refused_for_others() -> None:
    outside = os.getpid()

    def work() -> list[str]:
        word = ctypes.c_int()
        limit = (ctypes.c_uint64 * 2)(1 << 40, 1 << 40)
        refused = [
            raw("futex", ctypes.byref(word), 6, 0, None),  # FUTEX_LOCK_PI
            raw("futex", ctypes.byref(word), 3, 0, 1, ctypes.byref(word)),  # FUTEX_REQUEUE
            raw("madvise", None, 0, 12),  # MADV_MERGEABLE
            raw("prlimit64", outside, resource.RLIMIT_CPU, ctypes.byref(limit), None),
            raw("prlimit64", 0, resource.RLIMIT_FSIZE, ctypes.byref(limit), None),
        ]
        allowed = [
            raw("futex", ctypes.byref(word), 1 | 0x80, 0),  # FUTEX_WAKE, private
            raw("madvise", None, 0, 4),
            raw("prlimit64", 0, resource.RLIMIT_CPU, ctypes.byref(limit), None),
        ]
        return [error_of(call) for call in refused + allowed]

    assert in_child(under_filter(work)).value == ["EPERM"] * 5 + [""] * 3


def test_every_number_outside_the_tables_is_refused() -> None:
    known = syscalls.numbers(syscalls.MACHINE)
    # The kernel lets its own two probes past every filter; they do nothing but where it planted them itself.
    past_filters = {335, 336} if syscalls.MACHINE == "x86_64" else set()
    named = past_filters | {
        known[name] for name in {*syscalls.ALLOWED, *syscalls.ANSWERED, *syscalls.FATAL} if name in known
    }

    def work() -> list[int]:
        call = ctypes.CDLL(None, use_errno=True).syscall

        def verdict(number: int) -> int:
            ctypes.set_errno(0)
            return call(ctypes.c_long(number), None, None, None) == -1 and ctypes.get_errno()

        return [number for number in range(600) if number not in named and verdict(number) != errno.EPERM]

    assert in_child(under_filter(work)).value == []


@pytest.mark.parametrize("name", sorted(syscalls.FATAL))
def test_a_call_that_no_library_makes_by_chance_ends_the_process(name: str) -> None:
    if name not in syscalls.numbers(syscalls.MACHINE):
        pytest.skip("not on this machine")
    assert in_child(under_filter(raw(name, 0, 0, 0)), "user") == Ending(signal=signal.SIGSYS)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="only x86_64 has a second way in")
def test_the_second_way_into_the_same_calls_is_fatal() -> None:
    def work() -> None:
        ctypes.CDLL(None).syscall(ctypes.c_long(syscalls.X32_BIT | 39))

    assert in_child(under_filter(work)) == Ending(signal=signal.SIGSYS)


def verdict(program: seccomp.Block, arch: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Run a filter as the kernel would, for machines that are not at hand."""
    words = {0: number, 4: arch} | {16 + 8 * place: word & 0xFFFF_FFFF for place, word in enumerate(arguments)}
    accumulator = place = 0
    while True:
        step = program[place]
        place += 1
        match step.code:
            case 0x20:
                accumulator = words.get(step.operand, 0)
            case 0x54:
                accumulator &= step.operand
            case 0x15:
                place += step.when_true if accumulator == step.operand else step.when_false
            case 0x35:
                place += step.when_true if accumulator >= step.operand else step.when_false
            case 0x06:
                return step.operand
            case _:
                raise AssertionError(f"unknown step {step}")


ALLOW, KILL, REFUSE = 0x7FFF_0000, 0x8000_0000, 0x0005_0000 | errno.EPERM


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_gives_every_number_the_verdict_of_the_tables(machine: str) -> None:
    known = syscalls.numbers(machine)
    program = seccomp.program(machine)
    arch = syscalls.AUDIT_ARCH[machine]
    expected = dict.fromkeys(range(600), REFUSE)
    expected |= {known[name]: KILL for name in syscalls.FATAL if name in known}
    expected |= {known[name]: 0x0005_0000 | code for name, code in syscalls.ANSWERED.items()}
    expected |= {known[name]: ALLOW for name, (words, _) in syscalls.ALLOWED.items() if name in known and not words}
    special = {known[name] for name, (words, _) in syscalls.ALLOWED.items() if words}
    verdicts = {number: verdict(program, arch, number) for number in range(600) if number not in special}
    assert verdicts == {number: code for number, code in expected.items() if number not in special}
    assert verdict(program, arch, known["mmap"], (0, 4096, 3)) == ALLOW
    assert verdict(program, arch, known["mmap"], (0, 4096, 7)) == REFUSE
    assert verdict(program, arch, known["madvise"], (0, 0, 8)) == ALLOW
    assert verdict(program, arch, known["prlimit64"], (0, 9)) == ALLOW
    assert verdict(program, arch, known["prlimit64"], (1, 9)) == REFUSE
    assert verdict(program, arch, known["prlimit64"], (0, 1)) == REFUSE
    assert verdict(program, arch, known["futex"], (0, 0x189)) == ALLOW
    assert verdict(program, arch, known["futex"], (0, 0x18D)) == REFUSE
    assert verdict(program, 0x4000_0003, known["read"]) == KILL
    assert len(program) < 4096
