"""The tools over HTTP: listed, described, called, and every wrong request answered in the one envelope."""

import json
from typing import Any

import httpx2
import pytest

from scriptool.app import App
from scriptool.errors import STATUS
from tests.conftest import WriteTool

ADD = '''\
def main(a: int, b: int = 1) -> dict:
    """Add two numbers."""
    print("adding")
    return {"sum": a + b}
'''


async def listed(client: httpx2.AsyncClient, query: str = "") -> list[dict[str, Any]]:
    """Give the tools of the folder, without the built-in ones."""
    tools = (await client.get(f"/tools{query}")).json()["tools"]
    return [tool for tool in tools if tool["source"] != "builtin"]


async def test_a_call_answers_with_the_envelope(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    reply = await client.post("/tools/add", json={"a": 2})
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json() == {
        "ok": True,
        "result": {"sum": 3},
        "output": "adding\n",
        "warnings": [],
        "call_id": reply.json()["call_id"],
        "duration_ms": reply.json()["duration_ms"],
        "digest": reply.json()["digest"],
    }


async def test_no_body_means_no_arguments(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("ping.py", "return args")
    assert (await client.post("/tools/ping")).json()["result"] == {}


@pytest.mark.parametrize(
    ("body", "headers", "code", "words"),
    [
        (b"{", {}, "bad_request", "The body is not JSON"),
        (b"\xff", {}, "bad_request", "byte 0 is not UTF-8"),
        (b"[1]", {}, "bad_request", "The body must be a JSON object of arguments, not a list."),
        (b"null", {}, "bad_request", "The body must be a JSON object of arguments, not null."),
        (b'{"a": NaN}', {}, "bad_request", "NaN is not JSON"),
        (b'{"a": 1, "a": 2}', {}, "bad_request", "stands twice"),
        (b"[" * 100_000, {}, "bad_request", "nested deeper"),
        (b'{"a": ' + b"9" * 5000 + b"}", {}, "bad_request", "4300 digits"),
        (b"a=1", {"content-type": "application/x-www-form-urlencoded"}, "unsupported_media_type", "x-www-form"),
        (b"{}", {"content-type": ""}, "unsupported_media_type", "The body has no content type."),
        (b" " * (8 * 1024 * 1024 + 1), {}, "request_too_large", "larger than the 8388608 bytes"),
    ],
)
async def test_a_body_that_is_not_a_json_object_is_refused(
    client: httpx2.AsyncClient, body: bytes, headers: dict[str, str], code: str, words: str
) -> None:
    reply = await client.post("/tools/add", content=body, headers={"content-type": "application/json"} | headers)
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (STATUS[code], code)
    assert words in error["message"]


async def test_a_body_without_a_length_is_counted_while_it_is_read(client: httpx2.AsyncClient) -> None:
    async def endless() -> Any:
        for _ in range(9):
            yield b" " * 1024 * 1024

    reply = await client.post("/tools/add", content=endless(), headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "request_too_large")


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "application/x+json"])
async def test_json_may_be_named_in_any_usual_way(
    client: httpx2.AsyncClient, write_tool: WriteTool, content_type: str
) -> None:
    write_tool("add.py", ADD)
    reply = await client.post("/tools/add", content=b'{"a": 1}', headers={"content-type": content_type})
    assert reply.json()["result"] == {"sum": 2}


@pytest.mark.parametrize(
    "path",
    [
        "/tools/nothing",
        "/tools/..%2Foutside",
        "/tools/a%00b",
        "/tools/a%5Cb",
        "/tools/a%0A",
        "/tools/%FF",
        "/tools/a/b",
    ],
)
async def test_any_name_that_no_tool_has_is_tool_not_found(client: httpx2.AsyncClient, path: str) -> None:
    for method in ("GET", "POST"):
        reply = await client.request(method, path)
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "tool_not_found")


async def test_a_tool_written_a_moment_ago_is_called_and_listed(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    assert await listed(client) == []
    write_tool("late.py", "return 1")
    assert (await client.post("/tools/late")).json()["result"] == 1
    assert [tool["name"] for tool in await listed(client)] == ["late"]


async def test_the_list_shows_each_tool_and_every_problem(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    write_tool("broken.py", "return (")
    whole = (await client.get("/tools")).json()
    add, broken = await listed(client)
    assert add["description"] == "Add two numbers."
    assert add["inputSchema"]["properties"]["a"] == {"type": "integer"}
    assert broken["error"]["code"] == "script_compile_error"
    assert [problem["file"] for problem in whole["problems"]] == ["broken.py"]
    assert isinstance(whole["catalog"], int)


async def test_the_list_can_be_narrowed_to_a_group(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    assert [tool["name"] for tool in await listed(client, "?group=code")] == ["add"]
    assert await listed(client, "?group=input") == []


async def test_one_tool_has_a_tag_that_changes_with_it(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("add.py", ADD)
    first = await client.get("/tools/add")
    tag = first.headers["etag"]
    assert first.json()["name"] == "add"
    same = await client.get("/tools/add", headers={"if-none-match": tag})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    write_tool("add.py", ADD.replace("two", "some"))
    changed = await client.get("/tools/add", headers={"if-none-match": tag})
    assert (changed.status_code, changed.json()["description"]) == (200, "Add some numbers.")


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("openai", {"type": "function", "function": {"name": "one", "description": "One.", "parameters": {}}}),
        ("anthropic", {"name": "one", "description": "One.", "input_schema": {}}),
        ("gemini", {"functionDeclarations": [{"name": "one", "description": "One.", "parametersJsonSchema": {}}]}),
    ],
)
async def test_the_list_is_given_in_the_shape_of_a_provider(
    client: httpx2.AsyncClient, write_tool: WriteTool, name: str, shape: dict[str, Any]
) -> None:
    write_tool("one.py", '"""One."""\ndef main() -> dict:\n    return {}\n')
    schema = (await client.get("/tools/one")).json()["inputSchema"]
    expected = json.loads(json.dumps(shape).replace("{}", json.dumps(schema)))
    shown = (await client.get(f"/tools?format={name}")).json()["tools"]
    if name == "gemini":
        shown[0]["functionDeclarations"] = shown[0]["functionDeclarations"][-1:]
    assert shown[-1] == expected


async def test_an_unknown_shape_is_refused_with_those_there_are(client: httpx2.AsyncClient) -> None:
    reply = await client.get("/tools?format=opnai")
    assert reply.status_code == 400
    assert reply.json()["error"] == {
        "code": "bad_request",
        "message": "There is no tool format 'opnai'.",
        "hint": 'Did you mean "openai"? There are anthropic, gemini, openai.',
    }
    error = (await client.get("/tools?group=cod")).json()["error"]
    assert (error["code"], error["message"]) == ("bad_request", "There is no group 'cod'.")
    assert error["hint"].startswith('Did you mean "code"? There are diagnostics, ')


async def test_health_says_how_the_server_is_without_looking_at_files(client: httpx2.AsyncClient, app: App) -> None:
    health = (await client.get("/health")).json()
    assert health.keys() == {
        *("ok", "version", "projectHash", "definitionsDir", "sharedDefinitionsDir", "sandbox", "tools")
    }
    assert (health["ok"], health["definitionsDir"]) == (True, str(app.settings.folders[0]))
    assert health["sandbox"]["layers"].keys() >= {"seccomp"}


async def test_a_server_is_ready_once_every_file_has_been_looked_at(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    write_tool("one.py", "return 1")
    await client.get("/tools")
    reply = await client.get("/ready")
    assert (reply.status_code, reply.json()["ready"], reply.json()["checking"]) == (200, True, 0)


async def test_a_call_can_be_followed_as_events(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("steps.py", "print('one')\nctx.progress(1, 2, 'half')\nctx.log.info('there')\nreturn 2")
    reply = await client.post("/tools/steps", headers={"accept": "text/event-stream"})
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = [dict(line.split(": ", 1) for line in part.splitlines()) for part in reply.text.split("\n\n") if part]
    assert [event["event"] for event in events] == ["print", "progress", "log", "result"]
    assert json.loads(events[1]["data"]) == {"done": 1, "total": 2, "message": "half"}
    assert json.loads(events[3]["data"])["result"] == 2


async def test_the_document_describes_each_tool_as_an_operation(
    client: httpx2.AsyncClient, write_tool: WriteTool
) -> None:
    write_tool("add.py", ADD)
    document = (await client.get("/openapi.json")).json()
    operation = document["paths"]["/tools/add"]["post"]
    assert (document["openapi"], operation["operationId"]) == ("3.1.0", "add")
    schemas = document["components"]["schemas"]
    assert operation["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/add_arguments"
    }
    assert schemas["add_arguments"]["required"] == ["a"]
    told = " ".join(response["description"] for response in operation["responses"].values())
    assert [code for code in STATUS if code not in told] == []


async def test_a_method_or_path_that_is_not_there_is_said_in_the_envelope(client: httpx2.AsyncClient) -> None:
    wrong = await client.delete("/tools/add")
    assert (wrong.status_code, sorted(wrong.headers["allow"].split(", "))) == (405, ["GET", "HEAD", "POST"])
    assert wrong.json()["error"]["code"] == "method_not_allowed"
    missing = await client.get("/nothing")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert "POST /tools/{name}" in (await client.get("/")).json()["routes"]


ODD = [
    "/tools/",
    "/tools//",
    "/tools/%00",
    "/tools/%2e%2e",
    "/jobs/%00",
    "/debug/tools/",
    "/debug/tools/%FF/..",
    "/%FF",
]


@pytest.mark.parametrize("path", [*ODD, "/events/", "/mcp/x", "/openapi.json/", "/debug/calls/%0A", "/ready?x=%FF"])
async def test_no_odd_request_is_a_failure_of_the_server(client: httpx2.AsyncClient, path: str) -> None:
    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"):
        for body in (b"", b"\x00\xff", b'{"a": {"b": [1, "\xc3\xa9"]}}'):
            reply = await client.request(method, path, content=body, headers={"content-type": "application/json"})
            assert reply.status_code < 500
            assert method == "HEAD" or reply.json().keys() & {"ok", "ready"}


@pytest.mark.parametrize("wait", ["601", "0000000000001", "9" * 20, "9" * 5000, "20.5", ".75"])
async def test_any_number_of_seconds_is_one_to_wait(
    client: httpx2.AsyncClient, write_tool: WriteTool, wait: str
) -> None:
    write_tool("one.py", "return 1")
    assert (await client.post(f"/tools/one?wait={wait}")).json()["result"] == 1


FORGED = """
try:
    open("/nope")
except PermissionError as error:
    Denied = type(error)
raise Denied("no", retry_after="soon", call_id={}, permission="read", hint="h", file=[1])
"""


async def test_a_script_adds_nothing_of_its_own_to_a_refusal(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("forges.py", FORGED)
    reply = await client.post("/tools/forges")
    error = reply.json()["error"]
    assert (reply.status_code, error["code"], error["permission"], error["file"]) == (
        403,
        "permission_denied",
        "read",
        "forges.py",
    )
    assert "retry_after" not in error
