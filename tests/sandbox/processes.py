"""Look at the processes of this machine from outside, through /proc and pidfds."""

import asyncio
import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def descendants(ancestor: int) -> set[int]:
    """Give the process ids of all that descend from *ancestor*, zombies too."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    waiting = [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting.extend(below)
    return found


def leaves(ancestor: int) -> set[int]:
    """Give those of the descendants that have no child: a sandbox's children."""
    family = descendants(ancestor)
    return family - {parent for pid, parent in _parents() if pid in family}


def signal_all(pids: Iterable[int], number: int) -> None:
    """Send a signal to those of *pids* that are still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


async def ended(*pids: int) -> None:
    """Wait until processes that are no children of this one are gone."""
    loop = asyncio.get_running_loop()
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            pidfd = os.pidfd_open(pid)
            gone = asyncio.Event()
            loop.add_reader(pidfd, gone.set)
            try:
                await gone.wait()
            finally:
                loop.remove_reader(pidfd)
                os.close(pidfd)


def _parents() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                # The name in brackets may hold anything; what follows it is the state and the parent.
                yield int(folder.name), int((folder / "stat").read_text().rpartition(")")[2].split()[1])
