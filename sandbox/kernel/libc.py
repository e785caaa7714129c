"""The C library's door to the kernel: system calls that the standard library does not offer."""

import ctypes
import os
from typing import Any, Final

from sandbox.kernel.syscalls import number

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


def syscall(name: str, *arguments: Any) -> int:
    """Call the kernel; numbers are passed as longs, bytes and ctypes objects by address, None as a null pointer.

    Raises OSError with the call's name as its file name, also where this machine has no such call.
    """
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    answer: int = _LIBC.syscall(ctypes.c_long(number(name)), *words)
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)
    return answer


def prctl(option: int, *arguments: int) -> int:
    """Read or change an attribute of this process; missing arguments are zero, as the kernel demands."""
    return syscall("prctl", option, *arguments, *(0,) * (4 - len(arguments)))
