"""Landlock: a domain without any rule, so that no file, TCP port or outside process is within reach."""

import errno
import os
import struct
from typing import Final

from sandbox.kernel.layer import LayerMissing, applying
from sandbox.kernel.libc import syscall
from sandbox.kernel.privileges import forbid_new_privileges

_CREATE_RULESET_VERSION: Final = 1

# How many file rights each version of the interface knows; a kernel refuses those it does not.
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP: Final = 0b11  # bind, connect; since version 4
_SCOPES: Final = 0b11  # abstract unix sockets, signals; since version 6


def version() -> int:
    """Give the version of the kernel's interface; raises LayerMissing with what to do about it."""
    try:
        return syscall("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION)
    except OSError as error:
        reasons = {
            errno.ENOSYS: "the kernel has no Landlock (it came with 5.13)",
            errno.EOPNOTSUPP: "Landlock is switched off at boot (kernel parameter lsm=)",
        }
        why = reasons.get(error.errno or 0, error.strerror or "")
        raise LayerMissing("landlock", why) from error


def restrict() -> int:
    """Put this process and all it forks into a domain without rules; give the interface's version."""
    known = version()
    attributes = struct.pack(
        "QQQ",
        (1 << _FILE_RIGHTS[min(known, max(_FILE_RIGHTS))]) - 1,
        _TCP if known >= 4 else 0,
        _SCOPES if known >= 6 else 0,
    )
    # The structure grew with the versions, and an older kernel refuses a longer one.
    size = 8 if known < 4 else 16 if known < 6 else 24
    forbid_new_privileges()  # the kernel's condition for a domain without privileges
    with applying("landlock"):
        ruleset = syscall("landlock_create_ruleset", attributes, size, 0)
        try:
            syscall("landlock_restrict_self", ruleset, 0)
        finally:
            os.close(ruleset)
    return known
