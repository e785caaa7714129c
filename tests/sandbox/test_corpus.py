"""Programs that nobody wrote for a sandbox run unchanged."""

import json
from pathlib import Path

import pytest

from sandbox.language.compiler import Refused
from tests.sandbox.scripts import run

FOLDER = Path(__file__).parent / "corpus"


@pytest.mark.parametrize(("name", "count"), [("humaneval", 100), ("mbpp", 250)])
@pytest.mark.timeout(120)
def test_every_program_of_the_corpus_runs_right(name: str, count: int) -> None:
    failures = []
    programs = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]
    for program in programs:
        try:
            ending = run(f"{program['source']}\n{program['test']}").ending
        except Refused as refusal:
            ending = {"ok": False, "error": refusal.diagnostics}
        if not ending["ok"]:
            failures.append((program["id"], ending["error"]))

    print(f"{name}: {len(programs) - len(failures)} of {len(programs)} programs run right")
    assert (len(programs), failures) == (count, [])
