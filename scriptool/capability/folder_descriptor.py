"""Folder descriptors: walks to a file one component at a time, each opened in the one before; no link is followed.

What a path meant when it was checked is thereby what is read or written, whatever is renamed meanwhile.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_DRAFT = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def opened(root: str, parts: Sequence[str], *, create: bool = False) -> Iterator[int]:
    """Give a descriptor of the folder *parts* below *root*; *create* makes folders that are missing.

    Links on the way to *root* are followed: it was granted by that name. Raises OSError.
    """
    if create:
        os.makedirs(root, exist_ok=True)
    folder = os.open(root, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for part in parts:
            inner = _inner(folder, part, create)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _inner(folder: int, name: str, create: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)


def real_path(folder: int) -> str:
    """Give where an open folder lies now, without links."""
    return os.readlink(f"/proc/self/fd/{folder}")


def read(folder: int, name: str, most: int) -> tuple[bytes, os.stat_result]:
    """Give the bytes of a regular file and what it is. Raises OSError, EFBIG for more than *most* bytes."""
    descriptor = os.open(name, _FILE, dir_fd=folder)
    try:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode):
            raise _error(errno.EISDIR if stat.S_ISDIR(seen.st_mode) else errno.EACCES, name)
        parts, left = [], most + 1
        while left and (part := os.read(descriptor, min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
        if not left:
            raise _error(errno.EFBIG, name)
        return b"".join(parts), seen
    finally:
        os.close(descriptor)


def write(folder: int, name: str, data: bytes, *, exclusive: bool = False) -> None:
    """Put *data* in place of a file, at once; with *exclusive*, only where nothing has the name. Raises OSError.

    Who may read and write the file stays as it was.
    """
    before = _regular(folder, name)
    draft = f".{secrets.token_hex(8)}.tmp"
    descriptor = os.open(
        draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=folder
    )
    try:
        with open(descriptor, "wb") as file:
            if before is not None:
                os.fchmod(descriptor, before.st_mode & 0o777)
            file.write(data)
        if exclusive:
            os.link(draft, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        else:
            os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)


def check_replaceable(folder: int, name: str) -> bool:
    """Say whether there is a file of that name, and raise OSError where there is something else."""
    return _regular(folder, name) is not None


def _regular(folder: int, name: str) -> os.stat_result | None:
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        raise _error(errno.EISDIR if stat.S_ISDIR(seen.st_mode) else errno.EACCES, name)
    return seen


def entries(folder: int, most: int) -> list[str]:
    """Give the names in a folder, sorted; those of folders end in `/`. Raises OSError, EFBIG for more than *most*."""
    names: list[str] = []
    with os.scandir(folder) as found:
        for entry in found:
            shown = os.fsencode(entry.name).decode("utf-8", "replace")
            names.append(shown + ("/" if entry.is_dir(follow_symlinks=False) else ""))
            if len(names) > most:
                raise _error(errno.EFBIG, ".")
    return sorted(names)


def exists(folder: int, name: str) -> bool:
    """Say whether there is a file or folder of that name; a link is neither."""
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return not stat.S_ISLNK(seen.st_mode)


def delete(folder: int, name: str) -> None:
    """Delete a file. Raises OSError."""
    check_replaceable(folder, name)
    os.unlink(name, dir_fd=folder)


def _error(number: int, name: str) -> OSError:
    return OSError(number, os.strerror(number), name)
