"""Attack the sandbox with each layer taken away, and measure what they cost; writes the tables of docs/sandbox.md.

Run as `python -m bench.layers`; takes a few minutes. Without root the columns of root are left out.
"""

import asyncio
import os
import re
import statistics
import sys
import time
from collections.abc import Collection
from pathlib import Path

from sandbox.layer import LAYERS
from sandbox.limits import Limits
from sandbox.pool import Sandbox
from tests.sandbox.confinement import Verdict, attack_as, left_language, summary

PAGE = Path(__file__).parent.parent / "docs" / "sandbox.md"
BEGIN, END = "<!-- made by python -m bench.layers -->", "<!-- end -->"
IDENTITIES = ("root", "user") if os.getuid() == 0 else ("user",)
CALLS, ROUNDS = 40, 6


def main() -> None:
    sections = [attacks(), asyncio.run(costs())]
    text = PAGE.read_text(encoding="utf-8")
    made = f"{BEGIN}\n\n" + "\n\n".join(sections) + f"\n\n{END}"
    PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: made, text, flags=re.DOTALL), encoding="utf-8")
    print(made)


def attacks() -> str:
    """Make the table of what gets through with each layer taken away, with each alone, and with none."""
    header = ["without", *(f"as {identity}" for identity in IDENTITIES), "what then gets through"]
    rows = [header, ["---"] * len(header), row("nothing taken away", ())]
    rows += [row(f"`{layer}`", (layer,)) for layer in LAYERS]
    rows += [row(f"all but `{layer}`", set(LAYERS) - {layer}) for layer in LAYERS]
    rows += [row("all", LAYERS)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def row(title: str, without: Collection[str]) -> list[str]:
    """Run every attack under each identity and give a row of the table."""
    print(f"without {title}", file=sys.stderr)
    found = {identity: attack_as(identity, without) for identity in IDENTITIES}
    through = sorted({verdict.title for verdicts in found.values() for verdict in verdicts if counts(verdict)})
    named = "; ".join(through) if len(through) <= 6 else f"{'; '.join(through[:4])}; and {len(through) - 4} more"
    return [title, *(summary(verdicts).removesuffix(" through") for verdicts in found.values()), named or "nothing"]


def counts(verdict: Verdict) -> bool:
    return verdict.through and not verdict.residual


async def costs() -> str:
    """Measure a warm call with every layer and with none, in turns, and how long a sandbox takes to start."""
    starts: dict[str, list[float]] = {"all": [], "none": []}
    calls: dict[str, list[float]] = {"all": [], "none": []}
    kinds: dict[str, Collection[str]] = {"all": (), "none": LAYERS}
    for _ in range(ROUNDS):
        for kind, without in kinds.items():
            begun = time.perf_counter()
            async with Sandbox(without=without, weak=bool(without)) as sandbox:
                starts[kind].append(time.perf_counter() - begun)
                calls[kind] += [await one_call(sandbox) for _ in range(CALLS)]
    table = ["| layers | start to ready, self-test included | warm call |", "|---|---|---|"]
    for kind in kinds:
        start, call = statistics.median(starts[kind]) * 1e3, statistics.median(calls[kind]) * 1e3
        table.append(f"| {kind} | {start:.0f} ms | {call:.2f} ms |")
    ratio = statistics.median(calls["all"]) / statistics.median(calls["none"])
    return "\n".join(table) + f"\n\nMedians of {ROUNDS} starts and {ROUNDS * CALLS} calls; {ratio:.2f} times as long."


async def one_call(sandbox: Sandbox) -> float:
    """Call a script that adds two numbers, and wait until the next child is ready, as it is between two callers."""
    begun = time.perf_counter()
    await sandbox.run(left_language(), "add.py", {"source": "result = 1 + 1", "ctx": {}}, Limits())
    taken = time.perf_counter() - begun
    await asyncio.sleep(0.02)
    return taken


if __name__ == "__main__":
    main()
