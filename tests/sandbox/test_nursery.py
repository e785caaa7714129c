"""The zygotes behind a sandbox: replaced when stuck or worn, scaled with the load, and honest about missing walls."""

import asyncio
import signal
import sys

import pytest

from sandbox import Fault, Limits, Outcome, Program, Sandbox
from tests.sandbox.processes import descendants, signal_all


async def refusal(sandbox: Sandbox) -> Fault:
    """Give the fault that any text gets."""
    with pytest.raises(Fault) as caught:
        await sandbox.compile(b"return 1\n", "tool.py")
    return caught.value


async def test_a_zygote_that_is_stuck_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.process.spares._LONGEST_WAIT", 0.5)
    async with Sandbox() as sandbox:
        program = await sandbox.compile(b"return args['x']\n", "tool.py")
        signal_all(descendants(sandbox.report()["zygote"]), signal.SIGSTOP)
        results = await asyncio.gather(
            *(sandbox.run(program, "tool.py", {"x": number}, Limits(seconds=2)) for number in range(8)),
            return_exceptions=True,
        )
        assert {getattr(result, "code", "answered") for result in results} <= {"answered", "timeout", "worker_lost"}
        assert await sandbox.run(program, "tool.py", {"x": 9}) == Outcome(9)
        assert sandbox.report()["zygote_restarts"] >= 1


async def test_more_spares_wait_under_load_and_fewer_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.process.spares._SHRINK_SECONDS", 0.05)
    async with Sandbox(places=4, spares=(1, 6)) as sandbox:
        program = await sandbox.compile(b"return 1\n", "tool.py")
        most = 0
        for _ in range(30):
            await asyncio.gather(*(sandbox.run(program, "tool.py", {}) for _ in range(8)))
            most = max(most, sandbox.report()["children"])
        assert most > 1
        while sandbox.report()["children"] > 1:  # noqa: ASYNC110 - it is told to nobody
            await asyncio.sleep(0.01)
        assert await sandbox.run(program, "tool.py", {}) == Outcome(1)


async def test_a_worn_zygote_is_replaced_without_losing_a_call() -> None:
    async with Sandbox(zygote_lifetime=30) as sandbox:
        program = await sandbox.compile(b"return args['x']\n", "tool.py")
        for start in range(0, 150, 10):
            calls = [sandbox.run(program, "tool.py", {"x": start + number}) for number in range(10)]
            outcomes = await asyncio.gather(*calls)
            assert [outcome.value for outcome in outcomes] == list(range(start, start + 10))
        assert sandbox.report()["zygote_restarts"] >= 1


async def test_without_seccomp_scripts_do_not_run_and_the_fault_names_it() -> None:
    async with Sandbox(without=["seccomp"]) as sandbox:
        fault = await refusal(sandbox)
        assert fault.code == "sandbox_unavailable"
        assert "seccomp" in fault.details["missing"]
        assert sandbox.report()["level"] == "weak"


async def test_a_sandbox_whose_processes_do_not_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    async with Sandbox() as sandbox:
        fault = await refusal(sandbox)
        assert (fault.code, fault.details) == ("sandbox_unavailable", {"missing": ["zygote"]})
        monkeypatch.undo()
        while sandbox.report()["level"] == "none":  # noqa: ASYNC110 - it is told to nobody
            await asyncio.sleep(0.01)
        assert isinstance(await sandbox.compile(b"return 1\n", "tool.py"), Program)


async def test_weak_lets_scripts_run_and_the_report_still_tells() -> None:
    async with Sandbox(without=["seccomp"], weak=True) as sandbox:
        program = await sandbox.compile(b"return 1\n", "tool.py")
        assert await sandbox.run(program, "tool.py", {}) == Outcome(1)
        report = sandbox.report()
        assert report["level"] == "weak"
        assert report["missing"][0] == "seccomp"
        assert "attempt: start a thread" not in report["missing"]
