"""Sealing: the key under which request states leave this server, kept so that it knows its own after a restart."""

import contextlib
import logging
import os
from pathlib import Path
from typing import Final

from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

_log = logging.getLogger("scriptool.mcp")

_KEY_BYTES: Final = 32

_STATE_SECONDS: Final = 86_400.0
"""How long a request state can be told from a forged one; the call it names is gone long before."""


def sealing(key: bytes) -> RequestStateBoundary:
    """Give what seals the states that leave and refuses those that are not ours."""
    security = RequestStateSecurity(keys=[key], ttl=_STATE_SECONDS)
    return RequestStateBoundary(security, default_audience="scriptool")


def kept_key(file: Path) -> bytes:
    """Give the key in *file*, which is made at first use; blocks. Where no file can be kept, one for this run only."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with open(descriptor, "wb") as made:
                made.write(os.urandom(_KEY_BYTES))
        key = file.read_bytes()
    except OSError as error:
        _log.info("request states will not outlive this run: %s", error)
        return os.urandom(_KEY_BYTES)
    if len(key) != _KEY_BYTES or file.stat().st_mode & 0o077:
        _log.warning("%s is no key that only its owner can read; delete it to have it made anew", file)
        return os.urandom(_KEY_BYTES)
    return key
