"""What a child says of its own failure: known parts of the right shape, and nothing else."""

import json
from typing import Any

import pytest

from sandbox import Fault
from sandbox.process.child_fault import read
from sandbox.process.worker import WorkerLost

BASE = {"code": "script_runtime_error", "message": "m"}
FRAME = {"file": "a.py", "line": 1, "column": None, "function": "f", "source": "x"}
DIAGNOSTIC = {"rule": "runtime", "severity": "error", "message": "m", "line": 1, "column": 1, "file": "a.py"}
GOOD: dict[str, Any] = {
    "type": "ValueError",
    "limit": 256,
    "details": {"any": [1, None]},
    "frames": [FRAME],
    "diagnostics": [DIAGNOSTIC],
    "notes": ["n"],
    "chain": [{"relation": "cause", "type": "T", "message": "m", "frames": [FRAME]}],
    "exceptions": [{"type": "T", "message": "m", "frames": []}],
    "problems": [{"path": "/a", "message": "m", "expected": "number"}],
}
BAD: dict[str, Any] = {
    "type": 1,
    "limit": "x",
    "allowed": -1,
    "used": True,
    "details": [],
    "frames": [FRAME | {"line": "1"}],
    "diagnostics": [DIAGNOSTIC | {"more": []}],
    "notes": [1],
    "chain": [{"relation": "cause", "other": 1}],
    "exceptions": {"type": "T"},
    "problems": [{"path": "/a"}],
    "permission": {},
}


def said(content: Any, answered: dict[str, Fault] | None = None) -> Fault:
    return read(json.dumps(content).encode(), answered or {})


def test_every_known_part_is_kept_and_no_other() -> None:
    forged = {"retry_after": "soon", "call_id": {}, "status": 200, "waited_for": []}
    assert said(BASE | GOOD | forged).to_json() == BASE | GOOD


@pytest.mark.parametrize("name", BAD)
def test_a_part_of_a_wrong_shape_is_no_part(name: str) -> None:
    with pytest.raises(WorkerLost):
        said(BASE | {name: BAD[name]})


@pytest.mark.parametrize("content", [[], BASE | {"code": "overloaded"}, BASE | {"hint": 1}, {"code": "tool_error"}])
def test_what_is_no_error_is_refused(content: Any) -> None:
    with pytest.raises(WorkerLost):
        said(content)


def test_the_parents_own_answer_keeps_what_the_parent_said() -> None:
    answer = Fault("overloaded", "Full.", limit="jobs", retry_after=5)
    told = said(
        BASE | {"code": "overloaded", "frames": [FRAME], "retry_after": 10**400, "limit": 1}, {"overloaded": answer}
    )
    assert told.details == {"limit": "jobs", "retry_after": 5, "frames": [FRAME]}
