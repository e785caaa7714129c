"""Standard: what the operator fixes for every tool: the usual limits, how far they may rise, which groups exist."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sandbox import Limits
from scriptool.errors import did_you_mean

CEILING: Final = Limits(seconds=600, memory_mb=2048, output_kb=4096, result_kb=16384, source_kb=4096)
"""What a definition may raise its limits to, unless the operator says otherwise."""

_MOST: Final = 2**53
"""Beyond which no limit makes sense, nor is a number."""

GROUPS: Final = ("diagnostics", "authoring", "rendering", "timeline", "build", "code", "input")
"""Groups every server knows; the operator may add some."""


@dataclass(frozen=True)
class Standard:
    """What holds for every tool that says nothing else, and what none may go beyond.

    *scripts* are the folders, beside those that are searched, in which definitions may name their script.
    """

    limits: Limits = Limits()
    ceiling: Limits = CEILING
    groups: tuple[str, ...] = GROUPS
    scripts: tuple[Path, ...] = ()

    def group_of(self, name: str) -> str:
        """Give the group a tool belongs to by the first word of its name."""
        prefix = name.split("_")[0]
        return prefix if prefix in self.groups else "diagnostics" if prefix == "definitions" else "code"


def read_standard(document: Mapping[str, Any]) -> Standard:
    """Give the standard of a `scriptool.toml`: its `groups`, `scripts`, `[limits]` and `[ceiling]`; what it leaves
    out is usual.

    Raises: ValueError, in words for the operator.
    """
    groups = document.get("groups", [])
    if not isinstance(groups, list) or not all(isinstance(one, str) and one.isidentifier() for one in groups):
        raise ValueError('groups is a list of names, as in groups = ["finance"]')
    scripts = document.get("scripts", [])
    if not isinstance(scripts, list) or not all(isinstance(one, str) and os.path.isabs(one) for one in scripts):
        raise ValueError('scripts is a list of whole paths, as in scripts = ["/srv/scripts"]')
    ceiling = _limits("ceiling", document.get("ceiling", {}), CEILING)
    limits = _limits("limits", document.get("limits", {}), Limits())
    for name, most in asdict(ceiling).items():
        if (usual := asdict(limits)[name]) > most:
            raise ValueError(f"{name} is {usual:g} in [limits] and over {most:g}, its ceiling")
    every = tuple(dict.fromkeys([*GROUPS, *groups]))
    return Standard(limits, ceiling, every, tuple(map(_folder, scripts)))


def _folder(text: str) -> Path:
    return Path(os.path.normpath(text))


def _limits(section: str, stated: Any, usual: Limits) -> Limits:
    if not isinstance(stated, dict):
        raise ValueError(f"{section} is a section, [{section}]")
    names = asdict(usual)
    for name, value in stated.items():
        if name not in names:
            raise ValueError(f"[{section}] has no {name!r}. {did_you_mean(name, names)}".rstrip())
        whole = name != "seconds"
        numeric = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not numeric or not 0 < value < _MOST:
            raise ValueError(f"{name} in [{section}] is a {'whole ' if whole else ''}number over 0")
    return Limits(**{**names, **stated})
