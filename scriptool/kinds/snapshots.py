"""Snapshots: what callers of probes were shown, so that the next answer can leave out what they know."""

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_SNAPSHOTS: Final = 256
"""Most snapshots kept of one tool."""

MAX_CALLERS: Final = 1000
"""Most callers of one tool whose last snapshot is remembered; the one unheard of for longest starts afresh."""

MAX_AGE: Final = 3600.0
"""Seconds a snapshot is kept after it was last given out."""

Reads = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Snapshot:
    """What the reads of one probe gave. Equal reads under the same *definition* have the same *id*."""

    id: str
    definition: str
    prints: Mapping[str, str]

    def changed(self, before: "Snapshot | None") -> list[str]:
        """Give the ids of the reads that differ from *before*, or of all if there is nothing to compare with."""
        known = before.prints if before is not None else {}
        return [name for name, print_ in self.prints.items() if known.get(name) != print_]


def snapshot_of(reads: Reads, definition: str) -> Snapshot:
    """Make the snapshot of *reads* under the definition with this digest."""
    prints = {name: _digest(entry) for name, entry in reads.items()}
    return Snapshot(_digest([definition, prints])[:16], definition, prints)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class Snapshots:
    """The snapshots of all probes, and which of them each caller was shown last; *clock* gives seconds.

    No caller's reading changes what another is compared with: a snapshot is only ever looked at, and what a caller was
    shown last is its own. Only digests are kept, so that the size of what was read does not matter.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[str, OrderedDict[str, tuple[float, Snapshot]]] = {}
        self._last: dict[str, OrderedDict[object, str]] = {}

    def find(self, tool: str, definition: str, *, since: str | None, caller: object | None) -> Snapshot | None:
        """Give the snapshot named by *since*, else the one *caller* was shown last.

        None when there is none, it is too old, or it is of another definition.
        """
        name = since if since is not None else self._last.get(tool, OrderedDict()).get(caller)
        entry = self._kept.get(tool, OrderedDict()).get(name) if name is not None else None
        if entry is None or self._clock() - entry[0] > MAX_AGE:
            return None
        return entry[1] if entry[1].definition == definition else None

    def keep(self, tool: str, snapshot: Snapshot, caller: object | None) -> None:
        """Remember what *caller*, if it is known, was shown now."""
        kept = self._kept.setdefault(tool, OrderedDict())
        last = self._last.setdefault(tool, OrderedDict())
        kept[snapshot.id] = (self._clock(), snapshot)
        kept.move_to_end(snapshot.id)
        if caller is not None:
            last[caller] = snapshot.id
            last.move_to_end(caller)
            if len(last) > MAX_CALLERS:
                last.popitem(last=False)
        oldest = self._clock() - MAX_AGE
        while len(kept) > MAX_SNAPSHOTS or next(iter(kept.values()))[0] < oldest:
            kept.popitem(last=False)
        for known in [one for one, name in last.items() if name not in kept]:
            del last[known]
