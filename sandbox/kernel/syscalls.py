"""The system calls that confinement speaks of: their numbers on each machine, and what a child may do with each."""

import errno
import os
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Word:
    """A condition on one argument of a call: its low 32 bits, masked, must be one of *values*."""

    index: int
    values: tuple[int, ...]
    mask: int = 0xFFFF_FFFF


_ANYTHING: Final[tuple[Word, ...]] = ()
_NOT_EXECUTABLE: Final = (Word(2, (0,), mask=4),)  # PROT_EXEC
_WAIT_AND_WAKE: Final = (Word(1, (0, 1, 9), mask=0xFFFF_FFFF ^ 0x180),)  # WAIT, WAKE, WAIT_BITSET, whatever the clock
_GIVE_BACK: Final = (Word(2, (4, 8)),)  # MADV_DONTNEED, MADV_FREE
_CLOCKS: Final = (
    Word(0, (0, 1, 2, 3, 4, 5, 6, 7, 11)),
)  # of the machine and of this process; others have negative ones
_WAITED_FOR: Final = (Word(0, (0, 1, 7, 11)),)  # REALTIME, MONOTONIC, BOOTTIME, TAI
_OWN_TIME_AND_MEMORY: Final = (Word(0, (0,)), Word(1, (0, 9)))  # this process; RLIMIT_CPU, RLIMIT_AS

ALLOWED: Final[dict[str, tuple[tuple[Word, ...], str]]] = {
    "read": (_ANYTHING, "the request, and answers of the parent"),
    "write": (_ANYTHING, "the frames to the parent"),
    "close": (_ANYTHING, "an event loop that ends"),
    "poll": (_ANYTHING, "an event loop that waits"),
    "ppoll": (_ANYTHING, "the same where the machine has no poll"),
    "brk": (_ANYTHING, "small memory"),
    "mmap": (_NOT_EXECUTABLE, "large memory"),
    "mprotect": (_NOT_EXECUTABLE, "large memory in the C library's arenas"),
    "mremap": (_ANYTHING, "a list that grows"),
    "munmap": (_ANYTHING, "memory given back"),
    "madvise": (_GIVE_BACK, "memory given back"),
    "prlimit64": (_OWN_TIME_AND_MEMORY, "the call's own limits, set before its first byte; they only ever go down"),
    "futex": (_WAIT_AND_WAKE, "locks of the interpreter; the priority ones have been ways into the kernel"),
    "sched_yield": (_ANYTHING, "sleep(0)"),
    "clock_nanosleep": (_WAITED_FOR, "sleep"),
    "nanosleep": (_ANYTHING, "sleep with an older C library"),
    "clock_gettime": (_CLOCKS, "time, where the kernel offers it no faster way"),
    "gettimeofday": (_ANYTHING, "time, where the kernel offers it no faster way"),
    "getrandom": (_ANYTHING, "uuid4, secrets, seeds"),
    "getpid": (_ANYTHING, "the interpreter asks whether it was forked"),
    "gettid": (_ANYTHING, "locks with an owner"),
    "restart_syscall": (_ANYTHING, "a sleep that was stopped and goes on"),
    "rt_sigreturn": (_ANYTHING, "the way back out of a signal handler"),
    "exit": (_ANYTHING, "the end"),
    "exit_group": (_ANYTHING, "the end"),
}
"""What a child may call: the conditions on the arguments, and the reason. The whole list; there is no other."""

ANSWERED: Final = {"clone3": errno.ENOSYS, "ioctl": errno.ENOTTY}
"""Refused with the error that makes the caller take its ordinary way: no threads of the new kind, no terminal."""

REFUSED: Final = errno.EPERM
"""The error of every call that is named nowhere here."""

FATAL: Final = frozenset(
    # Read and steered processes; programs.
    {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "kill", "tkill", "tgkill"}
    | {"rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_getfd", "pidfd_send_signal"}
    | {"execve", "execveat"}
    # Other namespaces, roots and mounts.
    | {"unshare", "setns", "chroot", "pivot_root", "mount", "umount2", "fsopen", "fspick", "fsmount", "fsconfig"}
    | {"move_mount", "open_tree", "mount_setattr", "name_to_handle_at", "open_by_handle_at", "fanotify_init"}
    | {"quotactl", "acct", "swapon", "swapoff"}
    # Other identities.
    | {"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups"}
    | {"capset", "personality"}
    # Large parts of the kernel that have been ways into it.
    | {"keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd"}
    | {"io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "memfd_secret"}
    | {"vmsplice", "splice", "tee", "mbind", "set_mempolicy", "migrate_pages", "move_pages"}
    # The machine itself.
    | {"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "syslog", "vhangup"}
    | {"sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex"}
    | {"iopl", "ioperm", "modify_ldt"}
)
"""Calls that no script comes by through a library: who makes one has left the language, and the process is ended."""

AUDIT_ARCH: Final = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
"""What the kernel calls each machine in a filter."""

X32_BIT: Final = 0x4000_0000
"""x86_64 numbers from here on are the x32 entry into the same calls."""

_MACHINES: Final = ("x86_64", "aarch64")

# One line a call: its number on x86_64, on aarch64 (None: has none).
_NUMBERS: Final[dict[str, tuple[int | None, int | None]]] = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "poll": (7, None),
    "ppoll": (271, 73),
    "brk": (12, 214),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "madvise": (28, 233),
    "prlimit64": (302, 261),
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "clock_gettime": (228, 113),
    "gettimeofday": (96, 169),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "restart_syscall": (219, 128),
    "rt_sigreturn": (15, 139),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "clone3": (435, 435),
    "ioctl": (16, 29),
    "prctl": (157, 167),
    "seccomp": (317, 277),
    "capset": (126, 91),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "execve": (59, 221),
    "execveat": (322, 281),
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "mount": (165, 40),
    "umount2": (166, 39),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "fsmount": (432, 432),
    "fsconfig": (431, 431),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "setuid": (105, 146),
    "setgid": (106, 144),
    "setreuid": (113, 145),
    "setregid": (114, 143),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "setfsuid": (122, 151),
    "setfsgid": (123, 152),
    "setgroups": (116, 159),
    "personality": (135, 92),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),
    "splice": (275, 76),
    "tee": (276, 77),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
}


MACHINE: Final = os.uname().machine
"""This machine as the tables name it; asked for once, as it cannot be asked for under the filter."""


def numbers(machine: str) -> dict[str, int]:
    """Give the number of each call that *machine* has; raises OSError where they have no column for it."""
    if machine not in _MACHINES:
        known = " and ".join(_MACHINES)
        raise OSError(errno.ENOSYS, f"there is no table of system calls for {machine}, only for {known}")
    column = _MACHINES.index(machine)
    return {name: number for name, row in _NUMBERS.items() if (number := row[column]) is not None}


def number(name: str) -> int:
    """Give the number of one call on this machine; raises OSError where it has none."""
    column = _MACHINES.index(MACHINE) if MACHINE in _MACHINES else None
    found = None if column is None else _NUMBERS[name][column]
    if found is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    return found
