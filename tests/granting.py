"""Settings and definition blocks that grant something, for tests of what scripts reach."""

import json
from collections.abc import Sequence

from scriptool.permission import Rules, read_allowance
from scriptool.settings import Settings


def allowing(settings: Settings, *allow: str) -> Settings:
    """Give *settings* with what `--allow` would add."""
    return settings.model_copy(update={"rules": settings.rules + Rules(tuple(map(read_allowance, allow)))})


def asking(text: str, *, head: str = "", **permissions: Sequence[str]) -> str:
    """Give a script with a block that asks for *permissions*, and says *head* too."""
    pairs = ", ".join(f"{kind} = {json.dumps(entries, ensure_ascii=False)}" for kind, entries in permissions.items())
    return f"# /// tool\n{head}# permissions = {{{pairs}}}\n# ///\n{text}"
