"""Layer: one wall below the language, by name, with what it keeps from a script that has left the language."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LAYERS: Final = {
    "uid": "a server that runs as root gives its identity up for one that owns nothing",
    "namespaces": "own user, network, IPC, UTS and PID namespaces: no network, no other process to name",
    "filesystem": "an own mount namespace whose root is one empty read-only folder",
    "capabilities": "no capability in any set, none to be gained",
    "no_new_privs": "no program that is run can gain privileges",
    "undumpable": "no core file, no tracing, nothing of it under /proc for others to read",
    "parent_death": "ends with the process that made it, however that one ends",
    "landlock": "no file may be opened, no TCP used, nobody outside signalled",
    "rlimits": "no file written, no process, thread or core file made; processor time, memory and descriptors bounded",
    "seccomp": "about two dozen system calls, no executable mapping; anything else is refused or fatal",
}
"""Every layer in the order it is applied; the last two in each child, the others once for all of them."""

ON: Final = "on"
"""What a report says of a layer that is in force; anything else it says is the reason it is not."""

SWITCHED_OFF: Final = "switched off by hand"


class LayerMissing(Exception):
    """A *layer* that could not be applied, and *why* in words for the operator."""

    def __init__(self, layer: str, why: str) -> None:
        super().__init__(f"{layer}: {why}")
        self.layer = layer
        self.why = why


@contextmanager
def applying(layer: str) -> Iterator[None]:
    """Turn what the kernel answers while *layer* is applied into LayerMissing."""
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise LayerMissing(layer, f"{where}{error.strerror}") from error
