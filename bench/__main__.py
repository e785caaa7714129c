"""Measure scriptool beside its peers and write RESULTS.md. Run as `make bench`, or `make bench ARGS="--rounds 50"`."""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import server
from bench.client import LEGACY, MODERN, Httpx, Mcp, Rest
from bench.crowd import FEW, MANY, crowds
from bench.language import language_section
from bench.measure import Call, latencies, throughputs
from bench.reach import requests

RESULTS = Path(__file__).parent / "RESULTS.md"
CALLERS = 8
ARGUMENTS = {"a": 2, "b": 3}
SCRIPT = 'def main(a: int, b: int) -> dict:\n    """Add two numbers."""\n    return {"sum": a + b}\n'
PEER_SCRIPT = (
    "from fastmcp.tools import tool\n\n\n@tool\ndef {name}(a: int, b: int) -> dict[str, int]:\n"
    '    """Add two numbers."""\n    return {{"sum": a + b}}\n'
)


@dataclass(frozen=True)
class Row:
    """One line of the table; *ratio* is held against *budget*, from above or from below, if there is one."""

    what: str
    ours: str
    peer: str
    ratio: float
    budget: float | None
    at_most: bool

    def __str__(self) -> str:
        head = f"| {self.what} | {self.ours} | {self.peer} | {self.ratio:.2f} |"
        if self.budget is None:
            return f"{head} | |"
        good = self.ratio <= self.budget if self.at_most else self.ratio >= self.budget
        limit = f"{'at most' if self.at_most else 'at least'} {self.budget:g}"
        return f"{head} {limit} | {'yes' if good else '**no**'} |"


def http_call(rounds: int) -> Iterator[Row]:
    """A warm call over HTTP beside a server that only echoes; as programs call, and the servers' part alone."""
    clients: list[tuple[str, type[Httpx] | type[Rest], float | None]] = [
        ("HTTP call with httpx, against a bare Starlette echo", Httpx, 1.8),
        ("the same with a client that costs next to nothing", Rest, None),
    ]
    with folders(1) as (folder, _), server.scriptool(folder) as port, server.peer("echo") as echo_port:
        for what, client, budget in clients:
            with ExitStack() as stack:
                ours, peer = opened(stack, client(port)), opened(stack, client(echo_port))
                expect(ours("add", ARGUMENTS)["result"], {"sum": 5})
                calls = {"ours": partial(ours, "add", ARGUMENTS), "peer": partial(peer, "add", ARGUMENTS)}
                found = latencies(calls, rounds)
            ratio = found["ours"].median / found["peer"].median
            yield Row(what, str(found["ours"]), str(found["peer"]), ratio, budget, True)


def mcp_call(rounds: int) -> Iterator[Row]:
    """A warm call over MCP, and many callers at once, beside FastMCP calling a function of its own process."""
    with folders(1) as (folder, _), server.scriptool(folder) as port, server.peer("plain") as peer_port:
        for era, revision in (("with a session", LEGACY), ("stateless", MODERN)):
            with ExitStack() as stack:
                contenders = {name: add(stack, at, revision) for name, at in (("ours", port), ("peer", peer_port))}
                found = latencies(contenders, rounds)
                many = {
                    name: [add(stack, at, revision) for _ in range(CALLERS)]
                    for name, at in (("ours", port), ("peer", peer_port))
                }
                rates = throughputs(many, blocks=3, seconds=rounds / 150)
            ratio = found["ours"].median / found["peer"].median
            what = f"MCP call {era} ({revision}), against a plain FastMCP function"
            yield Row(what, str(found["ours"]), str(found["peer"]), ratio, 1.0, True)
            what = f"the same, {CALLERS} callers, calls a second"
            yield Row(what, f"{rates['ours']:.0f}", f"{rates['peer']:.0f}", rates["ours"] / rates["peer"], 1.0, False)


def reloading_folder(rounds: int) -> Iterator[Row]:
    """A call over MCP with more and more files in the folder, beside FastMCP's folder that is read at every request."""
    for files, budget in ((1, 2.0), (50, 30.0), (500, 300.0)):
        turns = max(7, rounds // files)
        with (
            folders(files) as (folder, peer_folder),
            server.scriptool(folder) as port,
            server.peer("folder", str(peer_folder)) as peer_port,
            ExitStack() as stack,
        ):
            found = latencies({"ours": add(stack, port, LEGACY), "peer": add(stack, peer_port, LEGACY)}, turns)
        ratio = found["peer"].median / found["ours"].median
        what = f"MCP call with {files} file{'s' * (files > 1)}, against FastMCP's reloading folder; times faster"
        yield Row(what, str(found["ours"]), str(found["peer"]), ratio, budget, False)


def brokered_request(rounds: int) -> Iterator[Row]:
    """A GET that a script asks for, as the server makes it, beside httpx making it."""
    with server.peer("echo") as port, requests(f"http://127.0.0.1:{port}/") as calls:
        found = latencies(calls, rounds)
    ratio = found["ours"].median / found["peer"].median
    yield Row("GET of a script, in the server, against httpx", str(found["ours"]), str(found["peer"]), ratio, 1.5, True)


def crowded_call(rounds: int) -> Iterator[Row]:
    """A warm call among ten thousand definitions, beside the same among ten."""
    with tempfile.TemporaryDirectory() as work, crowds(Path(work)) as calls:
        for call in calls.values():
            expect(call(), 8)
        found = latencies(calls, rounds)
    ratio = found["ours"].median / found["peer"].median
    what = f"call in the server among {MANY} definitions, against {FEW}"
    yield Row(what, str(found["ours"]), str(found["peer"]), ratio, 1.1, True)


def add(stack: ExitStack, port: int, revision: str) -> Call:
    """Open an MCP caller, see that it gets the right answer, and give its call without arguments."""
    call = opened(stack, Mcp(port, revision))
    expect(call("add", ARGUMENTS), {"sum": 5})
    return partial(call, "add", ARGUMENTS)


def opened(stack: ExitStack, client: Httpx | Rest | Mcp) -> Any:
    stack.callback(client.close)
    return client.call


def expect(got: object, wanted: object) -> None:
    if got != wanted:
        raise RuntimeError(f"a contender answered {got!r}, not {wanted!r}: it does not do the work that is measured")


@contextmanager
def folders(files: int) -> Iterator[tuple[Path, Path]]:
    """Give two folders with the same tools: one of scripts for us, one of modules for FastMCP."""
    with tempfile.TemporaryDirectory() as base:
        ours, peer = Path(base, "ours"), Path(base, "peer")
        ours.mkdir()
        peer.mkdir()
        for name in ["add", *(f"add_{number}" for number in range(1, files))]:
            (ours / f"{name}.py").write_text(SCRIPT)
            (peer / f"{name}.py").write_text(PEER_SCRIPT.format(name=name))
        yield ours, peer


PARTS = {
    "http": http_call,
    "mcp": mcp_call,
    "folder": reloading_folder,
    "reach": brokered_request,
    "crowd": crowded_call,
}


def main() -> int:
    options = argparse.ArgumentParser(prog="bench", description=__doc__)
    options.add_argument("--rounds", type=int, default=600, help="calls of each contender")
    options.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS), help="print these and write nothing")
    chosen = options.parse_args()
    load = os.getloadavg()[0]
    rows = []
    for name in chosen.only:
        for row in PARTS[name](chosen.rounds):
            rows.append(row)
            print(row, flush=True)
    if chosen.only == list(PARTS):
        RESULTS.write_text(page(rows, chosen.rounds, load) + language_section(RESULTS.read_text()))
    return 0


def page(rows: list[Row], rounds: int, load: float) -> str:
    peers = (server.HERE / "peers/requirements.txt").read_text().splitlines()[1:]
    machine = (
        f"{platform.system()} on {platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} processors"
    )
    return "\n".join(
        [
            "# Results",
            "",
            f"`make bench` on {machine}, load average {load:.1f} as it began:",
            f"{rounds} calls of each contender in turns, by one caller on a kept connection unless said otherwise.",
            f"scriptool {version('scriptool')}; peers: {', '.join(peers)}. Median, and the middle half in brackets.",
            "The absolute figures are this machine's; the ratios are what counts. A call here is the work of three",
            "processes and a call of the peers that of one, so load from elsewhere weighs against scriptool.",
            "",
            "| what | scriptool | peer | ratio | budget | holds |",
            "|---|---|---|---|---|---|",
            *map(str, rows),
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
