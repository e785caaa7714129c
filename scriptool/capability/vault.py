"""Vault: secrets by name, from the environment or a file of the operator's, and the mask of all that were given out."""

import asyncio
import logging
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sandbox import Fault
from scriptool.mask import Mask
from scriptool.permission import Grant

OWN_TOKEN: Final = "SCRIPTOOL_TOKEN"
"""The server's own secret, which no tool is given."""


class _MaskingFormatter(logging.Formatter):
    """Formats as another does, with secrets taken out."""

    def __init__(self, inner: logging.Formatter | None, vault: "Vault") -> None:
        super().__init__()
        self._inner = inner or logging.Formatter()
        self._vault = vault

    def format(self, record: logging.LogRecord) -> str:
        return self._vault.mask.text(self._inner.format(record))


@contextmanager
def masked_logs(vault: "Vault") -> Iterator[None]:
    """Take the secrets that *vault* gives out from everything that is logged meanwhile, tracebacks too."""
    before = [(handler, handler.formatter) for handler in logging.getLogger().handlers]
    for handler, formatter in before:
        handler.setFormatter(_MaskingFormatter(formatter, vault))
    try:
        yield
    finally:
        for handler, formatter in before:
            handler.setFormatter(formatter)


class Vault:
    """Secrets by name. Lives as long as the server; the *files* are read whenever a secret is asked for."""

    def __init__(self, files: Iterable[Path] = (), environment: Mapping[str, str] = os.environ) -> None:
        self._files = tuple(files)
        self._environment = environment
        self._given: set[str] = set()
        self.mask = Mask()
        """Takes out every secret that was ever given to a script."""

    async def answer(self, grant: Grant, payload: Any) -> str:
        """Give the secret *payload* names.

        Raises: Fault `permission_denied` where it was not granted, or has no value.
        """
        name = payload.get("name") if isinstance(payload, dict) else None
        if not isinstance(name, str) or not name:
            raise Fault("bad_request", "What the script asked for is no secret's name.")
        grant.check("secrets", name, name)
        value = None if name == OWN_TOKEN else self._environment.get(name) or await asyncio.to_thread(self._read, name)
        if value is None:
            places = " or ".join(["the server's environment", *(str(file.name) for file in self._files)])
            message = f"{grant.tool} was granted the secret {name!r}, but it has no value."
            told = {"tool": grant.tool, "permission": "secrets", "value": name}
            raise Fault("permission_denied", message, hint=f"The operator sets it in {places}.", **told)
        if value not in self._given:
            self._given.add(value)
            self.mask = Mask(self._given)
        return value

    def _read(self, name: str) -> str | None:
        """Look a secret up in the files. Blocks."""
        for file in self._files:
            try:
                value = tomllib.loads(file.read_text(encoding="utf-8-sig")).get(name)
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                message = f"The secrets of this server cannot be read: {type(error).__name__}."
                hint = f'The operator mends {file.name}; it is TOML, with one line NAME = "value" for each secret.'
                raise Fault("permission_denied", message, hint=hint, permission="secrets", value=name) from None
            if isinstance(value, str):
                return value
        return None
