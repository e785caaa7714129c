"""What the worst files and callers get: each its code, over HTTP and MCP, and the server answers the next call."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client

WriteTool = Callable[[str, str], Path]

BIG = 2 * 1024 * 1024

FILES: list[tuple[str, bytes, str | None]] = [
    ("empty", b"", None),
    ("comments", b"# to be written\n", None),
    ("large", b"x = 1\n" * (BIG // 6), "script_unreadable"),
    ("nul", b"return 1\n\x00\x00", "script_compile_error"),
    ("utf16", "return 1\n".encode("utf-16"), "script_compile_error"),
    ("latin", b"return '\xe9'\n", "script_compile_error"),
    ("deep", b"return " + b"[" * 10_000 + b"]" * 10_000, "script_compile_error"),
    ("minus", b"return " + b"-" * 100_000 + b"1", "script_compile_error"),
    ("forever", b"while True:\n    pass\n", "timeout"),
    ("memory", b'return len("9" * 10**10)\n', "memory_limit"),
    ("result", b'return "x" * (50 * 1024 * 1024)\n', "result_too_large"),
    ("exit", b"raise SystemExit(3)\n", "script_runtime_error"),
    ("recursion", b"def f(n):\n    return f(n + 1)\nreturn f(0)\n", "script_runtime_error"),
    ("nan", b'return float("nan")\n', "result_not_serializable"),
]


@pytest.fixture
def bad_files(folder: Path) -> None:
    """Write every bad file, a healthy tool, a folder, a dangling link and a pipe."""
    for name, data, _ in FILES:
        (folder / f"{name}.py").write_bytes(data)
        limits: dict[str, int] = {"seconds": 1} if name == "forever" else {}
        fields = {"name": name, "description": "Bad.", "kind": "script", "file": f"{name}.py", "limits": limits}
        (folder / f"{name}.json").write_text(json.dumps(fields))
    (folder / "healthy.py").write_text("return 1 + 1")
    (folder / "adir.py").mkdir()
    (folder / "dangling.py").symlink_to("/nowhere/gone.py")
    os.mkfifo(folder / "pipe.py")


@pytest.mark.timeout(120)
async def test_every_bad_file_gets_its_code_over_http_and_the_next_call_works(
    bad_files: None, client: httpx2.AsyncClient
) -> None:
    for name, _, code in [*FILES, ("dangling", b"", "script_unreadable"), ("pipe", b"", "script_unreadable")]:
        reply = (await client.post(f"/tools/{name}", json={}, timeout=30)).json()
        assert (name, reply.get("error", {}).get("code")) == (name, code)
        assert (await client.post("/tools/healthy", timeout=30)).json()["result"] == 2
    assert (await client.post("/tools/adir", json={})).json()["error"]["code"] == "tool_not_found"


@pytest.mark.timeout(120)
async def test_every_bad_file_gets_its_code_over_mcp_in_text_that_carries_the_whole_error(
    bad_files: None, url: str
) -> None:
    async with Client(f"{url}/mcp") as agent:
        for name, _, code in FILES:
            result = await agent.call_tool(name, {})
            assert (name, bool(result.is_error)) == (name, code is not None)
            if code is not None:
                text = "".join(block.text for block in result.content if block.type == "text")
                assert f'"code": "{code}"' in text or f'"code":"{code}"' in text
        assert not (await agent.call_tool("healthy", {})).is_error


@pytest.mark.timeout(120)
async def test_two_hundred_callers_at_once_are_all_answered_and_none_is_mixed_up(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    write_tool("echo.py", "return args['n']")
    answers: dict[int, Any] = {}

    async def one(number: int) -> None:
        answers[number] = (await client.post("/tools/echo", json={"n": number}, timeout=100)).json()

    async with anyio.create_task_group() as group:
        for number in range(200):
            group.start_soon(one, number)
    assert {number: reply["result"] for number, reply in answers.items()} == {number: number for number in range(200)}


async def test_body_that_is_not_a_strict_json_object_is_a_bad_request(client: httpx2.AsyncClient) -> None:
    headers = {"content-type": "application/json"}
    for body in (b"[1]", b"nope", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff", b'{"a": "\\ud800"}', b"[" * 100_000):
        reply = await client.post("/tools/none", content=body, headers=headers)
        assert (body[:20], reply.status_code, reply.json()["error"]["code"]) == (body[:20], 400, "bad_request")
