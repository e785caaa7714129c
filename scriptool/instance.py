"""Instance: the note by which its owner finds a running server: `instances/PROJECT.json` in the data folder."""

import contextlib
import json
import logging
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from scriptool.settings import Settings

_log = logging.getLogger("scriptool.instance")


class Instance(BaseModel):
    """A running server: where it is, its process, and the token it asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    pid: int
    token: str | None = None


@contextlib.contextmanager
def noted(settings: Settings, url: str) -> Iterator[None]:
    """Let the server at *url* be found while the block runs. Of several of one project the last is."""
    path = _path(settings)
    mine = Instance(url=url, pid=os.getpid(), token=settings.token)
    try:
        _write(path, mine)
    except OSError as error:
        _log.warning("`scriptool call` will not find this server: %s cannot be written: %s", path, error.strerror)
    try:
        yield
    finally:
        if _read(path) == mine:
            path.unlink(missing_ok=True)


def running(settings: Settings) -> Instance | None:
    """Give the running server of the project, or None. A note that others may have written does not count."""
    found = _read(_path(settings))
    return found if found is not None and _lives(found.pid) else None


def _path(settings: Settings) -> Path:
    return settings.data / "instances" / f"{settings.project_hash}.json"


def _write(path: Path, instance: Instance) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # `mkstemp` makes it readable for its owner alone.
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=".")
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(instance.model_dump_json())
    os.replace(beside, path)


def _read(path: Path) -> Instance | None:
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            if about.st_uid != os.geteuid() or stat.S_IMODE(about.st_mode) & 0o077:
                return None
            return Instance.model_validate(json.loads(file.read()))
    except (OSError, ValueError, ValidationError):
        return None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
