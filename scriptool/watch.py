"""Watch: wakes the library when a searched folder changes, so that lists, problems and first calls are ready."""

import asyncio
import logging
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from watchfiles import Change, awatch

from scriptool.library import Library

log = logging.getLogger("scriptool.watch")

DEBOUNCE_MS: Final = 200
STEP_MS: Final = 30
POLL_SECONDS: Final = 1.0
"""How often the folders are looked over where the system does not tell of changes."""

ABSENT_SECONDS: Final = 0.5
"""How often it is looked whether folders appeared or went."""


async def watch(library: Library, folders: Sequence[Path], *, poll: bool = False) -> None:
    """Refresh *library* whenever something under *folders* changes, until cancelled.

    *poll* looks instead of listening, for network drives. Folders may come and go; nothing depends on this task for
    being right, only for being quick.
    """
    while poll:
        await asyncio.sleep(POLL_SECONDS)
        await library.fresh()
    while True:
        try:
            await _watch_present(library, _present(folders), folders)
        except OSError as error:
            log.warning("watching stopped and starts again: %s", error)
            await asyncio.sleep(ABSENT_SECONDS)


def _present(folders: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Give the folders that are there, each with what tells it from one made anew under the same name."""
    found = {}
    for folder in folders:
        try:
            seen = os.stat(folder)
        except OSError:
            continue
        if stat.S_ISDIR(seen.st_mode):
            found[folder] = (seen.st_dev, seen.st_ino)
    return found


async def _watch_present(library: Library, present: dict[Path, tuple[int, int]], folders: Sequence[Path]) -> None:
    """Watch the folders that are there until one of all the folders appears, goes or is made anew."""
    if not present:
        await asyncio.sleep(ABSENT_SECONDS)
        return
    stream = awatch(
        *present,
        watch_filter=_matters,
        debounce=DEBOUNCE_MS,
        step=STEP_MS,
        rust_timeout=int(ABSENT_SECONDS * 1000),
        yield_on_timeout=True,
    )
    begun = False
    async for changes in stream:
        # The first round comes once watching has begun: what was saved before then must be looked for.
        if changes or not begun:
            await library.fresh()
        begun = True
        if _present(folders) != present:
            await library.fresh()
            return


def _matters(_change: Change, path: str) -> bool:
    """Leave out what interpreters and editors drop; anything else may be a tool or a folder of tools."""
    name = Path(path).name
    return "__pycache__" not in path and not name.startswith((".", "#")) and not name.endswith(("~", ".swp", ".tmp"))
