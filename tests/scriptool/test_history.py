"""What is kept of calls, and of who made them, stays small whatever a call brings along."""

import json

from scriptool.call import Call, Caller, Result
from scriptool.history import MAX_TEXT, History
from scriptool.kinds.snapshots import MAX_CALLERS, Snapshots, snapshot_of
from scriptool.mask import Mask


def test_a_call_with_much_of_everything_is_kept_in_part() -> None:
    history, much = History(), "x" * 100_000
    warnings = tuple(f"warning {number}" for number in range(10_000))
    error = {"code": "tool_error", "message": much}
    call = Call(much, {"a": much}, Caller("http"))
    history.record(call, Result("id", 1.0, error=error, output=much, warnings=warnings), Mask(), [much])
    kept = history.recent()[0]
    assert len(json.dumps(kept)) < 6 * MAX_TEXT
    assert kept["warnings"][0] == "warning 0"
    assert kept["warnings"][-1] == f"and {10_001 - len(kept['warnings'])} more"


def test_few_warnings_are_kept_whole() -> None:
    history = History()
    history.record(Call("t", {}, Caller("http")), Result("id", 1.0, warnings=("one", "two")), Mask())
    assert history.recent()[0]["warnings"] == ["one", "two"]


def test_callers_who_look_once_are_forgotten_in_the_end() -> None:
    snapshots = Snapshots(lambda: 0.0)
    first, second = snapshot_of({"a": {"value": 1}}, "digest"), snapshot_of({"a": {"value": 2}}, "digest")
    snapshots.keep("tool", first, "ann")
    for number in range(MAX_CALLERS - 1):
        snapshots.keep("tool", second, number)
    assert snapshots.find("tool", "digest", since=None, caller="ann") == first
    snapshots.keep("tool", second, "one too many")
    assert snapshots.find("tool", "digest", since=None, caller="ann") is None
    assert snapshots.find("tool", "digest", since=None, caller="one too many") == second
    assert snapshots.find("tool", "digest", since=first.id, caller="ann") == first
