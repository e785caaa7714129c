"""The tables of system calls."""

import re
from pathlib import Path

import pytest

from sandbox.kernel import seccomp, syscalls

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_are_those_of_the_kernel_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("no kernel headers here")
    text = HEADERS[machine].read_text()
    if machine == "aarch64":
        # The generic table spells out the calls whose 64-bit form has a name of its own.
        text = re.sub(r"#define __NR3264_(\w+) (\d+)", r"#define __NR_\1 \2", text)
    defined = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+)\s+(\d+)\s", text)}
    assert syscalls.numbers(machine) == {name: defined[name] for name in syscalls.numbers(machine)}


def test_a_machine_without_a_table_has_no_filter_and_the_reason_says_so() -> None:
    with pytest.raises(OSError, match="there is no table of system calls for riscv64, only for x86_64 and aarch64"):
        seccomp.program("riscv64")


def test_every_call_that_is_allowed_answered_or_fatal_has_its_numbers() -> None:
    for machine in HEADERS:
        known = syscalls.numbers(machine)
        named = {*syscalls.ALLOWED, *syscalls.ANSWERED, *syscalls.FATAL}
        assert named - set(known) <= {"poll", "iopl", "ioperm", "modify_ldt"}, "those that aarch64 never had"
