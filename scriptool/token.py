"""Token: the secret that callers must show, from a file only its owner can read, or from the environment."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "SCRIPTOOL_TOKEN"
MIN_LENGTH: Final = 16


def read_token(file: Path | None, environment: Mapping[str, str]) -> str | None:
    """Give the token in *file*, else in the *environment*; None when there is neither.

    Raises: OSError when the file cannot be read, ValueError when it, or the token, is not safe to use.
    """
    if file is None:
        token = environment.get(VARIABLE)
    else:
        if stat.S_IMODE(os.stat(file).st_mode) & 0o077:
            raise ValueError(f"{file} can be read by others; run chmod 600 {file}")
        token = file.read_text(encoding="ascii")
    if token is None:
        return None
    token = token.strip()
    if len(token) < MIN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError(f"a token has at least {MIN_LENGTH} printable ASCII characters and no space")
    return token
