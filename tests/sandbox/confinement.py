"""Attacks on the layers below the language: arbitrary Python in a real child of a real sandbox, its policy left behind.

Run as `python -m tests.sandbox.confinement [--without LAYER,...] [--json] [FOLDER]`; test_confinement.py and
bench/layers.py do so, as root and as an ordinary user.
"""

import argparse
import asyncio
import json
import marshal
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sandbox.errors import Fault
from sandbox.kernel import libc
from sandbox.limits import Limits
from sandbox.pool import Sandbox
from sandbox.process.program import MAIN, Module, Program
from tests.sandbox.forked import USER

ROOT = Path(__file__).parents[2]
ESCAPES = Path(__file__).parent / "escapes" / "os"

SECONDS = 1.0
AT_HAND = [
    *("subprocess", "threading", "ctypes", "mmap", "signal", "resource", "fcntl", "socket"),
    *("multiprocessing.shared_memory", "posix", "platform", "gc"),
]
"""Modules the attacks use: that one cannot be loaded must be no defence."""
MEBIBYTE = 1 << 20
PR_SET_CHILD_SUBREAPER = 36
TOO_MUCH_GROWTH = 100 * MEBIBYTE
CANARY = "CANARY" + "-MEM-" + os.urandom(8).hex()

# What a script can do that has left the language: the policy gives it a dictionary of builtins of its own, and it takes
# the real ones. What is compiled here was never seen by the policy.
ESCAPED = b"""
def main(args):
    for known in ().__class__.__base__.__subclasses__():
        if known.__name__ == "_wrap_close":
            real = known.__init__.__globals__["__builtins__"]
    space = {"__builtins__": real, "__name__": "attack", "ctx": args["ctx"]}
    real["exec"](real["compile"](args["source"], "<attack>", "exec"), space)
    return real["str"](space.get("result"))[:2000]
"""


@dataclass(frozen=True)
class Attack:
    """One attack and how it is judged; the README beside the attacks explains the oracles."""

    id: str
    title: str
    source: str
    oracle: str = "os"
    layer: str = ""
    residual: bool = False
    expect_ok: bool = False

    @property
    def on_layers(self) -> bool:
        """Whether the layers decide how it ends; what a child says or how long it runs is decided by the parent."""
        return self.oracle in ("os", "os-exec", "survivor")


@dataclass(frozen=True)
class Verdict:
    """How one attack ended: whether it got through, and what it or the sandbox said."""

    attack: str
    title: str
    layer: str
    through: bool
    residual: bool
    said: str


def load(folder: Path) -> list[Attack]:
    """Give the attacks on the layers that the manifest in *folder*, or in the one above, lists."""
    home = folder if (folder / "manifest.json").exists() else folder.parent
    attacks = []
    for row in json.loads((home / "manifest.json").read_text(encoding="utf-8")):
        too_new = tuple(map(int, row.get("min_python", "3.11").split("."))) > sys.version_info[:2]
        if row.get("category", "os") == "os" and not too_new:
            known = {key: row[key] for key in ("oracle", "layer", "residual", "expect_ok") if key in row}
            attacks.append(Attack(row["id"], row.get("title", ""), source_of(row, home), **known))
    return attacks


def source_of(row: dict[str, Any], home: Path) -> str:
    """Give the text of one attack, which a huge one has as a Python expression of the manifest's author."""
    if "generate" in row:
        return str(eval(row["generate"]))
    path: Path = home / row["file"]
    return path.read_text(encoding="utf-8", errors="surrogatepass")


def left_language() -> Program:
    """Give the program that runs an attack in a child, whose code no compiler of ours made."""
    outline: dict[str, Any] = {
        "form": "function",
        "doc": None,
        "takes_args": True,
        "parameters": [],
        "returns": None,
        "classes": {},
        "functions": ["main"],
        "imports": [],
        "block": None,
    }
    code = compile(ESCAPED, "<script>", "exec", dont_inherit=True)
    product = marshal.dumps((code, ESCAPED.decode().splitlines(), outline))
    return Program("attack", {MAIN: Module("attack", outline, (), product)})


@contextmanager
def surroundings() -> Iterator[dict[str, Any]]:
    """Give the `ctx` of the attacks: what there is to reach on this machine, all of it the test's own."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="scriptool-attacks-"))
        stack.callback(shutil.rmtree, folder)
        folder.chmod(0o777)
        for name in ("tools", "drop"):
            (folder / name).mkdir()
            (folder / name).chmod(0o777)
        for name in ("secret.txt", "tools/other_tool.py", "drop/victim"):
            (folder / name).write_text("secret\n")
            (folder / name).chmod(0o666)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64))
        port = tcp.getsockname()[1]
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", port))
        for address in (str(folder / "sock"), "\0scr_canary"):
            unix = stack.enter_context(socket.socket(socket.AF_UNIX))
            try:
                unix.bind(address)
            except OSError:  # the abstract name is one for the whole machine, and another run may hold it
                continue
            unix.listen(64)
        (folder / "sock").chmod(0o777)
        descriptor = os.open(folder, os.O_RDONLY)
        stack.callback(os.close, descriptor)
        os.set_inheritable(descriptor, True)
        os.environ["SCRIPTOOL_CANARY"] = CANARY
        stack.callback(os.environ.pop, "SCRIPTOOL_CANARY")
        machine = os.uname().machine
        yield {"dir": str(folder), "port": port, "parent": os.getpid(), "res_fd": 3, "own_fds": [3], "machine": machine}


class Attacked:
    """A sandbox under attack; lives as long as the run over a folder."""

    def __init__(self, sandbox: Sandbox, ctx: dict[str, Any]) -> None:
        self._sandbox = sandbox
        self._ctx = ctx
        self._program = left_language()
        self._secret = {"token": CANARY}

    async def check(self) -> None:
        """Raise RuntimeError where nothing runs, which would look as if every attack were held or had done harm."""
        if (answer := await self._run("result = 1 + 1")) != ("", "2"):
            raise RuntimeError(f"the sandbox does not run: {answer}")

    async def judge(self, attack: Attack) -> Verdict:
        """Run one attack and say whether it got through; the sandbox must serve the next call, whatever it did."""
        grown = resident()
        code, said = await self._run(attack.source)
        through = self._got_through(attack.oracle, code, said)
        if attack.expect_ok:
            through = bool(code)
        if resident() - grown > TOO_MUCH_GROWTH:
            through, said = True, f"the server grew; {said}"
        if attack.oracle == "survivor" and await survives(left_over()):
            through, said = True, f"a process is left over; {said}"
        if await self._run("result = 1 + 1") != ("", "2"):
            through, said = True, f"the next call failed; {said}"
        return Verdict(attack.id, attack.title, attack.layer, through, attack.residual, said)

    async def _run(self, source: str) -> tuple[str, str]:
        """Give the fault's code, "" where there was none, and the result or the fault's message."""
        arguments = {"source": source, "ctx": self._ctx}
        limits = Limits(seconds=SECONDS)
        try:
            # The sandbox ends a call on its own clock; a parent that hangs all the same is a finding.
            async with asyncio.timeout(5 * SECONDS):
                outcome = await self._sandbox.run(self._program, "attack.py", arguments, limits)
        except Fault as fault:
            return fault.code, fault.message
        except TimeoutError:
            return "hung", "the parent hung"
        return "", str(outcome.value)

    @staticmethod
    def _got_through(oracle: str, code: str, said: str) -> bool:
        if code == "hung" or said.startswith("PWNED"):
            return True
        match oracle:
            case "deadline":
                return code != "timeout"
            case "crash":
                return code == ""
            case "protocol":
                return code == "" and "PWNED" in said
            case "os-exec":
                # A program that took the child's place neither answers nor dies of the filter.
                return code == "timeout"
            case _:
                return False


def resident() -> int:
    """Give the resident bytes of this process, which is the server."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def left_over() -> list[int]:
    """Give the pidfds of processes that bear the attacks' name and come from this one, by whatever detour."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_text() == "scr_surv\n" and comes_from_here(folder):
                found.append(os.pidfd_open(int(folder.name)))
        except OSError:  # it ended meanwhile
            continue
    return found


def comes_from_here(process: Path) -> bool:
    while process.name not in ("0", "1"):
        if process.name == str(os.getpid()):
            return True
        process = process.parent / (process / "stat").read_text().rpartition(")")[2].split()[1]
    return False


async def survives(pidfds: list[int]) -> bool:
    """Say whether one of the processes is alive for another second."""
    loop = asyncio.get_running_loop()
    for pidfd in pidfds:
        ended = asyncio.Event()
        loop.add_reader(pidfd, ended.set)
        try:
            await asyncio.wait_for(ended.wait(), 1)
        except TimeoutError:
            return True
        finally:
            loop.remove_reader(pidfd)
            os.close(pidfd)
    return False


@asynccontextmanager
async def attacked(without: Collection[str]) -> AsyncIterator[Attacked]:
    """Give a sandbox under attack, with the layers *without* left off."""
    # Orphans of an attack become children of this process, so that they can be told from those of others.
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    with surroundings() as ctx:
        async with Sandbox(without=without, weak=bool(without), imports=AT_HAND) as sandbox:
            target = Attacked(sandbox, ctx)
            await target.check()
            yield target


async def attack_all(attacks: list[Attack], without: Collection[str]) -> list[Verdict]:
    """Judge every attack. Where nothing bounds memory, those that would take gigabytes are left out."""
    async with attacked(without) as target:
        return [
            await target.judge(attack) for attack in attacks if "rlimits" not in without or "4 GiB" not in attack.title
        ]


def summary(verdicts: list[Verdict]) -> str:
    """Give `N of M through`; accepted risks count neither way."""
    counted = [verdict for verdict in verdicts if not verdict.residual]
    return f"{sum(verdict.through for verdict in counted)} of {len(counted)} through"


def attack_as(identity: str, attacks: list[Attack], without: Collection[str] = ()) -> list[Verdict]:
    """Judge *attacks* in a process of its own, as "root" or as the spare "user"; raises if none can run."""
    command = ["-m", "tests.sandbox.confinement", "--json", "--without", ",".join(without), "-"]
    listed = json.dumps([asdict(attack) for attack in attacks])
    become: dict[str, Any] = {}
    python = sys.executable
    if identity == "user" and os.getuid() == 0:
        become = {"user": USER, "group": USER, "extra_groups": []}
        python = python_for_users()
    # With the very packages of this process, also where another interpreter has to be taken.
    environment = {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [python, *command], cwd=ROOT, env=environment, input=listed, capture_output=True, text=True, **become
    )
    if run.returncode:
        raise RuntimeError(run.stderr)
    return [Verdict(**verdict) for verdict in json.loads(run.stdout)]


def python_for_users() -> str:
    """Give an interpreter that others than root may start: this one, or the system's of the same version."""
    here = Path(sys.executable).resolve()
    if all(folder.stat().st_mode & 0o001 for folder in here.parents):
        return sys.executable
    python = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    if not Path(python).exists():
        raise FileNotFoundError(f"{here} is closed to other users, and there is no {python}")
    return python


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--without", default="", help="layers to leave off, commas between")
    options.add_argument("--json", action="store_true", help="print every verdict as JSON")
    options.add_argument("folder", nargs="?", type=Path, default=ESCAPES, help="or - for attacks as JSON on stdin")
    chosen = options.parse_args()
    without = [layer for layer in chosen.without.split(",") if layer]
    listed = str(chosen.folder) == "-"
    attacks = [Attack(**row) for row in json.load(sys.stdin)] if listed else load(chosen.folder)
    verdicts = asyncio.run(attack_all(attacks, without))
    if chosen.json:
        print(json.dumps([asdict(verdict) for verdict in verdicts]))
        return 0
    for verdict in verdicts:
        if verdict.through:
            print(f"{verdict.attack} {verdict.title}: {verdict.said}")
    print(summary(verdicts))
    return any(verdict.through and not verdict.residual for verdict in verdicts)


if __name__ == "__main__":
    raise SystemExit(main())
