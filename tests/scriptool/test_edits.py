"""A thousand edits of one tool, of every kind: no call and no list is ever stale, and nothing grows."""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scriptool.app import App

EDITS = 1000


def overwrite(path: Path, text: str) -> None:
    path.write_text(text)


def keep_times(path: Path, text: str) -> None:
    """Write as many bytes as before and put the times back, as some tools that restore files do."""
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def rename(path: Path, text: str) -> None:
    """Save as most editors do."""
    draft = path.with_name(".draft")
    draft.write_text(text)
    os.replace(draft, path)


def make_anew(path: Path, text: str) -> None:
    path.unlink()
    path.write_text(text)


SAVES: list[Callable[[Path, str], None]] = [overwrite, keep_times, rename, make_anew]


def resident_kb() -> int:
    """Give the memory this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


@pytest.mark.timeout(400)
async def test_a_thousand_edits_give_no_stale_answer_and_nothing_grows(app: App, call: Any, folder: Path) -> None:
    path = folder / "t.py"
    path.write_text("return 0")
    settled_kb = 0
    for number in range(EDITS):
        SAVES[number % len(SAVES)](path, f'"""Number {number:04}."""\nreturn {1000 + number}')
        asks_first = bool(number % 8 < 4)
        if asks_first:
            assert (await call("t")).value == 1000 + number
        assert (await app.library.fresh()).tools["t"].description == f"Number {number:04}."
        if not asks_first:
            assert (await call("t")).value == 1000 + number
        if number == EDITS // 2:
            settled_kb = resident_kb()
    cache = app.sandbox.cache.report()
    assert len(cache["entries"]) <= 66
    assert cache["bytes"] <= cache["max_bytes"]
    assert resident_kb() - settled_kb < 10_000
