"""Files: reads and writes for scripts, in granted folders only, and never where tools or secrets lie."""

import asyncio
import base64
import errno
import functools
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

from sandbox import Fault
from scriptool.capability import folder_descriptor
from scriptool.permission import EVERYTHING, Grant

MAX_FILE: Final = 5 * 1024 * 1024
"""Most bytes of one file, read or written."""

MAX_PATH: Final = 4096
MAX_DEPTH: Final = 64
"""How many characters, and folders one in the other, a path may have: each would be made before one is too many."""

MAX_ENTRIES: Final = 10_000
_MAX_THREADS: Final = 8
_NEVER: Final = ("/proc", "/sys", "/dev")

Place = Callable[[str], str | None]
"""Says in words what a real path is that no script may write to, or None."""

_DEEDS: Final = {
    "read": "read",
    "list": "read",
    "exists": "read",
    "write": "write",
    "writable": "write",
    "delete": "write",
}

_WORDS: Final = {
    errno.ELOOP: "a link; links are not followed",
    errno.EFBIG: f"larger than the {MAX_FILE >> 20} MB (or {MAX_ENTRIES} entries) a script may have at once",
    errno.EACCES: "not a regular file, or the server may not use it",
    errno.ENAMETOOLONG: "a name that is too long",
}


class _Target(NamedTuple):
    """A granted path: a folder that was granted, and the way from there."""

    root: str
    parts: tuple[str, ...]


class _How(NamedTuple):
    """How a file is written: only where there is none, or behind what is there."""

    exclusive: bool
    append: bool


class Files:
    """Reads and writes for scripts, in threads of its own, since a drive may be slow; lives as long as the server.

    *place* says what may never be written; *secret_files*, and what *private* says yes to, are never read either.
    """

    def __init__(
        self, place: Place, secret_files: Iterable[Path] = (), private: Callable[[str], bool] = lambda _path: False
    ) -> None:
        self._place = place
        self._private = private
        self._threads = ThreadPoolExecutor(_MAX_THREADS, "files")
        self._appending = threading.Lock()
        self._secret_files = tuple(secret_files)

    def close(self) -> None:
        """Wait for nothing any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def answer(self, grant: Grant, payload: Any) -> dict[str, Any]:
        """Do what *payload* asks and give `{value}`, or `{error: {type, errno, message}}` as the system sees it.

        Raises: Fault `permission_denied`.
        """
        do, path = (payload.get("do"), payload.get("path")) if isinstance(payload, dict) else (None, None)
        if do not in _DEEDS or not isinstance(path, str):
            raise Fault("bad_request", "What the script asked for is no file.")
        data = b""
        if do == "write":
            try:
                data = base64.b64decode(payload["data"], validate=True)
            except (KeyError, TypeError, ValueError):
                raise Fault("bad_request", "What the script wrote is no content of a file.") from None
        how = _How(payload.get("exclusive") is True, payload.get("append") is True)
        work = functools.partial(self._do, grant, do, path, data, how)
        try:
            return {"value": await asyncio.get_running_loop().run_in_executor(self._threads, work)}
        except (OSError, ValueError) as error:
            return {"error": _told(error)}

    def _do(self, grant: Grant, do: str, path: str, data: bytes, how: _How) -> Any:
        """Do it. Blocks."""
        if len(path) > MAX_PATH or path.count("/") > MAX_DEPTH:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        target = _granted(grant, _DEEDS[do], path)
        if do == "list" and not target.parts:
            with folder_descriptor.opened(target.root, ()) as folder:
                _check_real(folder)
                return folder_descriptor.entries(folder, MAX_ENTRIES)
        *folders, name = target.parts or ("",)
        if not name:
            return self._do_root(do, target)
        if do == "list":
            folders, name = [*folders, name], "."
        creates = do in ("write", "writable")
        if creates:  # before a folder is made; what is there in the end is judged again
            self._check_place(grant, path, os.path.join(os.path.realpath(target.root), *folders, name))
        try:
            with folder_descriptor.opened(target.root, folders, create=creates) as folder:
                _check_real(folder)
                return self._do_in(grant, do, path, folder, name, data, how)
        except (FileNotFoundError, NotADirectoryError):
            if do == "exists":
                return False
            raise

    def _do_root(self, do: str, target: _Target) -> Any:
        if do == "exists":
            return os.path.isdir(target.root)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target.root)

    def _do_in(self, grant: Grant, do: str, path: str, folder: int, name: str, data: bytes, how: _How) -> Any:
        """Do it with *name* in an open folder."""
        if _DEEDS[do] == "write":
            self._check_place(grant, path, f"{folder_descriptor.real_path(folder)}/{name}")
        match do:
            case "read":
                return base64.b64encode(self._read(path, folder, name)).decode()
            case "write":
                with self._appending if how.append else nullcontext():
                    return self._write(path, folder, name, data, how)
            case "writable":
                return folder_descriptor.check_replaceable(folder, name)
            case "list":
                return folder_descriptor.entries(folder, MAX_ENTRIES)
            case "exists":
                return folder_descriptor.exists(folder, name)
            case _:
                return folder_descriptor.delete(folder, name)

    def _read(self, path: str, folder: int, name: str) -> bytes:
        content, seen = folder_descriptor.read(folder, name, MAX_FILE)
        if any(_same(seen, secret) for secret in self._secret_files):
            message = f"{path!r} holds secrets; ask for them by name."
            raise Fault("permission_denied", message, permission="read", value=path)
        if self._private(f"{folder_descriptor.real_path(folder)}/{name}"):
            message = f"{path!r} is the server's own."
            raise Fault("permission_denied", message, permission="read", value=path)
        return content

    def _write(self, path: str, folder: int, name: str, data: bytes, how: _How) -> None:
        if how.append and folder_descriptor.check_replaceable(folder, name):
            data = self._read(path, folder, name) + data
        if len(data) > MAX_FILE:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        folder_descriptor.write(folder, name, data, exclusive=how.exclusive)

    def _check_place(self, grant: Grant, path: str, real: str) -> None:
        reached = self._place(real)
        if reached is not None:
            message = f"{grant.tool} may not write {path!r}: it lies in {reached}."
            told = {"tool": grant.tool, "permission": "write", "value": path}
            raise Fault("permission_denied", message, hint="Write elsewhere, such as to out/.", **told)


def _granted(grant: Grant, kind: str, path: str) -> _Target:
    """Give the way to *path* from the folder that both sides granted. Blocks.

    Raises: Fault `permission_denied`.
    """
    if ".." in path.split("/") or "\0" in path or not path:
        message = f"{grant.tool} may not {kind} {path!r}: a path may not be empty or hold `..`."
        raise Fault("permission_denied", message, tool=grant.tool, permission=kind, value=path)

    def covers(entry: str, value: str) -> bool:
        return _base(grant, entry, value) is not None

    line = os.path.dirname(path).rstrip("/") + "/" if os.path.dirname(path) else path
    grant.check(kind, path, line, covers)
    # From the operator's folder on, no link is followed, wherever the author's lies in it.
    bases = [_base(grant, entry, path) for entry in grant.allowed.of(kind) if entry != EVERYTHING]
    found = [base for base in bases if base is not None]
    if not found:
        found = [base for entry in grant.asked.of(kind) if (base := _base(grant, entry, path)) is not None]
    root = max(found, key=len)
    full = grant.absolute(path)
    if full == root and not os.path.isdir(root):
        root = os.path.dirname(root)
    return _Target(root, tuple(part for part in full[len(root) :].split("/") if part))


def _base(grant: Grant, entry: str, path: str) -> str | None:
    """Give the absolute path of an entry if it is *path* or a folder above it."""
    full = grant.absolute(path)
    if entry == EVERYTHING:
        return os.path.dirname(full)
    base = grant.absolute(entry)
    return base if full == base or full.startswith(base.rstrip("/") + "/") else None


def _check_real(folder: int) -> None:
    real = folder_descriptor.real_path(folder)
    if any(real == never or real.startswith(f"{never}/") for never in _NEVER):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _same(seen: os.stat_result, path: Path) -> bool:
    try:
        other = os.stat(path)
    except OSError:
        return False
    return (seen.st_dev, seen.st_ino) == (other.st_dev, other.st_ino)


def _told(error: OSError | ValueError) -> dict[str, Any]:
    number = error.errno if isinstance(error, OSError) and error.errno else errno.EINVAL
    message = _WORDS.get(number) or os.strerror(number)
    return {"type": type(OSError(number, message)).__name__, "errno": number, "message": message}
