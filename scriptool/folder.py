"""Folder: which files of a tools folder may hold tools, how they look now, and how to read one without being fooled."""

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox import Fault

NEVER_SEARCHED: Final = frozenset({"lib", "tests", "data", "out", "node_modules", "venv", "__pycache__"})
"""Folder names inside a tools folder that hold no tools."""

YOUNG_NS: Final = 100_000_000
"""A file or folder that changed less than this long ago may change again without its times showing it."""

MAX_DEFINITION: Final = 1024 * 1024
"""Most bytes of a JSON definition."""


@dataclass(frozen=True)
class Look:
    """How a file or folder looked from outside: enough to tell that it changed."""

    size: int
    mtime_ns: int
    ctime_ns: int
    device: int
    inode: int
    young: bool

    def same(self, other: "Look | None") -> bool:
        """Say whether nothing can have changed since *other* was taken."""
        return not self.young and other is not None and not other.young and self == other


def look(path: Path | str) -> Look | None:
    """Look at *path*, following links; None when there is nothing to see."""
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return None
    young = (
        time.time_ns() - max(seen.st_mtime_ns if seen.st_mtime_ns <= time.time_ns() else 0, seen.st_ctime_ns) < YOUNG_NS
    )
    return Look(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_dev, seen.st_ino, young)


@dataclass(frozen=True)
class Scan:
    """One walk over a tools folder: its candidate files in sorted order (dangling links are None) and its folders."""

    root: Path
    files: Mapping[Path, Look | None]
    folders: Mapping[Path, Look | None]
    unreadable: Mapping[Path, str]


def scan(root: Path) -> Scan:
    """Walk *root* for `*.py`, `*.json` and `*.md`, also by links, never twice into one folder. Blocks; never raises."""
    files: dict[tuple[str, ...], tuple[str, Look | None]] = {}
    folders: dict[Path, Look | None] = {}
    unreadable: dict[Path, str] = {}
    seen: set[tuple[int, int]] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        folders[folder] = look(folder)
        try:
            identity = os.stat(folder)
            if (identity.st_dev, identity.st_ino) in seen:
                continue
            seen.add((identity.st_dev, identity.st_ino))
            entries = list(os.scandir(folder))
        except FileNotFoundError:
            continue
        except OSError as error:
            unreadable[folder] = os.strerror(error.errno or 0)
            continue
        for entry in entries:
            if _is_folder(entry):
                waiting += [folder / entry.name] if _searched(entry.name) else []
            elif _is_candidate(entry.name) and entry.name.isprintable():
                # Paths are slow to make, to look at and to sort; there may be ten thousand.
                files[(*folder.parts, entry.name)] = (entry.path, look(entry.path))
            elif _is_candidate(entry.name) and not entry.name.endswith(".md"):
                unreadable[folder / _visible(entry.name)] = "its name holds characters that cannot be shown"
    found = {Path(path): seen for _, (path, seen) in sorted(files.items())}
    return Scan(root, found, folders, unreadable)


def linked_places(folder: Path, most: int = 10_000) -> set[str]:
    """Give, without links, where *folder* lies and what the links in it and below lead to. Blocks; never raises.

    Looks at no more than *most* entries.
    """
    found = {os.path.realpath(folder)}
    waiting, seen = [os.path.realpath(folder)], set[str]()
    while waiting and most > 0:
        inner = waiting.pop()
        if inner in seen:
            continue
        seen.add(inner)
        try:
            entries = list(os.scandir(inner))
        except OSError:
            continue
        most -= len(entries)
        for entry in entries:
            real = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
            found |= {real} if entry.is_symlink() else set()
            waiting += [real] if _is_folder(entry) else []
    return found


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _searched(name: str) -> bool:
    return not name.startswith((".", "_")) and name not in NEVER_SEARCHED


def _is_candidate(name: str) -> bool:
    """Leave out hidden names, `_names` and what editors drop beside the file they save."""
    return name.endswith((".py", ".json", ".md")) and not name.startswith((".", "_", "#", "~"))


def _visible(name: str) -> str:
    """Give a name with escapes for what cannot be shown, bytes that are not UTF-8 among it."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read(path: Path, shown: str, most: int) -> bytes:
    """Give the bytes of the regular file *path*, in one read. Blocks, but never on a pipe or a device.

    Raises: Fault `script_unreadable` with `file` (*shown*) and `reason`, also when there are more than *most* bytes.
    """
    try:
        descriptor, linked = _opened(path, shown)
    except OSError as error:
        raise unreadable(shown, _reason(error)) from None
    except ValueError:
        raise unreadable(shown, "no file can have that name") from None
    try:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode):
            raise unreadable(shown, "it is not a regular file")
        if linked and (reason := _strange(descriptor, path)) is not None:
            raise unreadable(shown, reason)
        return b"".join(_chunks(descriptor, shown, most))
    except OSError as error:
        raise unreadable(shown, _reason(error)) from None
    finally:
        os.close(descriptor)


def _opened(path: Path, shown: str) -> tuple[int, bool]:
    """Give a descriptor of the file *path*, and whether a link led to it."""
    if stat.S_ISREG(os.lstat(path).st_mode):
        try:
            return os.open(path, _FLAGS | os.O_NOFOLLOW), False
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            # A link was put in its place a moment ago.
    if not stat.S_ISREG(os.stat(path).st_mode):
        # Before it is opened: of some devices that alone does something.
        raise unreadable(shown, "it is not a regular file")
    return os.open(path, _FLAGS), True


def _strange(descriptor: int, path: Path) -> str | None:
    """Say why what was opened as *path* is no file of its kind; links may lead anywhere, to keys and passwords too."""
    try:
        real = os.readlink(f"/proc/self/fd/{descriptor}").removesuffix(" (deleted)")
    except OSError:
        real = os.path.realpath(path)
    if real.startswith(("/proc/", "/sys/")):
        return "it is part of the running system"
    return None if os.path.splitext(real)[1] == path.suffix else "its links lead to a file of another kind"


def _chunks(descriptor: int, shown: str, most: int) -> Iterator[bytes]:
    left = most
    while chunk := os.read(descriptor, min(left + 1, 1 << 20)):
        left -= len(chunk)
        if left < 0:
            raise unreadable(shown, f"it is too large: over {most // 1024} kB")
        yield chunk


def _reason(error: OSError) -> str:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return "it is gone"
        case errno.EACCES | errno.EPERM:
            return "the server has no permission to read it"
        case errno.ELOOP:
            return "its links lead in a circle"
        case number:
            return os.strerror(number or 0).lower()


def unreadable(shown: str, reason: str) -> Fault:
    """Say why the file *shown* cannot be read."""
    return Fault("script_unreadable", f"{shown} cannot be read: {reason}.", file=shown, reason=reason)
