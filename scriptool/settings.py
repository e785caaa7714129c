"""Settings: what the operator decided, in one immutable place, and where tools and data live by default."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import platformdirs
from pydantic import BaseModel, ConfigDict

from scriptool.permission import Rules
from scriptool.standard import Standard

DEFAULT_PORT: Final = 8750
MAX_BODY: Final = 8 * 1024 * 1024
"""Most bytes of a request's body."""

OTHERS_RATE: Final = 50.0
"""How often a second one caller may call, where others than this machine reach the server."""

PROBE_TYPES: Final = ("datetime.date", "datetime.datetime", "datetime.timedelta")
"""Classes that probes of a server without an application may read, unless the operator names others."""


class Settings(BaseModel):
    """Everything the operator decides. *folders* are searched in order; the first that has a name wins."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folders: tuple[Path, ...]
    project: Path
    data: Path
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    token: str | None = None
    max_body: int = MAX_BODY
    rate: float | None = None
    standard: Standard = Standard()
    weak_sandbox: bool = False
    modules: tuple[str, ...] = ()
    """Modules that scripts may import beside those of the language; what they can reach, scripts reach."""
    config: Path | None = None
    rules: Rules = Rules()
    secret_files: tuple[Path, ...] = ()
    probe_types: tuple[str, ...] = PROBE_TYPES
    watch: bool = True
    poll: bool = False

    @property
    def project_hash(self) -> str:
        """Give the name of the project's own tools folder: 16 hex digits of the SHA-256 of its resolved path."""
        return hashlib.sha256(os.fsencode(self.project.resolve())).hexdigest()[:16]

    @property
    def definitions_dir(self) -> Path:
        """Give the folder searched first: of the project when none was named."""
        return self.folders[0]

    @property
    def shared_definitions_dir(self) -> Path:
        """Give the folder all projects share."""
        return self.data / "tools" / "shared"


def choose_folders(named: Sequence[Path], *, project: Path, data: Path | None = None, shared: bool = True) -> Settings:
    """Give settings that search the *named* folders (else the project's own), then, if *shared*, the shared one."""
    home = data or platformdirs.user_data_path("scriptool")
    bare = Settings(folders=(), project=project, data=home)
    own = [folder.absolute() for folder in named] or [home / "tools" / bare.project_hash]
    last = [bare.shared_definitions_dir] if shared else []
    return bare.model_copy(update={"folders": tuple(own + last)})
