"""Filling: values put into the holes of an author's texts, and never more than a bound in all.

A short text with many holes, filled with a long value, would else grow in the server's own memory as far as it likes.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from sandbox import Fault

MAX_FILLED: Final = 4 * 1024 * 1024
"""Most characters that all texts of one definition may have once they are filled in."""


class Filling:
    """Fills the texts of one definition for one call."""

    def __init__(self) -> None:
        self._left = MAX_FILLED

    def text(self, holes: re.Pattern[str], text: str, value: Callable[[re.Match[str]], Any]) -> str:
        """Give *text* with the *value* of each hole in its place: a text as it is, nothing for None, else as JSON.

        Raises: Fault `invalid_params`.
        """
        return holes.sub(lambda hole: self._taken(value(hole)), text)

    def value(self, value: Any) -> Any:
        """Give a *value* that stands for a whole text. Raises: Fault `invalid_params`."""
        self._taken(value)
        return value

    def _taken(self, value: Any) -> str:
        text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        self._left -= len(text)
        if self._left < 0:
            message = f"What is filled in comes to more than {MAX_FILLED} characters in all."
            raise Fault(
                "invalid_params", message, hint="Pass shorter values.", problems=[{"path": "", "message": message}]
            )
        return text
