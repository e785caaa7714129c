"""Limits: what one call may use, and the fixed bounds of a source text."""

from dataclasses import dataclass

MAX_BRACKETS = 150
"""How deep brackets may nest in a script."""

MAX_TREE = 200
"""How deep the syntax tree of a script may be; `elif` and operator chains count once."""

MAX_COMPILE_SECONDS = 10.0
"""Most of a call's `seconds` that compiling may take."""


@dataclass
class Spent:
    """How many of a call's `seconds` were used up before it ran, by compiling."""

    seconds: float = 0.0


@dataclass(frozen=True)
class Limits:
    """What one call may use; a definition's `limits` names the same five fields.

    `seconds` is wall time by the parent's clock, `memory_mb` comes on top of the warm zygote, `output_kb` bounds what
    is printed (more is dropped), `result_kb` the JSON text of the result, `source_kb` the script's own text.
    """

    seconds: float = 30.0
    memory_mb: int = 256
    output_kb: int = 256
    result_kb: int = 1024
    source_kb: int = 512
