"""Measure compute-bound programs in the sandbox and in its peers, against CPython; writes their table of RESULTS.md.

Run as `python -m bench.language`. In the sandbox they run as any script does, by `Sandbox.run` in a child of its own;
every contender says itself how long the program took, so that starting it does not count.
"""

import argparse
import asyncio
import json
import math
import re
import statistics
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import server
from sandbox import Fault, Limits, Sandbox

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
BEGIN, END = "<!-- made by python -m bench.language -->", "<!-- end -->"
PEERS = {"restricted": "RestrictedPython", "smolagents": "smolagents", "monty": "Monty"}
PROGRAMS = [
    "nbody",
    "fannkuch",
    "richards",
    "deltablue",
    "json_round_trip",
    "word_count",
    "classes",
    "strings",
    "sorting",
    "generators",
]
TURNS = 5
LIMITS = Limits(seconds=60)
MEAN, MOST = 1.1, 1.3
TIMED = (
    "\n"
    + """
import time
def timed(turns):
    times = []
    for _ in range(turns):
        started = time.perf_counter()
        value = main()
        times.append(time.perf_counter() - started)
    return [value, times]
return timed({turns})
"""
)

Peer = "subprocess.Popen[str]"


async def main() -> None:
    options = argparse.ArgumentParser(prog="bench.language", description=__doc__)
    options.add_argument("--rounds", type=int, default=15, help="runs of each program by CPython and the sandbox")
    options.add_argument("--only", nargs="*", choices=PROGRAMS, default=PROGRAMS, help="print these, write nothing")
    chosen = options.parse_args()
    async with Sandbox() as sandbox:
        rows = [await measured(sandbox, name, chosen.rounds) for name in chosen.only]
    table = section(rows, chosen.rounds)
    print(table)
    if chosen.only == PROGRAMS:
        RESULTS.write_text(with_section(RESULTS.read_text(), table))


async def measured(sandbox: Sandbox, name: str, rounds: int) -> dict[str, Any]:
    """Run one program everywhere, CPython and the sandbox in turns; give milliseconds of CPython and ratios to it."""
    text = (HERE / "programs" / f"{name}.py").read_text()
    plain: list[float] = []
    ours: list[float] = []
    with peer("cpython", sys.executable) as cpython:
        for number in range(rounds):
            contenders = [(plain, one_plain(cpython, text)), (ours, await one_ours(sandbox, text))]
            values = {json.dumps(value) for _, (value, _) in contenders}
            if len(values) != 1:
                raise RuntimeError(f"{name} gives {values}: not the same work")
            for times, (_, taken) in contenders:
                times.append(taken)
            await asyncio.sleep(0.02)  # until the next child is warm
            print(f"\r{name} {number + 1}/{rounds}", end="", file=sys.stderr)
    print(file=sys.stderr)
    base = statistics.median(plain)
    row: dict[str, Any] = {"name": name, "plain": base * 1e3}
    row["ours"] = statistics.median(mine / theirs for mine, theirs in zip(ours, plain, strict=True))
    value = json.loads(next(iter(values)))
    for kind in PEERS:
        row[kind] = of_peer(kind, text, value, base)
    return row


def one_plain(cpython: "subprocess.Popen[str]", text: str) -> tuple[Any, float]:
    answer = asked(cpython, text, TURNS)
    return answer["value"], min(answer["times"])


async def one_ours(sandbox: Sandbox, text: str) -> tuple[Any, float]:
    program = await sandbox.compile((text + TIMED.replace("{turns}", str(TURNS))).encode(), "program.py")
    value, times = (await sandbox.run(program, "program.py", {}, LIMITS)).value
    return value, min(times)


def of_peer(kind: str, text: str, value: Any, base: float) -> float | str:
    """Give how many times as long as CPython a peer takes, or why it does not run the program."""
    with peer(kind, str(server.PEER_PYTHON)) as process:
        answer = asked(process, text, 2)
    if "error" in answer:
        return str(answer["error"])
    if json.loads(json.dumps(answer["value"])) != value:
        return f"another result: {answer['value']!r}"
    return float(min(answer["times"]) / base)


@contextmanager
def peer(kind: str, python: str) -> Iterator["subprocess.Popen[str]"]:
    command = [python, str(HERE / "peers" / "language.py"), kind]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as one:
        try:
            yield one
        finally:
            one.kill()


def asked(process: "subprocess.Popen[str]", text: str, turns: int) -> Mapping[str, Any]:
    assert process.stdin is not None and process.stdout is not None
    print(json.dumps({"text": text, "turns": turns}), file=process.stdin, flush=True)
    line = process.stdout.readline()
    answer: dict[str, Any] = json.loads(line) if line else {"error": "it crashed"}
    return answer


def section(rows: list[dict[str, Any]], rounds: int) -> str:
    """Give the table in words for the page of results."""
    ratios = [row["ours"] for row in rows]
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    holds = "holds" if mean <= MEAN and max(ratios) <= MOST else "**does not hold**"
    lines = [
        f"| program | CPython | scriptool | {' | '.join(PEERS.values())} |",
        "|---|---|---|" + "---|" * len(PEERS),
        *(f"| {row['name']} | {row['plain']:.1f} ms | {row['ours']:.2f} | {cells(row)} |" for row in rows),
        f"| geometric mean | | **{mean:.2f}** | {' | '.join(mean_of(rows, kind) for kind in PEERS)} |",
    ]
    refusals = [f"- {title}: {reason}" for kind, title in PEERS.items() for reason in reasons(rows, kind)]
    return "\n".join(
        [
            "## The language",
            "",
            textwrap.fill(
                "Compute-bound programs: how many times as long as CPython they take. scriptool runs them as it runs "
                "any script, in a child of its own, and CPython in a fresh fork too, in turns: "
                f"{rounds} rounds, of each the best of {TURNS} runs; the ratio is the median of the rounds'. "
                "Each peer runs twice, and the better counts. RestrictedPython has permissive guards and gets the "
                "programs without annotations and with `x.a += b` written out, which it refuses; "
                f"the others get the text as it is. Python {sys.version.split()[0]}.",
                118,
            ),
            f"Budget: mean at most {MEAN}, none over {MOST}: {holds}.",
            "",
            *lines,
            "",
            "What a peer does not run, and what it says:",
            "",
            *refusals,
        ]
    )


def cells(row: Mapping[str, Any]) -> str:
    return " | ".join(f"{row[kind]:.2f}" if isinstance(row[kind], float) else "does not run" for kind in PEERS)


def mean_of(rows: list[dict[str, Any]], kind: str) -> str:
    ratios = [row[kind] for row in rows if isinstance(row[kind], float)]
    if not ratios:
        return "none runs"
    return f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f} of {len(ratios)}"


def reasons(rows: list[dict[str, Any]], kind: str) -> Iterator[str]:
    """Give why programs do not run, those with one reason together, each said on one line."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if isinstance(row[kind], str):
            words = " ".join(row[kind].split())
            by_reason.setdefault(words if len(words) < 160 else f"{words[:160]}...", []).append(row["name"])
    for reason, names in by_reason.items():
        yield f"{', '.join(names)}: `{reason.replace('`', chr(39))}`"


def language_section(page: str) -> str:
    """Give the part of the page that this makes, with the line before it."""
    return page[page.index(BEGIN) - 1 :] if BEGIN in page else ""


def with_section(page: str, table: str) -> str:
    """Put the table into the page, in place of an earlier one."""
    made = f"{BEGIN}\n{table}\n{END}\n"
    if BEGIN in page:
        return re.sub(f"{BEGIN}.*?{END}\n", lambda _: made, page, flags=re.DOTALL)
    return f"{page.rstrip()}\n\n{made}"


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Fault as fault:
        sys.exit(fault.message)
