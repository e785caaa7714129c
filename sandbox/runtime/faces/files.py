"""`ctx.files` and `open` for scripts: the parent reads and writes, in the folders the tool was granted."""

import base64
import builtins
import io
import os
import posixpath
from typing import Any

from sandbox.runtime.asking import Asking
from sandbox.runtime.failures import PermissionDenied

_MODES = frozenset("rwxabt+")
_OWNERS = {"buffering": (-1, 1), "newline": (None, "", "\n", "\r", "\r\n"), "closefd": (True,), "opener": (None,)}


class Files:
    """`ctx.files`: reads and writes whole files; a write replaces the file at once, so nobody sees half of it."""

    __slots__ = ("_asking",)

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def __repr__(self) -> str:
        return "<ctx.files>"

    def read_bytes(self, path: Any) -> bytes:
        """Give the bytes of a file. Raises PermissionDenied, FileNotFoundError, OSError."""
        return base64.b64decode(self._ask("read", path))

    def read_text(self, path: Any, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Give the text of a file; every line ends in `\\n`. Raises as `read_bytes` does, and UnicodeDecodeError."""
        return io.TextIOWrapper(io.BytesIO(self.read_bytes(path)), encoding, errors).read()

    def write_bytes(self, path: Any, data: Any, *, exclusive: bool = False) -> int:
        """Write a file; with *exclusive*, only where there is none. Gives how many bytes it has now."""
        content = bytes(memoryview(data))
        self._ask("write", path, data=base64.b64encode(content).decode(), exclusive=bool(exclusive))
        return len(content)

    def write_text(self, path: Any, text: str, encoding: str = "utf-8", errors: str = "strict") -> int:
        """Write a file of text. Gives how many characters it has now."""
        if not isinstance(text, str):
            raise TypeError(f"write_text() takes a text, not {type(text).__name__}")
        self.write_bytes(path, str.__str__(text).encode(encoding, errors))
        return len(text)

    def append_bytes(self, path: Any, data: Any) -> None:
        """Put *data* at the end of a file, which is made if it is not there."""
        content = bytes(memoryview(data))
        self._ask("write", path, data=base64.b64encode(content).decode(), append=True)

    def can_write(self, path: Any) -> bool:
        """Say whether a file is there already. Raises what writing it would."""
        return bool(self._ask("writable", path))

    def list(self, path: Any = ".") -> list[str]:
        """Give the names in a folder, sorted; those of folders end in `/`."""
        return list(self._ask("list", path))

    def exists(self, path: Any) -> bool:
        """Say whether there is such a file or folder."""
        return bool(self._ask("exists", path))

    def delete(self, path: Any) -> None:
        """Delete a file."""
        self._ask("delete", path)

    def _ask(self, do: str, path: Any, **more: Any) -> Any:
        told = self._asking.now("files", {"do": do, "path": _path(path), **more})
        if "error" in told:
            raise _failure(told["error"], _path(path))
        return told["value"]


class Opener:
    """The builtin `open`."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def __repr__(self) -> str:
        return "<builtins>"

    def open(
        self,
        file: Any,
        mode: Any = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        """Open a file: it is read at once, and written when it is closed. Raises PermissionDenied, OSError."""
        given = {"buffering": buffering, "newline": newline, "closefd": closefd, "opener": opener}
        for name, value in given.items():
            if value not in _OWNERS[name]:
                raise ValueError(f"open() takes no {name}={value!r} in a script")
        path, mode = _path(file), _mode(mode)
        binary, writes = "b" in mode, any(letter in mode for letter in "wax+")
        if binary and (encoding or errors or newline):
            raise ValueError("binary mode takes no encoding, errors or newline")
        try:
            content = self._content(path, mode)
        except PermissionDenied as refusal:
            refusal.args = (f"open({path!r}, {mode!r}): {refusal}",)
            raise
        save = _Saving(self._files, path, append="a" in mode and "+" not in mode) if writes else None
        opened = BinaryFile(path, mode, content, save)
        return opened if binary else TextFile(opened, mode, encoding or "utf-8", errors or "strict", newline)

    def _content(self, path: str, mode: str) -> bytes:
        if "r" in mode:
            return self._files.read_bytes(path)
        if "x" in mode:
            self._files.write_bytes(path, b"", exclusive=True)
        if self._files.can_write(path) and "a" in mode and "+" in mode:
            return self._files.read_bytes(path)
        return b""


class _Saving:
    """Where the content of an open file goes: in place of what was there, or behind it."""

    __slots__ = ("_append", "_files", "_path", "_saved")

    def __init__(self, files: Files, path: str, *, append: bool) -> None:
        self._files = files
        self._path = path
        self._append = append
        self._saved = 0

    def __call__(self, content: bytes) -> None:
        if self._append:
            self._files.append_bytes(self._path, content[self._saved :])
            self._saved = len(content)
        else:
            self._files.write_bytes(self._path, content)


class BinaryFile(io.BytesIO):
    """A file open for bytes."""

    def __init__(self, name: str, mode: str, content: bytes, save: _Saving | None) -> None:
        super().__init__(content)
        self.name, self._mode = name, mode
        # A file opened for writing is there afterwards, and empty, though nothing is written into it.
        self._save, self._dirty = save, "w" in mode or "a" in mode
        self._reads = "r" in mode or "+" in mode
        if "a" in mode:
            self.seek(0, io.SEEK_END)

    @property
    def mode(self) -> str:
        """The mode it was opened in."""
        return self._mode

    def readable(self) -> bool:
        """Say whether it can be read."""
        return self._reads

    def writable(self) -> bool:
        """Say whether it can be written."""
        return self._save is not None

    def read(self, size: int | None = -1, /) -> bytes:
        """Give up to *size* bytes, else the rest."""
        if not self._reads:
            raise io.UnsupportedOperation("not readable")
        return super().read(size)

    def write(self, data: Any, /) -> int:
        """Write *data*; gives how many bytes."""
        if self._save is None:
            raise io.UnsupportedOperation("not writable")
        if "a" in self._mode:
            self.seek(0, io.SEEK_END)
        self._dirty = True
        return super().write(data)

    def truncate(self, size: int | None = None, /) -> int:
        """Cut the file off."""
        if self._save is None:
            raise io.UnsupportedOperation("not writable")
        self._dirty = True
        return super().truncate(size)

    def flush(self) -> None:
        """Save what was written."""
        if self._save is not None and self._dirty and not self.closed:
            self._dirty = False
            self._save(self.getvalue())

    def close(self) -> None:
        """Save what was written, and let go."""
        try:
            self.flush()
        finally:
            super().close()


class TextFile(io.TextIOWrapper):
    """A file open for text."""

    def __init__(self, binary: BinaryFile, mode: str, encoding: str, errors: str, newline: str | None) -> None:
        super().__init__(binary, encoding, errors, newline)
        self._mode = mode

    @property
    def mode(self) -> str:
        """The mode it was opened in."""
        return self._mode


Files.__module__ = "scriptool"
BinaryFile.__module__ = TextFile.__module__ = "io"


def _path(path: Any) -> str:
    """Give a path as text. Raises TypeError, and ValueError for what no file can be called."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is a text, not {type(text).__name__}")
    text = str.__str__(text)
    if "\0" in text:
        raise ValueError("embedded null character in a path")
    return posixpath.normpath(text) if text and ".." not in text.split("/") else text


def _mode(mode: Any) -> str:
    if not isinstance(mode, str) or not set(mode) <= _MODES or sum(mode.count(one) for one in "rwxa") != 1:
        raise ValueError(f"invalid mode: {mode!r}")
    if "b" in mode and "t" in mode:
        raise ValueError("can't have text and binary mode at once")
    return str.__str__(mode)


def _failure(told: dict[str, Any], path: str) -> Exception:
    """Make the exception that Python has for `{type, errno, message}`."""
    kind = getattr(builtins, told["type"], OSError)
    if not issubclass(kind, OSError):
        kind = OSError
    made: Exception = kind(told["errno"], told["message"], path)
    return made
