"""Recording: what every server of the suite answers and writes, kept in files so that it can be searched at the end.

Python imports a module of this name at its start wherever PYTHONPATH leads to it, so the servers that tests start are
recorded without one of them being started otherwise than its users start it. The processes of the sandbox start
isolated and see none of it.
"""

import asyncio.selector_events
import asyncio.unix_events
import itertools
import os
import sys
from pathlib import Path
from typing import Any, Final

FOLDER: Final = "SCRIPTOOL_SUITE_RECORDING"
"""The variable that names the folder to record in; nothing is recorded without it."""

_numbers = itertools.count()


def record(name: str, data: bytes) -> None:
    """Add to a record. No descriptor stays open: some tests count them."""
    if folder := os.environ.get(FOLDER):
        with Path(folder, f"{os.getpid()}-{name}").open("ab") as file:
            file.write(data)


def _written(transport: Any, data: Any) -> None:
    """Record what goes through *transport* if a server of this process accepted it or it is a pipe.

    A record of its own for each keeps a secret whole that arrives in two pieces.
    """
    if getattr(transport, "_server", transport) is None:
        return
    if not hasattr(transport, "number_of_record"):
        transport.number_of_record = next(_numbers)
    record(f"answers-{transport.number_of_record}", bytes(data))


def _recorded(kind: Any) -> None:
    write, writelines = kind.write, kind.writelines

    def write_and_record(self: Any, data: Any) -> None:
        _written(self, data)
        write(self, data)

    def write_lines_and_record(self: Any, lines: Any) -> None:
        whole = b"".join(map(bytes, lines))
        # The inherited way calls write.
        if "writelines" in vars(kind):
            _written(self, whole)
        writelines(self, [whole])

    kind.write, kind.writelines = write_and_record, write_lines_and_record


class _Twice:
    """A text stream that is recorded too."""

    def __init__(self, name: str, stream: Any) -> None:
        self._name, self._stream = name, stream

    def write(self, text: str) -> int:
        record(self._name, text.encode("utf-8", "replace"))
        return int(self._stream.write(text))

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def recorded(application: Any) -> Any:
    """Give an ASGI application that does the same and is recorded, for clients that call it without a socket."""

    async def answering(scope: Any, receive: Any, send: Any) -> None:
        async def send_and_record(message: Any) -> None:
            record("answers", message.get("body", b"") + repr(message.get("headers")).encode())
            await send(message)

        await application(scope, receive, send_and_record)

    return answering


def start() -> None:
    """Record this process from now on."""
    _recorded(vars(asyncio.selector_events)["_SelectorSocketTransport"])
    _recorded(vars(asyncio.unix_events)["_UnixWritePipeTransport"])


if os.environ.get(FOLDER) and __name__ == "sitecustomize":
    start()
    sys.stdout, sys.stderr = _Twice("stdout", sys.stdout), _Twice("stderr", sys.stderr)
