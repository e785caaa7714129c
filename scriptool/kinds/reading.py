"""Reading: the files that resources and prompts name, in their folder only: no link is followed and no `..` either."""

import errno
import mimetypes
import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox import Fault
from scriptool.capability import folder_descriptor
from scriptool.folder import look

MAX_RESOURCE: Final = 8 * 1024 * 1024
"""Most bytes of a file that is read as a resource."""

MAX_FOUND: Final = 1000
"""Most files of a folder that are proposed."""

_MAX_SEEN: Final = 10_000
_TYPES: Final = {
    ".md": "text/markdown",
    ".toml": "application/toml",
    ".webp": "image/webp",
    ".yaml": "application/yaml",
}
"""What the standard library's own table does not hold in every version."""

_TABLE: Final = mimetypes.MimeTypes()
"""The standard library's own table, without those of this system: one file has one type on every machine."""

Identity = tuple[int, int]
"""Device and inode of a file."""

Stamp = tuple[int, int, int, int]
"""Size, times and inode of a file."""


@dataclass(frozen=True)
class Reading:
    """What a resource holds: a text, or bytes that are none, of a type."""

    uri: str
    mime_type: str
    content: str | bytes


def read_inside(folder: Path, place: str, hidden: Collection[Identity] = ()) -> bytes:
    """Give the bytes of the regular file *place* in *folder*; files that are *hidden* are not there. Blocks.

    Raises: Fault `not_found`, `script_unreadable`.
    """
    *parents, name = _parts(place)
    try:
        with folder_descriptor.opened(str(folder), parents) as held:
            data, seen = folder_descriptor.read(held, name, MAX_RESOURCE)
    except OSError as error:
        raise _unread(place, error) from None
    if (seen.st_dev, seen.st_ino) in hidden:
        raise _not_found(place)
    return data


def stamp(path: Path) -> Stamp | None:
    """Give something that differs once the file at *path* has changed; None where there is none. Blocks."""
    seen = look(path)
    return (seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode) if seen is not None else None


def stamp_inside(folder: Path, place: str) -> Stamp | None:
    """Give the same of the file *place* in *folder*. Blocks."""
    try:
        *parents, name = _parts(place)
        with folder_descriptor.opened(str(folder), parents) as held:
            return stamp(Path(f"/proc/self/fd/{held}") / name) if folder_descriptor.exists(held, name) else None
    except (OSError, Fault):
        return None


def files_inside(folder: Path, place: str) -> list[str]:
    """Give the paths of the files below the folder *place* in *folder*, in order, at most `MAX_FOUND`. Blocks."""
    try:
        with folder_descriptor.opened(str(folder), [part for part in place.split("/") if part not in ("", ".")]) as top:
            return sorted(_found(top))
    except OSError:
        return []


def _found(top: int) -> Iterator[str]:
    seen, count = 0, 0
    for path, folders, names, folder in os.fwalk(".", dir_fd=top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            seen += 1
            if seen > _MAX_SEEN or count >= MAX_FOUND:
                return
            if not name.startswith(".") and name.isprintable() and _is_regular(name, folder):
                count += 1
                yield os.path.normpath(os.path.join(path, name))


def _is_regular(name: str, folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def reading_of(uri: str, data: bytes, name: str, mime_type: str | None) -> Reading:
    """Give *data* as text if it is that, else as bytes; its type is *mime_type*, or what the file's *name* tells."""
    try:
        content: str | bytes = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        content = data
    if isinstance(content, str) and "\0" in content:
        content = data
    return Reading(uri, mime_type or type_of(name, content), content)


def type_of(name: str, content: str | bytes | None = None) -> str:
    """Give the MIME type of a file by its *name*, else by whether its *content* is text."""
    suffix = Path(name).suffix.lower()
    known = _TYPES.get(suffix) or _TABLE.guess_type(f"file{suffix}")[0]
    if isinstance(content, str) and (known is None or known.startswith("video/")):
        return "text/plain"  # `.ts` is a film to that table
    return known or "application/octet-stream"


def identities(paths: Collection[Path]) -> frozenset[Identity]:
    """Give what tells the files at *paths* apart from all others, by whatever name. Blocks."""
    looks = (look(path) for path in paths)
    return frozenset((seen.device, seen.inode) for seen in looks if seen is not None)


def _parts(place: str) -> list[str]:
    parts = [part for part in place.split("/") if part not in ("", ".")]
    if not parts or place.startswith("/") or "\0" in place or any(part.startswith(".") for part in parts):
        raise _not_found(place)
    return parts


def _unread(place: str, error: OSError) -> Fault:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR | errno.ENAMETOOLONG:
            return _not_found(place)
        case errno.ELOOP:
            reason = "it is a link, or lies behind one; links are not followed"
        case errno.EFBIG:
            reason = f"it is too large: over {MAX_RESOURCE >> 20} MB"
        case errno.EACCES | errno.EISDIR | errno.ENXIO:
            reason = "it is not a regular file, or the server may not read it"
        case number:
            reason = os.strerror(number or 0).lower()
    return Fault("script_unreadable", f"{place[:200]} cannot be read: {reason}.", file=place[:200], reason=reason)


def _not_found(place: str) -> Fault:
    return Fault("not_found", f"There is no file {place[:200]!r} here.")
