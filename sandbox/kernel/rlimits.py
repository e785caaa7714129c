"""Rlimits: what the kernel counts for a process, at its lowest for all and by the call for time and memory."""

import errno
import math
import os
import resource
from pathlib import Path
from typing import Final

from sandbox.kernel.layer import applying

CPU_GRACE_SECONDS: Final = 5
"""How much later than the parent's clock the kernel ends a child: it is there for orphans, the clock is the truth."""

_MEBIBYTE: Final = 1 << 20

_OF_ALL: Final = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_MEMLOCK: 0,
    resource.RLIMIT_MSGQUEUE: 0,
    resource.RLIMIT_NICE: 0,
    resource.RLIMIT_RTPRIO: 0,
    resource.RLIMIT_STACK: 16 * _MEBIBYTE,  # CPython is built for 8, and deep C recursion should meet its own check
}

# A zygote that had these could not fork, receive descriptors or live long.
_OF_CHILDREN: Final = {
    resource.RLIMIT_NPROC: 0,
    resource.RLIMIT_NOFILE: 16,  # poll refuses more entries than this, and an event loop has three
    resource.RLIMIT_CPU: 24 * 3600,  # for the time until the call sets its own
}


def bound_all() -> None:
    """Bound, in the zygote and so in all it forks, what neither needs; raises LayerMissing."""
    with applying("rlimits"):
        for kind, most in _OF_ALL.items():
            _lower(kind, most)


def bound_child() -> None:
    """Bound, in a child, what no script needs; raises LayerMissing."""
    with applying("rlimits"):
        for kind, most in _OF_CHILDREN.items():
            _lower(kind, most)


def bound_call(seconds: float, memory_mb: int, warm_bytes: int) -> None:
    """Bound processor time and address space for one call; raises LayerMissing.

    *seconds* are those of the parent's clock; *memory_mb* comes on top of *warm_bytes*, the zygote's address space.
    """
    with applying("rlimits"):
        _lower(resource.RLIMIT_CPU, math.ceil(seconds) + CPU_GRACE_SECONDS)
        _lower(resource.RLIMIT_AS, warm_bytes + memory_mb * _MEBIBYTE)


def address_space() -> int:
    """Give this process's address space in bytes; to be asked for while /proc is still there."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _lower(kind: int, most: int) -> None:
    """Set both bounds of a limit, or keep one that is lower already."""
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    try:
        resource.setrlimit(kind, (most, most))
    except ValueError as error:  # what CPython makes of a refusal
        raise OSError(errno.EPERM, str(error)) from error
