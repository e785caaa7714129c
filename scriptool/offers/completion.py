"""Completion: which of the values an argument may have begin with what was typed."""

import json
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

MAX_VALUES: Final = 100
"""Most values that are proposed at once."""


class Completion(NamedTuple):
    """The *values* to propose, and how many there are in all."""

    values: list[str]
    total: int


def complete(values: Iterable[Any], typed: str) -> Completion:
    """Give the *values* (JSON) that begin with *typed*, then those that hold it; letter case does not matter."""
    texts = dict.fromkeys(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in values)
    sought = typed.casefold()
    begin = [text for text in texts if text.casefold().startswith(sought)]
    hold = [text for text in texts if sought in text.casefold() and not text.casefold().startswith(sought)]
    return Completion([*begin, *hold][:MAX_VALUES], len(begin) + len(hold))
