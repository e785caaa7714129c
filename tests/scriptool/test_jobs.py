"""Calls that outlast their request: looked after, fetched, ended, forgotten."""

import anyio
import httpx2
import pytest

from sandbox import Fault
from scriptool.app import App
from scriptool.call import Call, Caller, Listener, Result
from scriptool.jobs import KEPT_SECONDS, MAX_KEPT, MAX_KEPT_BYTES, MAX_RUNNING, Jobs
from tests.conftest import CallTool, WriteTool


async def echo(call: Call, listener: Listener) -> Result:
    return Result("id", 1.0, value=dict(call.args))


async def endless(call: Call, listener: Listener) -> Result:
    listener("progress", {"done": 1, "total": 2, "message": None})
    await anyio.sleep_forever()
    raise AssertionError


def wish(number: int = 0) -> Call:
    return Call("tool", {"n": number}, Caller("test"))


async def test_a_job_ends_with_the_result_of_its_call() -> None:
    async with Jobs(echo) as jobs:
        job = jobs.start(wish(1))
        assert (job.state, await jobs.finished(job, 5)) == ("running", True)
        assert jobs.find(job.id).to_json()["answer"]["result"] == {"n": 1}


async def test_a_running_job_shows_its_progress_and_can_be_ended() -> None:
    async with Jobs(endless) as jobs:
        job = jobs.start(wish())
        assert await jobs.finished(job, 0) is False
        with anyio.fail_after(5):
            while job.progress is None:
                await anyio.lowlevel.checkpoint()
        await jobs.cancel(job)
        assert job.state == "cancelled"
        assert job.to_json()["answer"]["error"]["code"] == "cancelled"


async def test_a_cancelled_job_keeps_what_it_printed(app: App, write_tool: WriteTool) -> None:
    write_tool("slow.py", "print('begun')\nwhile True: pass")
    heard = anyio.Event()
    job = app.jobs.start(Call("slow", {}, Caller("test")), lambda _kind, _payload: heard.set())
    with anyio.fail_after(15):
        await heard.wait()
    await app.jobs.cancel(job)
    answer = job.to_json()["answer"]
    assert (answer["output"], answer["duration_ms"] > 0) == ("begun\n", True)


async def test_leaving_ends_all_jobs() -> None:
    async with Jobs(endless) as jobs:
        started = [jobs.start(wish()) for _ in range(3)]
        await anyio.lowlevel.checkpoint()
    assert {job.state for job in started} == {"cancelled"}


async def test_jobs_are_bounded_and_expire() -> None:
    now = 0.0
    async with Jobs(echo, clock=lambda: now) as jobs:
        first = jobs.start(wish())
        await jobs.finished(first, 5)
        now += 1
        for number in range(MAX_KEPT):
            await jobs.finished(jobs.start(wish(number)), 5)
        last = jobs.start(wish())
        await jobs.finished(last, 5)
        with pytest.raises(Fault) as raised:
            jobs.find(first.id)
        assert raised.value.code == "job_not_found"
        assert jobs.find(last.id) is last
        now += KEPT_SECONDS + 1
        with pytest.raises(Fault):
            jobs.find(last.id)
    async with Jobs(endless) as jobs:
        for number in range(MAX_RUNNING):
            jobs.start(wish(number))
        with pytest.raises(Fault) as raised:
            jobs.start(wish())
        assert raised.value.code == "overloaded"


async def test_the_answers_of_ended_jobs_are_bounded_together() -> None:
    big = "x" * (MAX_KEPT_BYTES // 4)

    async def large(call: Call, listener: Listener) -> Result:
        return Result("id", 1.0, value=big * call.args["n"])

    async with Jobs(large) as jobs:
        kept = [jobs.start(wish(1)) for _ in range(6)]
        for job in kept:
            assert await jobs.finished(job, 5)
        assert jobs.report() == {"running": 0, "ended": 3}
        huge = jobs.start(wish(5))
        assert await jobs.finished(huge, 5)
        assert jobs.find(huge.id) is huge and jobs.report()["ended"] == 1


async def test_a_call_that_takes_longer_than_asked_for_runs_on_as_a_job(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    write_tool("quick.py", "return 1")
    write_tool("slow.py", "ctx.progress(1, 2)\nwhile True: pass")
    quick = await client.post("/tools/quick?wait=20")
    assert (quick.status_code, quick.json()["result"]) == (200, 1)
    slow = await client.post("/tools/slow?wait=0")
    assert (slow.status_code, slow.json()["state"], slow.headers["retry-after"]) == (202, "running", "1")
    shown = await client.get(slow.headers["location"])
    assert (shown.status_code, shown.json()["job_id"]) == (200, slow.json()["job_id"])
    ended = await client.delete(slow.headers["location"])
    assert ended.json()["state"] == "cancelled"
    assert (await client.delete(slow.headers["location"])).status_code == 200
    gone = await client.get(slow.headers["location"])
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "job_not_found")


async def test_a_job_can_be_waited_for(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("quick.py", "return 1")
    started = await client.post("/tools/quick?wait=0")
    if started.status_code == 202:
        shown = await client.get(f"{started.headers['location']}?wait=15")
        assert (shown.json()["state"], shown.json()["answer"]["result"]) == ("done", 1)
    for wait in ("soon", "-1", "1e3", "inf", "", "1.", "١"):
        error = (await client.post("/tools/quick", params={"wait": wait})).json()["error"]
        message = f"?wait= must be a number of seconds, such as 2.5, not {wait!r}."
        assert (error["code"], error["message"]) == ("bad_request", message)


async def test_the_built_in_tools_look_after_jobs_too(app: App, call: CallTool, write_tool: WriteTool) -> None:
    write_tool("slow.py", "while True: pass")
    job = app.jobs.start(Call("slow", {}, Caller("test")))
    assert (await call("job_status", job_id=job.id)).value["state"] == "running"
    assert (await call("job_cancel", job_id=job.id)).value["state"] == "cancelled"
    assert (await call("job_status", job_id=job.id, wait=5)).value["state"] == "cancelled"
    missing = await call("job_status", job_id="none")
    assert missing.error is not None
    assert missing.error["code"] == "job_not_found"
