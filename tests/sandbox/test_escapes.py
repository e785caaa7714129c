"""Every attack on the language fails with the language layer alone, no wall around it; every control works."""

import faulthandler
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.language.compiler import Refused
from sandbox.limits import Limits
from sandbox.values import dumps, loads
from tests.sandbox.forked import in_child
from tests.sandbox.scripts import run

FOLDER = Path(__file__).parent / "escapes" / "language"
FEATURES = frozenset(
    [
        *("B009", "C006", "E004", "E005", "E006", "E009", "E010", "E012", "E014"),
        *("F008", "F013", "G023", "G028", "G029", "H035", "H040"),
    ]
)
"""Their markers only say that a feature ran which scripts are granted; they reach nothing."""
pytestmark = pytest.mark.timeout(60)

TOKEN = "CANARY-f2a81c"
CPU_SECONDS = 2
SECONDS = 5
ENDED_BY_THE_WALL = (signal.SIGPROF, signal.SIGALRM)
MEMORY = 300 << 20


def _rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text())
    version = sys.version_info[:2]
    return [row for row in rows if tuple(map(int, row.get("min_python", "3.11").split("."))) <= version]


ROWS = _rows()
ATTACKS = [pytest.param(row, id=row["id"]) for row in ROWS if not row["expect_ok"] and not row.get("residual")]
RESIDUAL = [pytest.param(row, id=row["id"]) for row in ROWS if row.get("residual")]
CONTROLS = [pytest.param(row, id=row["id"]) for row in ROWS if row["expect_ok"]]


def source_of(row: dict[str, Any]) -> bytes:
    """Give the text of an attack, which may be no text at all."""
    if "generate" in row:
        text: str = eval(row["generate"])
        return text.encode("utf-8", "surrogatepass")
    return Path(FOLDER, row["file"]).read_bytes()


def outcome(source: bytes) -> Any:
    """Run *source* in a process of its own, bounded as the wall would; give its ending, or the signal that ended it."""
    if len(source) > Limits().source_kb << 10:
        return {"ok": False, "error": {"code": "script_compile_error"}}  # the wall lets no such text in

    def work() -> Any:
        faulthandler.disable()  # some attacks end their process
        os.environ["SCRIPTOOL_CANARY"] = TOKEN
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        room = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        signal.alarm(SECONDS)
        try:
            ending = run(source).ending
            text = dumps(ending)
        except Refused as refusal:
            return {"ok": False, "error": {"code": "script_compile_error", "diagnostics": refusal.diagnostics}}
        except MemoryError:
            return {"ok": False, "error": {"code": "memory_limit"}}  # as the child answers
        if len(text) > Limits().result_kb << 10:
            return {"ok": False, "error": {"code": "result_too_large"}}
        assert loads(dumps(ending.get("value"))) == ending.get("value")
        return ending

    ending = in_child(work)
    return ending.value if ending.value is not None else {"ok": False, "signal": ending.signal}


@pytest.mark.parametrize("row", ATTACKS)
def test_an_attack_gets_nothing(row: dict[str, Any]) -> None:
    ending = outcome(source_of(row))

    assert TOKEN not in json.dumps(ending)
    if row["id"] not in FEATURES and row["oracle"] in ("token", "marker"):
        assert not str(ending.get("value")).startswith("PWNED")
    if "signal" in ending:
        assert row["oracle"] in ("resource", "result") or row.get("searches")
        assert ending["signal"] in ENDED_BY_THE_WALL


@pytest.mark.parametrize("row", RESIDUAL)
def test_what_the_language_does_not_promise_ends_with_its_process(row: dict[str, Any]) -> None:
    ending = outcome(source_of(row))

    assert ending.keys() & {"value", "error", "signal"}


@pytest.mark.parametrize("row", [row for row in ATTACKS if "probe" in row.values[0]])  # type: ignore[operator]
def test_a_later_run_finds_everything_as_it_was(row: dict[str, Any]) -> None:
    outcome(source_of(row))

    assert outcome(row["probe"].encode()) == {"ok": True, "value": row["good"], "warnings": []}


@pytest.mark.parametrize("row", CONTROLS)
def test_a_control_works(row: dict[str, Any]) -> None:
    ending = outcome(source_of(row))

    assert ending["ok"], ending
