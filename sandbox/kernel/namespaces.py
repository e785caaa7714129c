"""Namespaces: a view of the machine in which there is no network, no other process and no file."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

from sandbox.kernel import privileges
from sandbox.kernel.layer import LayerMissing, applying
from sandbox.kernel.libc import syscall

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

    The process that called waits outside and ends with this one, and this one with it. Root becomes nobody before, so
    that the user namespace is nobody's, or makes the other namespaces alone; with *drop_root* false it stays root
    inside and out. The caller must have one thread only. Raises LayerMissing.
    """
    ways = [_enter_as_oneself, _enter_unnamed]
    if os.geteuid() == 0 and drop_root:
        ways = [_enter_as_nobody, _enter_without_user, _enter_as_oneself]
    # Tried in a fork first: a way that fails half through cannot be taken back.
    failures = []
    for way in ways:
        failure = _failure(way)
        if not failure:
            break
        failures.append(failure)
    else:
        raise LayerMissing("namespaces", _HINTS.get(failures[0], os.strerror(failures[0])))
    with applying("namespaces"):
        way()
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
    """Enter as nobody; what root the process is until then it keeps until the namespace is made, but not in it."""
    nobody = privileges.NOBODY
    privileges.drop_groups()
    os.setresuid(nobody, nobody, 0)
    privileges.allow_dumps()
    _enter_as_oneself()
    os.setresuid(nobody, nobody, nobody)


def _enter_without_user() -> None:
    syscall("unshare", _NEW_NET_IPC_UTS_PID)


def _enter_as_oneself() -> None:
    """Enter, known inside by the same user and group numbers as outside."""
    user, group = os.geteuid(), os.getegid()
    _enter_unnamed()
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _enter_unnamed() -> None:
    """Enter, known inside by no number: AppArmor lets an ordinary user do that where it forbids the names."""
    syscall("unshare", _NEW_USER | _NEW_NET_IPC_UTS_PID)


def _failure(way: Callable[[], None]) -> int:
    """Try *way* in a fork; give the error number, 0 if it worked."""
    child = os.fork()
    if child == 0:
        code = errno.EPERM
        try:
            way()
            code = 0
        except OSError as error:
            code = error.errno or code
        except LayerMissing:
            pass
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return abs(os.waitstatus_to_exitcode(status))


def _wait_outside(first: int, outside: int) -> NoReturn:
    """Hold nothing, and end with the first process of the namespace or with the one that started this."""
    privileges.forbid_new_privileges()
    privileges.forbid_dumps()
    if os.geteuid() != 0:  # root needs one, for its own end to end a process that is nobody's
        privileges.drop_capabilities()
    privileges.die_with(outside)
    os.closerange(0, 1 << 16)
    _, status = os.waitpid(first, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
