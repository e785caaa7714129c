"""Attack the sandbox with each layer taken away, and measure what they cost; writes the tables of docs/sandbox.md.

Run as `python -m bench.layers`; takes a few minutes. Without root the columns of root are left out.
"""

import asyncio
import os
import re
import statistics
import sys
import textwrap
import time
from collections.abc import Collection
from contextlib import AsyncExitStack
from pathlib import Path

from sandbox.kernel.layer import LAYERS
from sandbox.limits import Limits
from sandbox.pool import Sandbox
from tests.sandbox.confinement import ESCAPES, Verdict, attack_as, left_language, load, summary

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
    """Make the table of how many attacks get through without each layer and with it alone, and say which without it."""
    kinds = [f"{kind}, as {identity}" for kind in ("without it", "it alone") for identity in IDENTITIES]
    rows = [["layer", *kinds], ["---"] * (1 + len(kinds))]
    named = []
    for layer in LAYERS:
        without, alone = judge({layer}), judge(set(LAYERS) - {layer})
        rows.append([f"`{layer}`", *map(count, without), *map(count, alone)])
        if titles := sorted({verdict.title for verdicts in without for verdict in verdicts if counts(verdict)}):
            named.append(textwrap.fill(f"Through without `{layer}`: {'; '.join(titles)}.", 120, break_on_hyphens=False))
    on, off = judge(()), judge(LAYERS)
    rows += [["all on", *map(count, on), *[""] * len(on)], ["all off", *map(count, off), *[""] * len(off)]]
    return "\n\n".join(["\n".join(f"| {' | '.join(cells)} |" for cells in rows), *named])


def judge(without: Collection[str]) -> list[list[Verdict]]:
    """Run every attack under each identity."""
    print(f"without {', '.join(sorted(without)) or 'nothing'}", file=sys.stderr)
    attacks = [attack for attack in load(ESCAPES) if attack.on_layers]
    return [attack_as(identity, attacks, without) for identity in IDENTITIES]


def count(verdicts: list[Verdict]) -> str:
    return summary(verdicts).removesuffix(" through")


def counts(verdict: Verdict) -> bool:
    return verdict.through and not verdict.residual


async def costs() -> str:
    """Measure a warm call with every layer and with none, in turns, and how long each sandbox takes to start."""
    starts: dict[str, list[float]] = {"all": [], "none": []}
    calls: dict[str, list[float]] = {"all": [], "none": []}
    for _ in range(ROUNDS):
        async with AsyncExitStack() as stack:
            sandboxes = {}
            for kind, without in (("all", ()), ("none", tuple(LAYERS))):
                begun = time.perf_counter()
                sandboxes[kind] = await stack.enter_async_context(Sandbox(without=without, weak=bool(without)))
                starts[kind].append(time.perf_counter() - begun)
            for _ in range(CALLS):
                for kind, sandbox in sandboxes.items():
                    calls[kind].append(await one_call(sandbox))
    table = ["| layers | start to ready, self-test included | warm call |", "|---|---|---|"]
    for kind in calls:
        start, call = statistics.median(starts[kind]) * 1e3, statistics.median(calls[kind]) * 1e3
        table.append(f"| {kind} | {start:.0f} ms | {call:.2f} ms |")
    ratio = statistics.median(calls["all"]) / statistics.median(calls["none"])
    return (
        "\n".join(table)
        + f"\n\nMedians of {ROUNDS} starts and {ROUNDS * CALLS} calls in turns; {ratio:.2f} times as long."
    )


async def one_call(sandbox: Sandbox) -> float:
    """Call a script that adds two numbers, and wait until the next child is ready, as it is between two callers."""
    begun = time.perf_counter()
    await sandbox.run(left_language(), "add.py", {"source": "result = 1 + 1", "ctx": {}}, Limits())
    taken = time.perf_counter() - begun
    await asyncio.sleep(0.02)
    return taken


if __name__ == "__main__":
    main()
