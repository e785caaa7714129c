"""Attempts: real tries to get through the layers; what a layer is worth is judged by them, not by what was set."""

import _thread
import ctypes
import errno
import mmap
import os
import resource
import socket
from collections.abc import Callable
from typing import Final

from sandbox.kernel.libc import prctl, syscall

Attempt = Callable[[], bool]
"""Gives True when it got through; false, any exception and the death of the process mean that the wall held."""

_NEW_USER: Final = 0x1000_0000
_PR_GET_PDEATHSIG: Final = 2
_PR_GET_DUMPABLE: Final = 3
_PR_GET_NO_NEW_PRIVS: Final = 39
_CLOSED_PORT: Final = ("127.0.0.1", 9)
_OUR_OWN: Final = frozenset({"LC_ALL", "LC_CTYPE"})


def _opens() -> bool:
    os.close(os.open("/", os.O_RDONLY))
    return True


def _lists() -> bool:
    return os.listdir("/") is not None


def _connects() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp:
        return tcp.connect_ex(_CLOSED_PORT) in (0, errno.ECONNREFUSED)  # refused by the far end, so it got there


def _sends() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect(_CLOSED_PORT)
    return True


def _forks() -> bool:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


def _starts_a_thread() -> bool:
    return _thread.start_new_thread(int, ()) is not None


def _executes() -> bool:
    try:
        os.execv("/no such program", ["x"])
    except FileNotFoundError:
        return True  # the kernel went to look for it


def _signals() -> bool:
    os.kill(os.getppid(), 0)
    return True


def _maps_executable() -> bool:
    mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()
    return True


def _makes_a_file_in_memory() -> bool:
    os.close(os.memfd_create("x"))
    return True


def _makes_a_namespace() -> bool:
    return syscall("unshare", _NEW_USER) == 0


def _raises_a_limit() -> bool:
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return True


def _reads_the_environment() -> bool:
    return bool(os.environ.keys() - _OUR_OWN)


ATTEMPTS: Final[dict[str, Attempt]] = {
    "open a folder": _opens,
    "list a folder": _lists,
    "connect by TCP": _connects,
    "send by UDP": _sends,
    "fork": _forks,
    "start a thread": _starts_a_thread,
    "run a program": _executes,
    "signal the parent": _signals,
    "map executable memory": _maps_executable,
    "make a file in memory": _makes_a_file_in_memory,
    "make a user namespace": _makes_a_namespace,
    "raise a limit": _raises_a_limit,
    "read the environment": _reads_the_environment,
}
"""For a child under every layer: each must be held."""


def _is_root() -> bool:
    return 0 in os.getresuid()


def _sees_network_or_processes() -> bool:
    return os.getpid() != 1 or held(_sends) is False


def _sees_files() -> bool:
    return any(os.access(folder, os.F_OK) for folder in ("/proc", "/etc", "/usr", "/dev"))


def _uses_a_capability() -> bool:
    os.chroot("/")
    return True


def _may_gain_privileges() -> bool:
    return prctl(_PR_GET_NO_NEW_PRIVS) == 0


def _leaves_a_core() -> bool:
    return prctl(_PR_GET_DUMPABLE) != 0


def _outlives_its_parent() -> bool:
    signal = ctypes.c_int()
    syscall("prctl", _PR_GET_PDEATHSIG, ctypes.byref(signal), 0, 0, 0)
    return signal.value == 0


ZYGOTE_ATTEMPTS: Final[dict[str, tuple[str, Attempt]]] = {
    "uid": ("being root", _is_root),
    "namespaces": ("reaching the machine's network or processes", _sees_network_or_processes),
    "filesystem": ("seeing the machine's files", _sees_files),
    "capabilities": ("using a capability", _uses_a_capability),
    "no_new_privs": ("gaining privileges by a program", _may_gain_privileges),
    "undumpable": ("leaving a core file", _leaves_a_core),
    "parent_death": ("outliving its parent", _outlives_its_parent),
    "landlock": ("listing a folder", _lists),
}
"""For the zygote: each is one that its layer alone holds, whatever the others do."""

CHILD_ATTEMPTS: Final[dict[str, tuple[str, Attempt]]] = {
    "rlimits": ("raising a limit", _raises_a_limit),
    "seccomp": ("mapping executable memory", _maps_executable),
}
"""The same for the two layers that each child puts on itself."""


def held(attempt: Attempt) -> bool:
    """Make *attempt* in this process and say whether it was held."""
    try:
        return not attempt()
    except Exception:
        return True
