"""What the debug routes show: files, problems, cache, calls."""

from pathlib import Path

import httpx2

from tests.conftest import WriteTool


async def test_state_shows_what_is_loaded(client: httpx2.AsyncClient, folder: Path, write_tool: WriteTool) -> None:
    path = write_tool("one.py", "return 1")
    write_tool("broken.py", "return (")
    state = (await client.get("/debug/state")).json()
    assert state["folders"] == [str(folder)]
    one = {"name": "one", "source": "script", "file": str(path), "broken": False, "problems": 0, "checking": False}
    assert one in state["tools"]
    own = [tool["name"] for tool in state["tools"] if tool["source"] != "builtin"]
    assert (state["problems"], own) == (1, ["broken", "one"])


async def test_a_tool_is_shown_with_its_text_its_problems_and_its_calls(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    path = write_tool("cost.py", "return {}[args['key']]")
    called = (await client.post("/tools/cost", json={"key": "a"})).json()
    shown = (await client.get("/debug/tools/cost")).json()
    assert (shown["name"], shown["file"], shown["source"]) == ("cost", str(path), "return {}[args['key']]")
    assert (shown["problems"], shown["last_error"]["error"]["code"]) == ([], "script_runtime_error")
    assert [call["call_id"] for call in shown["calls"]] == [called["call_id"]]
    assert shown["digest"] == called["digest"]


async def test_problems_are_shown_before_anyone_calls_and_go_when_mended(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    write_tool("sum.py", "total = 1\nreturn total +\n")
    (problem,) = (await client.get("/debug/errors")).json()["problems"]
    assert (problem["code"], problem["file"], problem["diagnostics"][0]["line"]) == (
        "script_compile_error",
        "sum.py",
        2,
    )
    assert (await client.get("/debug/tools/sum")).json()["problems"] == [problem]
    write_tool("sum.py", "return 1")
    assert (await client.get("/debug/errors")).json() == {"problems": []}
    assert (await client.get("/debug/tools/sum")).json()["problems"] == []


async def test_the_cache_names_the_tools_that_share_a_text(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("a.py", "return 1")
    write_tool("b.py", "return 1")
    await client.post("/tools/a")
    await client.post("/tools/b")
    cache = (await client.get("/debug/cache")).json()
    (entry,) = cache["entries"]
    assert entry["tools"] == ["a", "b"]
    assert entry.keys() >= {"digest", "bytes", "age", "hits"}
    assert cache.keys() >= {"hits", "misses", "compiles", "evictions"}
    assert cache["compiles"] == 1


async def test_calls_are_kept_newest_first_and_found_by_their_id(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    write_tool("echo.py", "return args")
    for number in range(3):
        await client.post("/tools/echo", json={"n": number}, headers={"x-client-id": "me"})
    calls = (await client.get("/debug/calls?limit=2")).json()["calls"]
    assert [call["args"] for call in calls] == [{"n": 2}, {"n": 1}]
    assert (calls[0]["facade"], calls[0]["client"]) == ("http", "me")
    assert (await client.get(f"/debug/calls/{calls[0]['call_id']}")).json() == calls[0]
    assert (await client.get("/debug/calls/none")).json()["error"]["code"] == "not_found"
    assert (await client.get("/debug/calls?limit=many")).json()["error"]["code"] == "bad_request"


async def test_a_name_without_tool_or_problem_is_not_found(client: httpx2.AsyncClient) -> None:
    reply = await client.get("/debug/tools/nothing")
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "tool_not_found")
