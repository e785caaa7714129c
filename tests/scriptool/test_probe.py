"""Probes: what their definitions may say, what a call gives, and what changed since."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from scriptool.app import App
from scriptool.application.attachment import Attachment
from scriptool.call import Call, Caller, Context, Result
from scriptool.fields import ProbeDefinition
from scriptool.host import Host
from scriptool.kinds.probe import Probes, probe_tool
from scriptool.kinds.snapshots import MAX_AGE, MAX_SNAPSHOTS, Snapshots
from scriptool.standard import Standard
from tests.conftest import WriteTool

World = dict[str, Any]


class Standing:
    """A host that answers at once: what it shows is this test's own."""

    def __init__(self, world: World) -> None:
        self._host = Host(roots={"world": world})

    async def ask(self, request: Any, _seconds: float) -> Any:
        return self._host.answer(request)


class Bench:
    """Probes of a world that a test changes; *now* is the clock of their snapshots."""

    def __init__(self, world: World) -> None:
        self.now = 0.0
        self.world = world
        self._probes = Probes(Attachment(Standing(world)), Snapshots(lambda: self.now))

    async def __call__(self, definition: ProbeDefinition, client: str | None = "ann", **args: Any) -> dict[str, Any]:
        tool = probe_tool(definition, "p.json", Standard())
        run = self._probes.runner(definition, tool)
        value = await run(args, Context(Call("p", args, Caller("http", client))))
        return dict(value)


def probe(*paths: str, mode: str = "changes", **more: Any) -> ProbeDefinition:
    reads = [{"id": path.rpartition("/")[2], "path": path} for path in paths]
    fields = {"name": "p", "description": "Look.", "kind": "probe", "reads": reads, "mode": mode, **more}
    return ProbeDefinition.model_validate(fields)


AB = probe("@world/a", "@world/b")


def entry(name: str, value: Any) -> dict[str, Any]:
    return {"path": f"@world/{name}", "type": type(value).__name__, "value": value}


async def test_a_full_probe_gives_all_reads_and_fails_none_for_another() -> None:
    bench = Bench({"a": 1})
    definition = probe("@world/a", "@world/gone", mode="full")
    first, second = await bench(definition), await bench(definition)
    assert (
        first
        == second
        == {
            "reads": {
                "a": entry("a", 1),
                "gone": {
                    "path": "@world/gone",
                    "error": {"code": "not_found", "message": "dict has no member 'gone'"},
                },
            },
            "mode": "full",
            "changed": ["a", "gone"],
            "snapshot": first["snapshot"],
        }
    )


async def test_the_first_answer_is_everything_and_the_next_only_what_changed() -> None:
    bench = Bench({"a": 1, "b": 2})
    first = await bench(AB)
    assert first == {
        "reads": {"a": entry("a", 1), "b": entry("b", 2)},
        "mode": "changes",
        "changed": ["a", "b"],
        "snapshot": first["snapshot"],
        "baseline": True,
    }
    same = await bench(AB)
    assert same == {"reads": {}, "mode": "changes", "changed": [], "snapshot": first["snapshot"]}
    bench.world["b"] = 3
    changed = await bench(AB)
    assert changed["reads"] == {"b": entry("b", 3)}
    assert changed["snapshot"] != first["snapshot"]


async def test_an_error_that_appears_or_goes_is_a_change() -> None:
    bench = Bench({"a": 1, "b": 2})
    await bench(AB)
    del bench.world["b"]
    assert (await bench(AB))["reads"]["b"]["error"]["code"] == "not_found"
    bench.world["b"] = 2
    assert (await bench(AB))["reads"] == {"b": entry("b", 2)}


async def test_no_caller_loses_a_change_to_another() -> None:
    bench = Bench({"a": 1, "b": 2})
    for client in ("ann", "bob"):
        assert (await bench(AB, client))["baseline"]
    bench.world["a"] = 5
    assert (await bench(AB, "ann"))["changed"] == ["a"]
    bench.world["b"] = 6
    assert (await bench(AB, "ann"))["changed"] == ["b"]
    assert (await bench(AB, "bob"))["changed"] == ["a", "b"]


async def test_since_names_what_to_compare_with_whoever_asks() -> None:
    bench = Bench({"a": 1, "b": 2})
    start = (await bench(AB))["snapshot"]
    bench.world["a"] = 5
    await bench(AB)
    for client in ("ann", "bob", None):
        assert (await bench(AB, client, since=start))["changed"] == ["a"]


async def test_a_caller_that_does_not_say_who_it_is_is_not_remembered() -> None:
    bench = Bench({"a": 1, "b": 2})
    assert [(await bench(AB, None)).get("baseline") for _ in range(2)] == [True, True]


async def test_a_since_that_is_unknown_old_or_of_an_older_definition_gives_everything() -> None:
    bench = Bench({"a": 1, "b": 2})
    start = (await bench(AB))["snapshot"]
    assert (await bench(AB, since="unknown"))["baseline"]
    assert "baseline" not in await bench(AB, since=start)
    newer = probe("@world/a", "@world/b", description="Look again.")
    assert (await bench(newer, since=start))["baseline"]
    bench.now += MAX_AGE + 1
    assert (await bench(AB, since=start))["baseline"]


async def test_a_snapshot_that_was_given_again_is_as_good_as_new() -> None:
    bench = Bench({"a": 1, "b": 2})
    start = (await bench(AB))["snapshot"]
    for _ in range(3):
        bench.now += MAX_AGE - 1
        assert (await bench(AB))["snapshot"] == start


async def test_only_the_last_snapshots_of_a_tool_are_kept() -> None:
    bench = Bench({"a": 0, "b": 0})
    start = (await bench(AB, "bob"))["snapshot"]
    for number in range(1, MAX_SNAPSHOTS + 1):
        bench.world["a"] = number
        await bench(AB, "ann")
    assert (await bench(AB, "ann", since=start))["baseline"]
    assert (await bench(AB, "bob"))["baseline"]


async def test_what_a_caller_is_not_shown_still_counts_as_a_change() -> None:
    bench = Bench({"a": 1, "b": 2})
    small = probe("@world/a", "@world/b", maxResultSizeChars=300)
    await bench(small)
    bench.world["a"] = "x" * 400
    await bench(small)  # too large: the dispatcher refuses it
    bench.world["a"] = "y"
    bench.world["b"] = 2
    assert (await bench(small))["changed"] == ["a"]


async def test_inputs_stand_in_the_path_and_one_that_is_missing_fails_its_read_alone() -> None:
    bench = Bench({"a": 1, "list": [4, 5]})
    inputs = {"which": {"type": "string"}, "n": {"type": "integer"}}
    definition = probe("@world/{which}", "@world/list[{n}]", mode="full", inputs=inputs)
    reads = (await bench(definition, n=1))["reads"]
    assert reads == {
        "{which}": {
            "path": "@world/{which}",
            "error": {
                "code": "bad_path",
                "message": "the input 'which' was not given",
                "hint": "Call it with which.",
            },
        },
        "list[{n}]": {"path": "@world/list[1]", "type": "int", "value": 5},
    }
    injected = (await bench(definition, which="a/../_x", n=1))["reads"]["{which}"]
    assert injected["error"]["code"] in ("not_found", "bad_path")


async def test_a_probe_of_changes_takes_since_and_a_full_one_does_not() -> None:
    changes, full = (probe_tool(probe("@world", mode=mode), "p.json", Standard()) for mode in ("changes", "full"))
    assert list(changes.input.document["properties"]) == ["since"]
    assert full.input.document == {"type": "object", "properties": {}, "additionalProperties": False}
    assert (changes.source, changes.idempotent, changes.main_thread, changes.file) == ("probe", True, True, "p.json")
    assert changes.annotations() == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


def test_a_read_over_a_ceiling_is_a_warning() -> None:
    reads = [{"id": "a", "path": "@world", "depth": 9, "max_items": 500}]
    tool = probe_tool(probe(reads=reads), "p.json", Standard())
    assert tool.warnings == (
        "read 'a': depth 9 is over the ceiling; 4 is used",
        "read 'a': max_items 500 is over the ceiling; 200 is used",
    )


def definition(**more: Any) -> str:
    fields = {"name": "look", "description": "Look.", "kind": "probe", "reads": [{"id": "a", "path": "@server"}]}
    return json.dumps(fields | more, indent=1)


PROBLEMS: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "path": (
        {"reads": [{"id": "a", "path": "@server/_x"}, {"id": "b", "path": "@server/x()"}]},
        [
            {"path": "/reads/0/path", "message": "'_x' is private", "hint": "Names that begin with _ are never read."},
            {
                "path": "/reads/1/path",
                "message": "'x()' is a call",
                "hint": "A probe only reads; to call something write a script.",
            },
        ],
    ),
    "input": (
        {"reads": [{"id": "a", "path": "@server/{nod}"}], "inputs": {"node": {"type": "string"}}},
        [{"path": "/reads/0/path", "message": "{nod} names no input", "hint": 'Did you mean "node"?'}],
    ),
    "fields": (
        {"reads": [{"id": "a", "path": "@server", "fields": ["ok", "_no"]}]},
        [
            {
                "path": "/reads/0/fields/1",
                "message": "'_no' is private",
                "hint": "Names that begin with _ are never read.",
            }
        ],
    ),
    "since": (
        {"mode": "changes", "inputs": {"since": {"type": "string"}}},
        [
            {
                "path": "/inputs/since",
                "message": "'since' is taken: every probe in changes mode has it already",
                "hint": "Take it out.",
            }
        ],
    ),
}


@pytest.fixture
async def look(app: App, write_tool: WriteTool) -> AsyncIterator[Callable[..., Any]]:
    """Give a function that saves a probe's definition and calls it, as an HTTP client that may name itself."""

    async def run(client: str | None = None, args: dict[str, Any] | None = None, **more: Any) -> Result:
        write_tool("look.json", definition(**more))
        return await app.dispatcher.call(Call("look", args or {}, Caller("http", client)))

    yield run


@pytest.mark.parametrize("name", PROBLEMS)
async def test_what_is_wrong_with_a_read_is_told_with_its_place(look: Callable[..., Any], name: str) -> None:
    fields, problems = PROBLEMS[name]
    error = (await look(**fields)).error
    assert error["code"] == "definition_error"
    assert [{key: one[key] for key in ("path", "message", "hint")} for one in error["problems"]] == problems
    assert all(one["line"] > 1 for one in error["problems"])


async def test_a_server_without_an_application_shows_itself(look: Callable[..., Any]) -> None:
    reads = [
        {"id": "tools", "path": "@server/catalog/tools/look"},
        {"id": "hits", "path": "@server/cache/hits"},
        {"id": "year", "path": "datetime/max/year"},
        {"id": "calls", "path": "@server/calls", "fields": ["count"]},
        {"id": "workers", "path": "@server/workers/running"},
    ]
    value = (await look(reads=reads)).value
    assert {name: one.get("value") for name, one in value["reads"].items()} == {
        "tools": {"source": "probe", "file": "look.json", "group": "code", "blocked": False},
        "hits": 0,
        "year": 9999,
        "calls": {"count": 0},
        "workers": 0,
    }


async def test_two_clients_of_one_probe_of_changes_each_see_every_call(
    look: Callable[..., Any], app: App, write_tool: WriteTool
) -> None:
    write_tool("add.py", "return 1")
    probe = {"mode": "changes", "reads": [{"id": "calls", "path": "@server/calls/by_tool"}]}

    async def seen(client: str) -> int:
        reads = (await look(client, **probe)).value["reads"]
        return int(reads["calls"]["value"].get("add", 0))

    assert [await seen("ann"), await seen("bob")] == [0, 0]
    await app.dispatcher.call(Call("add", {}, Caller("test")))
    assert [await seen("ann"), await seen("bob")] == [1, 1]
    await app.dispatcher.call(Call("add", {}, Caller("test")))
    assert [await seen("bob"), await seen("ann")] == [2, 2]
