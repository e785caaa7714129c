"""Namespaces: a view of the machine in which there is no network, no other process and no file."""

import errno
import os
import signal
from pathlib import Path
from typing import Final, NoReturn

from sandbox import privileges
from sandbox.layer import LayerMissing, applying
from sandbox.libc import syscall

_NEW_MOUNTS: Final = 0x0002_0000
_NEW_USER: Final = 0x1000_0000
_NEW_NET_IPC_UTS_PID: Final = 0x4000_0000 | 0x0800_0000 | 0x0400_0000 | 0x2000_0000

_RECURSIVE_PRIVATE: Final = 0x4000 | 0x4_0000
_READ_ONLY_NO_SUID_DEV_EXEC: Final = 0x1 | 0x2 | 0x4 | 0x8
_DETACH: Final = 2

_HINTS: Final = {
    errno.EPERM: "the kernel or the container forbids user namespaces (user.max_user_namespaces, "
    "kernel.apparmor_restrict_unprivileged_userns, a seccomp profile)",
    errno.ENOSPC: "no user namespace is left (user.max_user_namespaces)",
    errno.EINVAL: "the kernel was built without one of the namespaces",
}


def enter(*, drop_root: bool = True) -> None:
    """Go on in own user, network, IPC, UTS and PID namespaces, as a forked process that is the first of the last one.

    The process that called waits outside and ends with this one, and this one with it. Root takes the identity of
    nobody before, so that the user namespace is nobody's; with *drop_root* false it stays root inside and out.
    Where root may not make a user namespace it makes the others without. The caller must have one thread only.
    """
    root = os.geteuid() == 0 and drop_root
    try:
        _enter_as_nobody() if root else _enter(_NEW_USER | _NEW_NET_IPC_UTS_PID)
    except OSError as error:
        if os.geteuid() != 0:
            raise LayerMissing("namespaces", _HINTS.get(error.errno or 0, str(error))) from error
        with applying("namespaces"):
            syscall("unshare", _NEW_NET_IPC_UTS_PID)
    outside = os.getppid()
    first = os.fork()
    if first:
        _wait_outside(first, outside)


def empty_root() -> None:
    """Go on in an own mount namespace whose root is one empty folder that cannot be written."""
    with applying("filesystem"):
        syscall("unshare", _NEW_MOUNTS)
        syscall("mount", None, b"/", None, _RECURSIVE_PRIVATE, None)
        place = next(folder for folder in (b"/tmp", b"/mnt", b"/proc", b"/usr") if Path(os.fsdecode(folder)).is_dir())
        syscall("mount", b"tmpfs", place, b"tmpfs", _READ_ONLY_NO_SUID_DEV_EXEC, b"size=4k,nr_inodes=2,mode=555")
        os.chdir(place)
        try:
            # Both at one place: the old root then lies on top of the new one, and is taken away from there.
            syscall("pivot_root", b".", b".")
            syscall("umount2", b".", _DETACH)
        except OSError as error:
            if error.errno != errno.EINVAL:  # the root of a machine that runs from its first memory disk stays
                raise
            os.chroot(".")
        os.chdir("/")


def _enter_as_nobody() -> None:
    """Enter as nobody; where that fails, be root again and raise."""
    privileges.drop_groups()
    nobody = privileges.NOBODY
    os.setresuid(nobody, nobody, 0)  # what is kept here is the way back, and inside it means nothing
    try:
        privileges.allow_dumps()
        _enter(_NEW_USER | _NEW_NET_IPC_UTS_PID)
    except OSError:
        os.setresuid(0, 0, 0)
        raise
    os.setresuid(nobody, nobody, nobody)


def _enter(flags: int) -> None:
    """Make the namespaces, and let the user and group be known in them by the numbers they have outside."""
    user, group = os.geteuid(), os.getegid()
    syscall("unshare", flags)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _wait_outside(first: int, outside: int) -> NoReturn:
    """Hold nothing, and end with the first process of the namespace or with the one that started this."""
    privileges.die_with(outside)
    os.closerange(0, 1 << 16)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, status = os.waitpid(first, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
