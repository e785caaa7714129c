"""Watch: wakes the library when a searched folder changes, so that lists, problems and first calls are ready."""

import asyncio
import logging
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from watchfiles import Change, awatch

from scriptool.folder import look
from scriptool.folders.library import Library

log = logging.getLogger("scriptool.folders.watch")

DEBOUNCE_MS: Final = 200
STEP_MS: Final = 30
POLL_SECONDS: Final = 1.0
"""How often the folders are looked over where the system does not tell of changes."""

ABSENT_SECONDS: Final = 0.5
"""How often it is looked whether folders appeared or went."""


Identity = tuple[int, int]
"""Device and inode of a folder."""


async def watch(library: Library, folders: Sequence[Path], *, poll: bool = False) -> None:
    """Refresh *library* whenever something under *folders* changes, until cancelled.

    *poll* looks instead of listening, for network drives. Folders may come and go; nothing depends on this task for
    being right, only for being quick.
    """
    while poll:
        await asyncio.sleep(POLL_SECONDS)
        try:
            await library.fresh()
        except Exception as error:
            log.warning("the folders could not be looked over", exc_info=error)
    while True:
        try:
            with ExitStack() as held:
                await _watch_present(library, _hold(folders, held), folders)
        except Exception as error:
            # Whatever it was, later edits must be noticed again.
            log.warning("watching stopped and starts again", exc_info=error)
            await asyncio.sleep(ABSENT_SECONDS)


def _hold(folders: Sequence[Path], held: ExitStack) -> dict[Path, Identity]:
    """Give the folders that are there, each with its identity, held open: else one made anew could be taken for it."""
    found = {}
    for folder in folders:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue
        held.callback(os.close, descriptor)
        seen = os.fstat(descriptor)
        found[folder] = (seen.st_dev, seen.st_ino)
    return found


def _present(folders: Sequence[Path]) -> dict[Path, Identity]:
    looks = {folder: look(folder) for folder in folders if folder.is_dir()}
    return {folder: (seen.device, seen.inode) for folder, seen in looks.items() if seen is not None}


async def _watch_present(library: Library, present: dict[Path, Identity], folders: Sequence[Path]) -> None:
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
