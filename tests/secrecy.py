"""Secrecy: every secret the suite uses, by the one function that makes them, and the forms it could leak in."""

import base64
import json
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

_SECRETS: Final[set[str]] = set()


def secret(text: str) -> str:
    """Give *text* and remember that no server may answer or write it; called while tests are collected."""
    _SECRETS.add(text)
    return text


def secrets() -> frozenset[str]:
    """Give every secret of the tests that were collected."""
    return frozenset(_SECRETS)


def forms(text: str) -> Iterator[str]:
    """Give the forms in which a secret usually travels."""
    yield text
    yield json.dumps(text)[1:-1]
    yield repr(text)[1:-1]
    yield quote(text, safe="")
    yield base64.b64encode(text.encode()).decode().rstrip("=")
