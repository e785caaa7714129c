"""Metrics: what monitoring reads, and that nobody who calls can make it grow."""

import re

import httpx2
import pytest

from scriptool.app import App
from scriptool.facades.metrics import BOUNDS
from tests.conftest import CallTool, WriteTool

LINE = re.compile(r'(scriptool_\w+)(\{(?:\w+="[\w.+-]*",?)+\})? (\S+)')


def samples(text: str) -> dict[str, float]:
    """Give each sample by its name and labels, after holding the text against the format's rules."""
    found: dict[str, float] = {}
    family = ""
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("# HELP "):
            family = line.split()[2]
        elif line.startswith("# TYPE "):
            assert line.split()[2:] in ([family, kind] for kind in ("counter", "gauge", "histogram"))
        else:
            match = LINE.fullmatch(line)
            assert match, line
            assert match[1].startswith(family)
            key = match[1] + (match[2] or "")
            assert key not in found
            found[key] = float(match[3])
    assert text.endswith("\n")
    return found


async def test_calls_are_counted_by_the_way_they_came_and_how_they_ended(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    write_tool("one.py", "return 1")
    write_tool("fail.py", "raise ToolError('no')")
    for _ in range(2):
        await client.post("/tools/one")
    await client.post("/tools/fail")
    await client.post("/tools/none")
    reply = await client.get("/metrics")
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = samples(reply.text)
    calls = {key: value for key, value in found.items() if key.startswith("scriptool_calls_total")}
    assert calls == {
        'scriptool_calls_total{facade="http",code="ok"}': 2,
        'scriptool_calls_total{facade="http",code="tool_error"}': 1,
        'scriptool_calls_total{facade="http",code="tool_not_found"}': 1,
    }
    assert found["scriptool_call_duration_seconds_count"] == 4
    assert found["scriptool_call_duration_seconds_sum"] > 0


async def test_each_bucket_holds_those_below_it(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("one.py", "return 1")
    await client.post("/tools/one")
    found = samples((await client.get("/metrics")).text)
    buckets = [found[f'scriptool_call_duration_seconds_bucket{{le="{bound}"}}'] for bound in (*BOUNDS, "+Inf")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == found["scriptool_call_duration_seconds_count"] == 1


async def test_parts_tell_how_they_are(client: httpx2.AsyncClient, app: App, write_tool: WriteTool) -> None:
    write_tool("one.py", "return 1")
    write_tool("broken.py", "return (")
    await client.get("/tools")
    await client.post("/tools/one")
    found = samples((await client.get("/metrics")).text)
    report = app.sandbox.report()
    level = report["level"]
    expected = {
        "scriptool_workers": report["workers"],
        'scriptool_sandbox_calls{state="running"}': 0,
        'scriptool_sandbox_calls{state="waiting"}': 0,
        "scriptool_sandbox_restarts_total": 0,
        f'scriptool_sandbox_level{{level="{level}"}}': 1,
        "scriptool_cache_compiles_total": 2,
        'scriptool_jobs{state="running"}': 0,
        'scriptool_jobs{state="ended"}': 0,
        'scriptool_streams{kind="events"}': 0,
        'scriptool_streams{kind="mcp_sessions"}': 0,
        'scriptool_tools{state="broken"}': 1,
        "scriptool_problems": 1,
    }
    assert {key: found[key] for key in expected} == expected


async def test_a_job_is_counted_while_it_runs(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("slow.py", "while True: pass")
    job = (await client.post("/tools/slow?wait=0")).json()["job_id"]
    assert samples((await client.get("/metrics")).text)['scriptool_jobs{state="running"}'] == 1
    await client.delete(f"/jobs/{job}")
    found = samples((await client.get("/metrics")).text)
    assert (found['scriptool_jobs{state="running"}'], found['scriptool_jobs{state="ended"}']) == (0, 1)


@pytest.mark.parametrize("name", ["x", 'a"b', "{}", "line\nbreak", "é" * 50])
async def test_what_callers_choose_is_no_label(client: httpx2.AsyncClient, name: str) -> None:
    await client.post("/tools/" + name.replace("\n", "%0A"), headers={"x-client-id": "someone"})
    found = samples((await client.get("/metrics")).text)
    assert found['scriptool_calls_total{facade="http",code="tool_not_found"}'] == 1


async def test_calls_from_elsewhere_share_one_label(client: httpx2.AsyncClient, call: CallTool) -> None:
    await call("none")
    found = samples((await client.get("/metrics")).text)
    assert found['scriptool_calls_total{facade="other",code="tool_not_found"}'] == 1


async def test_an_error_too_large_to_keep_is_counted_under_its_code(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    write_tool("wordy.py", "raise ToolError('no', text='x' * 9000)")
    call_id = (await client.post("/tools/wordy")).json()["call_id"]
    found = samples((await client.get("/metrics")).text)
    assert found['scriptool_calls_total{facade="http",code="tool_error"}'] == 1
    kept = (await client.get(f"/debug/calls/{call_id}")).json()["error"]
    assert (kept["code"], kept["characters"] > 9000) == ("tool_error", True)
