"""Privileges: what a process could do because of who it is, given up for good."""

import errno
import os
import signal
import struct
from typing import Final

from sandbox.kernel.layer import applying
from sandbox.kernel.libc import prctl, syscall

NOBODY: Final = 65534
"""The user and group that by the kernel's convention own nothing."""

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_CAPBSET_DROP: Final = 24
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_CAP_AMBIENT: Final = 47
_CAP_AMBIENT_CLEAR_ALL: Final = 4
_CAPABILITY_VERSION_3: Final = 0x2008_0522


def drop_groups() -> None:
    """Leave every group of root's; who is not root has none to leave that the kernel lets go."""
    if os.geteuid() == 0:
        with applying("uid"):
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)


def drop_root() -> None:
    """Become nobody, in every sense, where the process is root."""
    if 0 in os.getresuid():
        drop_groups()
        with applying("uid"):
            os.setresuid(NOBODY, NOBODY, NOBODY)


def drop_capabilities() -> None:
    """Empty every set of capabilities, the bounding one too where the process may."""
    with applying("capabilities"):
        try:
            for capability in range(64):
                prctl(_PR_CAPBSET_DROP, capability)
        except OSError as error:
            # EINVAL: past the last one the kernel knows. EPERM: not allowed, and nothing in it could be used either.
            if error.errno not in (errno.EINVAL, errno.EPERM):
                raise
        prctl(_PR_CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL)
        syscall("capset", struct.pack("II", _CAPABILITY_VERSION_3, 0), bytes(24))


def forbid_new_privileges() -> None:
    """Make sure that no program run from here gains privileges."""
    with applying("no_new_privs"):
        prctl(_PR_SET_NO_NEW_PRIVS, 1)


def forbid_dumps() -> None:
    """Leave no core file, and let nobody without privileges trace this process or read it under /proc."""
    with applying("undumpable"):
        prctl(_PR_SET_DUMPABLE, 0)


def allow_dumps() -> None:
    """Undo what a change of identity did, so that the process may write its own files under /proc."""
    prctl(_PR_SET_DUMPABLE, 1)


def die_with(parent: int) -> None:
    """End with the process *parent*, which must be the one that made this (0 where another namespace hides it).

    To be applied after the last change of identity, which makes the kernel forget it.
    """
    with applying("parent_death"):
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before it was asked for
        os._exit(1)
