"""The sandbox with real processes: what they run, and who ends them when."""

import asyncio
import os
import signal
from typing import Any

import pytest

from sandbox import Fault, Limits, Outcome, Program, Sandbox, Spent
from tests.sandbox.conftest import RunText
from tests.sandbox.escaped import escaped_program
from tests.sandbox.processes import ended, leaves, signal_all


async def begin(sandbox: Sandbox, program: Program, **options: Any) -> "tuple[asyncio.Task[Outcome], asyncio.Event]":
    """Start a run and wait until it has printed something."""
    begun = asyncio.Event()

    def hear(_kind: str, _payload: Any) -> None:
        begun.set()

    running = asyncio.create_task(sandbox.run(program, "tool.py", {}, tell=hear, **options))
    waiting = asyncio.create_task(begun.wait())
    await asyncio.wait([running, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    assert begun.is_set(), running
    return running, begun


ENDLESS = b"print('begun')\nwhile True:\n    pass\nreturn 1\n"


SLOW_TO_COMPILE = b"x = [1, 2, 3]\n" * 8_000 + b"return x\n"


async def fault_of(awaitable: Any) -> Fault:
    with pytest.raises(Fault) as refusal:
        await awaitable
    return refusal.value


async def test_a_script_gives_its_value_and_tells_what_it_prints_in_order(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"print('one')\nprint('two', end='')\nreturn {'got': args}\n", "tool.py")
    told: list[tuple[str, Any]] = []
    outcome = await sandbox.run(program, "tool.py", {"a": [1, None]}, tell=lambda *what: told.append(what))
    assert outcome == Outcome({"got": {"a": [1, None]}})
    assert "".join(text for kind, text in told if kind == "print") == "one\ntwo"


async def test_what_a_script_printed_is_kept_when_it_fails(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"print('so far')\nreturn 1 / 0\n", "tool.py")
    told: list[Any] = []
    fault = await fault_of(sandbox.run(program, "tool.py", {}, tell=lambda *what: told.append(what)))
    assert (fault.code, told) == ("script_runtime_error", [("print", "so far\n")])


async def test_a_text_that_is_no_script_is_refused_with_every_diagnostic_and_compiled_once(sandbox: Sandbox) -> None:
    source = b"x = eval('1')\ny = exec('2')\nreturn x\n"
    fault = await fault_of(sandbox.compile(source, "bad.py"))
    assert fault.code == "script_compile_error"
    assert [(each["file"], each["line"]) for each in fault.details["diagnostics"]] == [("bad.py", 1), ("bad.py", 2)]
    assert fault.details["digest"] == sandbox.digest(source)
    compiles = sandbox.cache.report()["compiles"]
    again = await fault_of(sandbox.compile(source, "other.py"))
    assert [each["file"] for each in again.details["diagnostics"]] == ["other.py", "other.py"]
    assert sandbox.cache.report()["compiles"] == compiles
    known = sandbox.peek(source, "third.py")
    assert isinstance(known, Fault)
    assert known.details["digest"] == fault.details["digest"]


async def test_a_program_says_which_helpers_it_lacks_and_runs_with_them(sandbox: Sandbox) -> None:
    source, helper = b"from lib.shapes import area\nreturn area(args['side'])\n", b"def area(x):\n    return x * x\n"
    alone = await sandbox.compile(source, "square.py")
    assert alone.missing == ("lib.shapes",)
    helpers = {"lib.shapes": helper}
    whole = await sandbox.compile(source, "square.py", helpers)
    assert whole.missing == ()
    assert whole.digest == sandbox.digest(source, helpers) != alone.digest
    assert sandbox.peek(source, "square.py", helpers) == whole
    assert await sandbox.run(whole, "square.py", {"side": 3}) == Outcome(9)


async def test_a_fault_in_a_helper_names_the_helper(sandbox: Sandbox) -> None:
    fault = await fault_of(sandbox.compile(b"from lib.a import b\nreturn b\n", "x.py", {"lib.a": b"b = eval('1')\n"}))
    assert [each["file"] for each in fault.details["diagnostics"]] == ["lib/a.py"]


async def test_simultaneous_callers_share_one_compile(sandbox: Sandbox) -> None:
    compiles = sandbox.cache.report()["compiles"]
    source = b"return 'compiled for many'\n"
    programs = await asyncio.gather(*(sandbox.compile(source, f"{number}.py") for number in range(20)))
    assert len({program.digest for program in programs}) == 1
    assert sandbox.cache.report()["compiles"] == compiles + 1


async def test_no_run_sees_what_another_did_even_after_a_full_escape(sandbox: Sandbox) -> None:
    program = escaped_program(
        "def main(args):\n    seen = getattr(builtins, 'mark', None)\n    builtins.mark = 1\n    sys.path.append('x')\n"
        "    return [seen, sys.path[-1:], os.getpid()]\n".replace("sys.path[-1:]", "sys.path.count('x')")
    )
    outcomes = [(await sandbox.run(program, "x.py", {})).value for _ in range(5)]
    assert {(seen, count) for seen, count, _ in outcomes} == {(None, 1)}
    assert len({pid for _, _, pid in outcomes}) == 5


async def test_a_run_that_outlasts_its_seconds_is_ended_with_its_process(sandbox: Sandbox) -> None:
    program = await sandbox.compile(ENDLESS, "tool.py")
    fault = await fault_of(sandbox.run(program, "tool.py", {}, Limits(seconds=0.2)))
    assert fault.code == "timeout"
    assert (fault.details["limit"], fault.details["allowed"]) == ("seconds", 0.2)
    assert fault.details["used"] >= 0.2


async def test_seconds_spent_before_count(sandbox: Sandbox) -> None:
    program = await sandbox.compile(ENDLESS, "tool.py")
    fault = await fault_of(sandbox.run(program, "tool.py", {}, Limits(seconds=1000), spent=999.9))
    assert fault.code == "timeout"
    assert fault.details["allowed"] == 1000


COMPUTES_ON = b"""
import asyncio
async def main():
    task = asyncio.ensure_future(ctx.ask("Well?"))
    await asyncio.sleep(0)
    while True:
        pass
asyncio.run(main())
"""


async def test_a_script_that_computes_while_a_person_is_asked_is_ended_in_time(sandbox: Sandbox) -> None:
    program = await sandbox.compile(COMPUTES_ON, "tool.py")

    async def never(_name: str, _payload: Any) -> Any:
        await asyncio.Event().wait()

    fault = await fault_of(sandbox.run(program, "tool.py", {}, Limits(seconds=1), ask=never, patient=["ask"]))
    assert (fault.code, fault.details["limit"], fault.details["allowed"]) == ("timeout", "seconds", 1)


async def test_a_call_asks_a_person_a_hundred_times_at_most(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"for number in range(101):\n    ctx.ask('Well?')\n", "tool.py")
    asked: list[str] = []

    async def yes(name: str, payload: Any) -> Any:
        asked.append(name)
        return {key: {"action": "accept", "content": {}} for key in payload}

    fault = await fault_of(sandbox.run(program, "tool.py", {}, ask=yes, patient=["ask"]))
    assert (fault.code, fault.message, len(asked)) == (
        "bad_request",
        "One call asks a person 100 times at most.",
        100,
    )


async def test_compiling_counts_against_the_seconds_of_the_call_it_is_for(sandbox: Sandbox) -> None:
    large = b"x = 1\n" * 5000 + b"return 1\n"
    spent, again = Spent(), Spent()
    await sandbox.compile(large, "tool.py", spent=spent)
    await sandbox.compile(large, "tool.py", spent=again)
    assert (spent.seconds > 0.01, again.seconds) == (True, 0)
    fault = await fault_of(sandbox.compile(large + b"\n", "tool.py", limits=Limits(seconds=30), spent=Spent(29.999)))
    assert (fault.code, fault.details["allowed"]) == ("timeout", 0.001)


async def test_a_call_in_c_that_never_returns_is_ended_too(run_text: RunText, sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"return len(str('9' * 10**6 + '1') * 1) + (7 ** 7 ** 9) % 2\n", "tool.py")
    fault = await fault_of(sandbox.run(program, "tool.py", {}, Limits(seconds=0.3)))
    assert fault.code in {"timeout", "memory_limit"}
    assert await run_text("return 1") == Outcome(1)


async def test_memory_over_the_limit_is_named_with_what_was_allowed_and_used(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"hoard = []\nwhile True:\n    hoard.append('x' * 1_000_000)\nreturn 1\n", "x.py")
    fault = await fault_of(sandbox.run(program, "x.py", {}, Limits(memory_mb=50)))
    assert fault.code == "memory_limit"
    assert (fault.details["limit"], fault.details["allowed"]) == ("memory_mb", 50)
    assert 40 <= fault.details["used"] <= 50


async def test_memory_may_be_raised_for_one_call(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"return len('x' * 300_000_000)\n", "x.py")
    assert (await fault_of(sandbox.run(program, "x.py", {}))).code == "memory_limit"
    assert await sandbox.run(program, "x.py", {}, Limits(memory_mb=400)) == Outcome(300_000_000)


async def test_a_result_over_the_limit_is_named_with_its_size(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"return 'x' * args['size']\n", "x.py")
    assert len((await sandbox.run(program, "x.py", {"size": 1022}, Limits(result_kb=1))).value) == 1022
    fault = await fault_of(sandbox.run(program, "x.py", {"size": 50_000_000}, Limits(result_kb=1)))
    assert fault.code == "result_too_large"
    assert fault.details == {"limit": "result_kb", "allowed": 1, "used": 48_829, "size": 50_000_002}


async def test_very_many_values_are_too_many_for_a_result_or_an_ask(sandbox: Sandbox) -> None:
    limits = Limits(result_kb=16_384, memory_mb=1024)
    program = await sandbox.compile(b"return [0] * 1_000_001", "many.py")
    fault = await fault_of(sandbox.run(program, "many.py", {}, limits))
    assert (fault.code, fault.details["limit"]) == ("result_too_large", "values")
    assert fault.message == "The result holds 1000001 values, more than 1000000."
    program = await sandbox.compile(b"return ctx.call('other', a=[0] * 1_000_001)", "many.py")
    fault = await fault_of(sandbox.run(program, "many.py", {}, limits))
    assert (fault.code, fault.details["limit"]) == ("bad_request", "values")


async def test_a_source_over_the_limit_is_refused_by_size(sandbox: Sandbox) -> None:
    fault = await fault_of(sandbox.compile(b"#" * 3000 + b"\nreturn 1\n", "x.py", limits=Limits(source_kb=2)))
    assert fault.code == "script_compile_error"
    assert [each["rule"] for each in fault.details["diagnostics"]] == ["size"]
    assert (fault.details["limit"], fault.details["allowed"], fault.details["used"]) == ("source_kb", 2, 3)


async def test_output_over_the_limit_is_dropped_and_said_so(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"for number in range(5000):\n    print('x' * 100)\nreturn 1\n", "x.py")
    told: list[str] = []
    outcome = await sandbox.run(program, "x.py", {}, Limits(output_kb=10), tell=lambda _, text: told.append(text))
    assert outcome.value == 1
    assert len("".join(told)) <= 11 * 1024
    assert len(outcome.warnings) == 1


async def test_as_many_lines_as_the_output_holds_are_no_flood(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"for _ in range(args['lines']):\n    print()\nreturn 1\n", "x.py")
    lines = Limits().output_kb * 1024
    told: list[str] = []
    outcome = await sandbox.run(program, "x.py", {"lines": lines}, tell=lambda _, text: told.append(text))
    assert (outcome, "".join(told)) == (Outcome(1), "\n" * lines)


DEATHS = {
    "exit": "os._exit(0)",
    "exit with a frame begun": "os.write(3, b'\\0\\0'); os._exit(1)",
    "abort": "os.abort()",
    "segmentation fault": "builtins.__import__('ctypes').string_at(0)",
    "a call that is fatal": "os.execv('/bin/true', ['true'])",
    "a lie": "os.write(3, b'x' * 1000)",
    "a flood": "[os.write(3, b'x' * 60000) for _ in range(10**6)]",
    "silence on the channel": "os.close(3)",
}


@pytest.mark.parametrize("death", DEATHS.values(), ids=DEATHS)
async def test_a_child_that_dies_is_a_fault_and_the_next_run_gets_another(
    sandbox: Sandbox, run_text: RunText, death: str
) -> None:
    program = escaped_program(f"def main(args):\n    {death}\n")
    assert (await fault_of(sandbox.run(program, "x.py", {}))).code == "worker_lost"
    assert await run_text("return 'well'") == Outcome("well")


async def test_a_fork_bomb_makes_no_process(sandbox: Sandbox) -> None:
    program = escaped_program(
        "def main(args):\n    made = 0\n    for _ in range(100):\n        try:\n            os.fork()\n"
        "            made += 1\n        except OSError:\n            pass\n    return made\n"
    )
    assert await sandbox.run(program, "x.py", {}) == Outcome(0)


async def test_cancelling_the_caller_ends_the_child_at_once(sandbox: Sandbox) -> None:
    program = await sandbox.compile(ENDLESS, "tool.py")
    before = leaves(os.getpid())
    running, _ = await begin(sandbox, program)
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    assert sandbox.report()["running"] == 0
    await ended(*(before - leaves(os.getpid())))


async def test_a_compile_that_takes_too_long_is_ended_and_not_remembered(sandbox: Sandbox) -> None:
    before = sandbox.report()["running"]
    patient = asyncio.create_task(sandbox.compile(SLOW_TO_COMPILE, "slow.py"))
    fault = await fault_of(sandbox.compile(SLOW_TO_COMPILE, "slow.py", limits=Limits(seconds=0.05)))
    assert (fault.code, fault.details["limit"], fault.details["allowed"]) == ("timeout", "seconds", 0.05)
    assert isinstance(await patient, Program)
    assert sandbox.report()["running"] == before


async def test_cancelling_the_only_caller_ends_a_compile(sandbox: Sandbox) -> None:
    compiling = asyncio.create_task(sandbox.compile(SLOW_TO_COMPILE + b"#", "slow.py"))
    while not sandbox.report()["running"]:  # noqa: ASYNC110 - it is told to nobody
        await asyncio.sleep(0)
    compiling.cancel()
    await asyncio.wait([compiling])
    while sandbox.report()["running"]:  # noqa: ASYNC110
        await asyncio.sleep(0)
    assert sandbox.peek(SLOW_TO_COMPILE + b"#") is None


async def test_a_killed_child_is_a_fault_and_so_are_killed_spares_none(sandbox: Sandbox, run_text: RunText) -> None:
    running, _ = await begin(sandbox, await sandbox.compile(ENDLESS, "tool.py"))
    killed = leaves(os.getpid())
    signal_all(killed, signal.SIGKILL)
    await ended(*killed)
    assert (await fault_of(running)).code == "worker_lost"
    assert await run_text("return 2") == Outcome(2)


async def test_a_killed_zygote_is_replaced_and_callers_are_answered() -> None:
    async with Sandbox() as sandbox:
        program = await sandbox.compile(b"return args['x']\n", "tool.py")
        for round_ in range(3):
            running, _ = await begin(sandbox, await sandbox.compile(ENDLESS, "tool.py"))
            os.kill(sandbox.report()["zygote"], signal.SIGKILL)
            assert (await fault_of(running)).code == "worker_lost"
            calls = [sandbox.run(program, "tool.py", {"x": number}) for number in range(10)]
            assert [outcome.value for outcome in await asyncio.gather(*calls)] == list(range(10))
            assert sandbox.report()["zygote_restarts"] == round_ + 1


async def test_two_hundred_callers_on_a_small_pool_are_all_answered_with_their_own() -> None:
    async with Sandbox(places=2) as sandbox:
        program = await sandbox.compile(b"return args['x']\n", "tool.py")
        calls = [sandbox.run(program, "tool.py", {"x": number}) for number in range(200)]
        assert [outcome.value for outcome in await asyncio.gather(*calls)] == list(range(200))


async def test_more_than_the_line_holds_are_refused_at_once_and_the_rest_answered() -> None:
    async with Sandbox(places=1, line=10) as sandbox:
        program = await sandbox.compile(b"return 1\n", "tool.py")
        calls = [sandbox.run(program, f"{number}.py", {}) for number in range(30)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        refused = [outcome for outcome in outcomes if isinstance(outcome, Fault)]
        assert {fault.code for fault in refused} == {"overloaded"}
        assert all(fault.details["retry_after"] >= 1 for fault in refused)
        assert len(outcomes) - len(refused) == 11


ASKING = """
def main(args):
    question = b'{"id":1,"name":"call","payload":%d}' % args["x"]
    os.write(3, struct.pack(">IB", len(question), 6) + question)
    return json.loads(os.read(3, 1000)[5:])
"""
"""A script that asks its parent; in plain Python, since what scripts may ask for is not the sandbox's to know."""


async def test_calls_that_wait_for_calls_do_not_keep_them_from_running() -> None:
    async with Sandbox(places=2) as sandbox:
        inner = await sandbox.compile(b"return args['x'] + 1\n", "inner.py")
        outer = escaped_program(ASKING, imports="os, struct, json")

        async def answer(name: str, payload: Any) -> Any:
            assert name == "call"
            return (await sandbox.run(inner, "inner.py", {"x": payload}, nested=True)).value

        calls = [sandbox.run(outer, "outer.py", {"x": number}, ask=answer) for number in range(20)]
        answers = [{"id": 1, "value": number + 1} for number in range(20)]
        assert [outcome.value for outcome in await asyncio.gather(*calls)] == answers


UNREAD = """
def main(args):
    for number in range(args["asks"]):
        question = b'{"id":%d,"name":"big","payload":null}' % number
        os.write(3, struct.pack(">IB", len(question), 6) + question)
        time.sleep(args["pause"])
    missing = args["asks"] * args["size"]
    while missing > 0:
        missing -= len(os.read(3, 1 << 20))
    return missing < 0
"""
"""A script that reads no answer before all its asks are out."""


async def test_answers_that_a_child_does_not_read_are_not_kept_without_end(sandbox: Sandbox) -> None:
    answered = 0

    async def answer(_name: str, _payload: Any) -> Any:
        nonlocal answered
        answered += 1
        return "x" * (1 << 20)

    program, limits = escaped_program(UNREAD, imports="os, struct, time"), Limits(seconds=10)
    outcome = await sandbox.run(program, "x.py", {"asks": 30, "size": 1 << 20, "pause": 0}, limits, ask=answer)
    assert (outcome, answered) == (Outcome(True), 30)
    answered = 0
    fault = await fault_of(
        sandbox.run(program, "x.py", {"asks": 200, "size": 1 << 20, "pause": 0.005}, limits, ask=answer)
    )
    assert fault.code == "worker_lost"
    assert answered < 64  # so many may be open; without a bound on what is unread, all would be answered


async def test_a_closing_sandbox_ends_its_calls_and_takes_no_more() -> None:
    async with Sandbox() as sandbox:
        program = await sandbox.compile(ENDLESS, "tool.py")
        running, _ = await begin(sandbox, program)
    assert (await fault_of(running)).code == "shutting_down"
    assert (await fault_of(sandbox.run(program, "tool.py", {}))).code == "shutting_down"
    assert (await fault_of(sandbox.compile(b"return 5\n", "tool.py"))).code == "shutting_down"


async def test_each_call_has_random_numbers_of_its_own(run_text: RunText) -> None:
    seen = [(await run_text("import random\nreturn random.random()")).value for _ in range(8)]
    assert len(set(seen)) == len(seen)
