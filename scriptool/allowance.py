"""Allowance: what the operator decides for tools, by `scriptool.toml`, `secrets.toml` and the command line."""

import logging
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from scriptool.errors import did_you_mean
from scriptool.permission import Rules, read_allowance, read_rules
from scriptool.settings import Settings
from scriptool.standard import Standard, read_standard

log = logging.getLogger("scriptool.allowance")

CONFIG: Final = "scriptool.toml"
SECRETS: Final = "secrets.toml"
SECTIONS: Final = ("permissions", "limits", "ceiling", "groups", "scripts")


def decided(settings: Settings, config: Path | None, allow: Iterable[str], working: Path) -> Settings:
    """Give *settings* with what the operator allows: by *config*, else `scriptool.toml` of *working*, and by *allow*.

    Files that lie in a tools folder are no operator's: who may write tools could write them.

    Raises: ValueError and OSError, in words for the operator.
    """
    chosen = _trusted(config, working / CONFIG, settings)
    rules, standard = _read(chosen, named=config is not None) if chosen is not None else (Rules(), settings.standard)
    rules += Rules(tuple(read_allowance(one) for one in allow))
    beside = [chosen.parent / SECRETS] if chosen is not None else []
    secret_files = [*beside, settings.data / SECRETS]
    for file in secret_files:
        _warn_if_open(file)
    read = {"config": chosen, "rules": rules, "standard": standard, "secret_files": tuple(secret_files)}
    return settings.model_copy(update=read)


def _trusted(named: Path | None, usual: Path, settings: Settings) -> Path | None:
    """Give the file that is the operator's, if there may be one."""
    if named is not None:
        if _in_tools(named, settings):
            raise ValueError(f"{named} lies in a tools folder; keep it where tools are not written")
        return named
    if not _in_tools(usual, settings):
        return usual
    if usual.exists():
        log.warning("%s is not read, since this is a tools folder; move it, or name another with --config", CONFIG)
    return None


def _read(path: Path, *, named: bool) -> tuple[Rules, Standard]:
    try:
        return read_config(path.read_bytes())
    except FileNotFoundError:
        if named:
            raise
        return Rules(), Standard()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_config(data: bytes) -> tuple[Rules, Standard]:
    """Give what a `scriptool.toml` says: `[permissions]`, and of every tool `groups`, `scripts`, `[limits]`
    and `[ceiling]`.

    Raises: ValueError, in words for the operator.
    """
    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    for name in document:
        if name not in SECTIONS:
            raise ValueError(f"there is no section [{name}]. {did_you_mean(name, SECTIONS)}".rstrip())
    return read_rules(document), read_standard(document)


def _in_tools(path: Path, settings: Settings) -> bool:
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(folder)) for folder in settings.folders)


def _warn_if_open(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if mode & 0o077:
        log.warning("%s can be read by others than its owner; chmod 600 keeps it to you", path)
