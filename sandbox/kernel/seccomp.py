"""Seccomp: the allow-list of system calls as a filter that the kernel runs before each of them."""

import ctypes
from collections.abc import Iterable
from typing import Final, NamedTuple

from sandbox.kernel.layer import applying
from sandbox.kernel.libc import syscall
from sandbox.kernel.privileges import forbid_new_privileges
from sandbox.kernel.syscalls import ALLOWED, ANSWERED, AUDIT_ARCH, FATAL, MACHINE, REFUSED, X32_BIT, Word, numbers

# Classic BPF, of which a filter needs six instructions (linux/filter.h).
_LOAD: Final = 0x20  # A = the 32-bit word at offset k of struct seccomp_data
_AND: Final = 0x54
_JUMP_IF_EQUAL: Final = 0x15
_JUMP_IF_AT_LEAST: Final = 0x35
_RETURN: Final = 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

_ALLOW: Final = 0x7FFF_0000
_KILL: Final = 0x8000_0000
_ERROR: Final = 0x0005_0000

_SET_MODE_FILTER: Final = 1


class Instruction(NamedTuple):
    """One step of a filter: operation, steps to skip when the comparison holds and when not, operand."""

    code: int
    operand: int
    when_true: int = 0
    when_false: int = 0


class _SockFilter(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("when_true", ctypes.c_uint8),
        ("when_false", ctypes.c_uint8),
        ("operand", ctypes.c_uint32),
    )


class _SockProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.c_void_p))


Block = list[Instruction]


class Filter:
    """A program ready for the kernel; made once in the zygote, loaded in every child."""

    def __init__(self, steps: Iterable[Instruction]) -> None:
        rows = [_SockFilter(step.code, step.when_true, step.when_false, step.operand) for step in steps]
        self._steps = (_SockFilter * len(rows))(*rows)
        self._program = _SockProgram(len(rows), ctypes.addressof(self._steps))

    def __len__(self) -> int:
        return len(self._steps)

    def load(self) -> None:
        """Put this process under the filter for good; raises LayerMissing."""
        forbid_new_privileges()  # the kernel's condition for a filter without privileges
        with applying("seccomp"):
            syscall("seccomp", _SET_MODE_FILTER, 0, ctypes.byref(self._program))


def allow_list() -> Filter:
    """Make the filter of ALLOWED for this machine; raises LayerMissing where there is no table for it."""
    with applying("seccomp"):
        return Filter(program(MACHINE))


def program(machine: str) -> Block:
    """Give the steps of the filter for *machine*: calls of another machine are fatal, then the number is looked up.

    Raises OSError where there is no table for it.
    """
    ranges = _ranges(machine)
    return [
        Instruction(_LOAD, _ARCH),
        Instruction(_JUMP_IF_EQUAL, AUDIT_ARCH[machine], when_true=1),
        Instruction(_RETURN, _KILL),
        Instruction(_LOAD, _NUMBER),
        *_search(ranges),
    ]


def _ranges(machine: str) -> list[tuple[int, Block]]:
    """Give (first number, verdict) in order; each verdict holds up to the next first number."""
    table = numbers(machine)
    refuse = [Instruction(_RETURN, _ERROR | REFUSED)]
    kill = [Instruction(_RETURN, _KILL)]
    verdicts: dict[int, Block] = {table[name]: kill for name in FATAL if name in table}
    verdicts |= {table[name]: [Instruction(_RETURN, _ERROR | code)] for name, code in ANSWERED.items()}
    verdicts |= {table[name]: _allow(words) for name, (words, _) in ALLOWED.items() if name in table}
    ranges: list[tuple[int, Block]] = []
    last = max(verdicts) + 1
    for number in range(last + 1):
        verdict = verdicts.get(number, refuse)
        if not ranges or ranges[-1][1] != verdict:
            ranges.append((number, verdict))
    return [*ranges, (X32_BIT, kill)] if machine == "x86_64" else ranges


def _allow(words: tuple[Word, ...]) -> Block:
    """Allow a call whose arguments all hold, refuse it else."""
    if not words:
        return [Instruction(_RETURN, _ALLOW)]
    word, *rest = words
    inner = _allow(tuple(rest))
    count = len(word.values)
    # Each comparison jumps over those after it and over the refusal that follows the last one.
    tests = [Instruction(_JUMP_IF_EQUAL, value, when_true=count - place) for place, value in enumerate(word.values)]
    refusal = Instruction(_RETURN, _ERROR | REFUSED)
    return [Instruction(_LOAD, _ARGUMENTS + 8 * word.index), Instruction(_AND, word.mask), *tests, refusal, *inner]


def _search(ranges: list[tuple[int, Block]]) -> Block:
    """Give a binary search: loading a filter costs the kernel a run for every call there is, so runs must be short."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    if len(below) > 0xFF:
        raise ValueError("the filter has grown past the reach of a conditional jump")
    return [Instruction(_JUMP_IF_AT_LEAST, ranges[middle][0], when_true=len(below)), *below, *above]
