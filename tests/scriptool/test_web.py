"""The guard around every route, and serving on a real port."""

import asyncio
import json

import anyio
import httpx2
import pytest
from starlette.routing import Route

from scriptool import web
from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.facades.guard import Admission
from tests.conftest import WriteTool
from tests.recording.sitecustomize import recorded
from tests.secrecy import secret

TOKEN = secret("correct-horse-battery")
ROUTES = [
    "/",
    "/health",
    "/tools",
    "/tools/add",
    "/openapi.json",
    "/mcp",
    "/debug/state",
    "/debug/errors",
    "/metrics",
    "/nothing",
]


@pytest.mark.parametrize("path", ROUTES)
async def test_every_route_refuses_another_host(client: httpx2.AsyncClient, path: str) -> None:
    reply = await client.get(path, headers={"host": "evil.example.com"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden_host")
    assert reply.json()["error"]["hint"].endswith("--allow-host evil.example.com.")


@pytest.mark.parametrize("path", ROUTES)
async def test_every_route_refuses_a_page_from_elsewhere(client: httpx2.AsyncClient, path: str) -> None:
    reply = await client.get(path, headers={"origin": "http://evil.example.com"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden_host")
    assert reply.json()["error"]["hint"].endswith("--allow-origin http://evil.example.com.")


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://localhost:1",
        "http://127.0.0.1.evil.example",
        "file://",
        "http://[::1",
        "http://x@127.0.0.1:8750",
        "http://127.0.0.1:8750/x",
    ],
)
async def test_only_our_own_pages_may_call(client: httpx2.AsyncClient, origin: str) -> None:
    assert (await client.get("/tools", headers={"origin": origin})).status_code == 403
    own = await client.get("/tools", headers={"origin": "http://127.0.0.1:8750"})
    assert (own.status_code, "access-control-allow-origin" in own.headers) == (200, False)


@pytest.mark.parametrize(
    ("served", "host", "admitted"),
    [
        ("127.0.0.1", "localhost:8750", True),
        ("127.0.0.1", "[::1]:8750", True),
        ("127.0.0.1", "192.168.1.5", False),
        ("127.0.0.1", "tools.example:443", True),
        ("127.0.0.1", "127.0.0.1.evil.example", False),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "localhost/..", False),
        ("127.0.0.1", "localhost?.evil.example", False),
        ("127.0.0.1", "[::1]evil", False),
        ("127.0.0.1", "[::1", False),
        ("127.0.0.1", "evil.example@localhost", False),
        ("127.0.0.1", "LOCALHOST.:80", True),
        ("0.0.0.0", "192.168.1.5:8750", True),
        ("0.0.0.0", "evil.example", False),
        ("box.local", "box.local:8750", True),
    ],
)
def test_a_host_is_ours_by_loopback_address_or_name(served: str, host: str, admitted: bool) -> None:
    admission = Admission(served, hosts=("tools.example",))
    assert admission._is_ours(host) == admitted


async def test_a_named_origin_may_read_the_answers(app: App) -> None:
    app.settings = app.settings.model_copy(update={"allowed_origins": ("http://page.example",)})
    transport = httpx2.ASGITransport(web.build(app))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        asked = await client.options("/mcp", headers={"origin": "http://page.example"})
        assert (asked.status_code, asked.headers["access-control-allow-origin"]) == (200, "http://page.example")
        read = await client.get("/tools", headers={"origin": "http://page.example"})
        assert read.headers["access-control-allow-origin"] == "http://page.example"
        assert read.headers["vary"] == "Origin"


async def test_with_a_token_strangers_learn_only_that_the_server_is_there(app: App) -> None:
    app.settings = app.settings.model_copy(update={"token": TOKEN})
    transport = httpx2.ASGITransport(recorded(web.build(app)), client=("192.0.2.7", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for path in ROUTES:
            if path != "/health":
                refused = await client.get(path)
                assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        wrong = await client.get("/tools", headers={"authorization": "Bearer correct-horse"})
        assert wrong.json()["error"]["code"] == "unauthorized"
        assert (await client.get("/health")).json() == {"ok": True}
        client.headers["authorization"] = f"Bearer {TOKEN}"
        assert (await client.get("/tools")).status_code == 200
        assert "definitionsDir" in (await client.get("/health")).json()


async def test_a_caller_that_asks_too_often_is_told_when_to_come_again(app: App) -> None:
    app.settings = app.settings.model_copy(update={"rate": 0.25})
    transport = httpx2.ASGITransport(web.build(app))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.post("/tools/none")).status_code == 404
        for path in ("/tools/none", "/mcp"):
            refused = await client.post(path)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "4")
        assert (await client.get("/tools")).status_code == 200


async def test_a_failure_of_ours_is_answered_and_logged_under_one_id(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    application = web.build(app)

    async def fail(_request: object) -> None:
        raise KeyError("secret detail")

    application.router.routes.insert(0, Route("/fail", fail))
    transport = httpx2.ASGITransport(application)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        reply = await client.get("/fail")
    error = reply.json()["error"]
    assert (reply.status_code, error["code"], "secret" in reply.text) == (500, "internal_error", False)
    assert f"({error['call_id']})" in caplog.text


async def test_space_around_a_header_does_not_count(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/tools", headers={"host": " 127.0.0.1:8750\t"})).status_code == 200


async def test_a_served_app_is_reached_on_its_port(url: str, write_tool: WriteTool) -> None:
    write_tool("one.py", "return 1")
    async with httpx2.AsyncClient(base_url=url) as client:
        assert (await client.post("/tools/one")).json()["result"] == 1


async def test_a_client_that_hangs_up_while_it_hears_of_its_call_ends_it(
    url: str, app: App, write_tool: WriteTool
) -> None:
    write_tool("slow.py", "print('begun')\nwhile True: pass")
    headers = {"accept": "text/event-stream"}
    async with (
        httpx2.AsyncClient(base_url=url, headers=headers) as client,
        client.stream("POST", "/tools/slow") as reply,
    ):
        async for line in reply.aiter_lines():
            if "begun" in line:
                break
    await cancelled(app)


async def test_a_client_that_waits_for_a_job_may_hang_up(url: str, app: App, write_tool: WriteTool) -> None:
    write_tool("slow.py", "while True: pass")
    job = app.jobs.start(Call("slow", {}, Caller("test")))
    where = httpx2.URL(url)
    async with await anyio.connect_tcp(where.host, where.port or 0) as stream:
        await stream.send(f"GET /jobs/{job.id}?wait=60 HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        while not waits_for_a_job():
            await anyio.lowlevel.checkpoint()
    while waits_for_a_job():
        await anyio.lowlevel.checkpoint()
    assert job.state == "running"


def waits_for_a_job() -> bool:
    """Say whether a request is being worked on, as uvicorn names it."""
    return any("RequestResponseCycle.run_asgi" in str(task.get_coro()) for task in asyncio.all_tasks())


@pytest.mark.parametrize("path", ["/tools/slow", "/tools/slow?wait=60"])
async def test_a_client_that_hangs_up_before_it_has_an_answer_ends_its_call(
    url: str, app: App, write_tool: WriteTool, path: str
) -> None:
    write_tool("slow.py", "while True: pass")
    async with httpx2.AsyncClient(base_url=url) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.post, path)
        with anyio.fail_after(10):
            while not app.sandbox.report()["running"]:
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    await cancelled(app)


async def cancelled(app: App) -> None:
    """Wait until the call of `slow` has ended, and see that it was ended."""
    with anyio.fail_after(10):
        while not app.history.recent("slow"):
            await anyio.lowlevel.checkpoint()
    assert app.history.recent("slow")[0]["error"]["code"] == "cancelled"


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, True),
        ({"x-forwarded-for": "192.0.2.7"}, False),
        ({"cf-connecting-ip": "192.0.2.7"}, False),
        ({"host": "tools.example"}, False),
    ],
)
async def test_where_things_lie_is_told_to_this_machine_itself(app: App, headers: dict[str, str], told: bool) -> None:
    app.settings = app.settings.model_copy(update={"token": TOKEN, "allowed_hosts": ("tools.example",)})
    transport = httpx2.ASGITransport(recorded(web.build(app)), client=("127.0.0.1", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        health = (await client.get("/health", headers=headers)).json()
    assert ("definitionsDir" in health) is told


async def test_a_client_that_hangs_up_in_its_body_is_no_fault_of_ours(
    url: str, write_tool: WriteTool, caplog: pytest.LogCaptureFixture
) -> None:
    write_tool("one.py", "return 1")
    where = httpx2.URL(url)
    head = b"POST /tools/one HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    for rest in (b"content-length: 100\r\n\r\n{", b"transfer-encoding: chunked\r\n\r\n3\r\n{"):
        async with await anyio.connect_tcp(where.host, where.port or 0) as stream:
            await stream.send(head + rest)
    async with httpx2.AsyncClient(base_url=url) as client:
        assert (await client.post("/tools/one")).json()["result"] == 1
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_body_over_the_limit_is_answered_on_a_real_connection(url: str) -> None:
    async with httpx2.AsyncClient(base_url=url) as client:
        reply = await client.post("/tools/one", content=b" " * 9_000_000, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "request_too_large")


async def test_a_call_that_outlasts_the_grace_is_told_that_the_server_stops(app: App, write_tool: WriteTool) -> None:
    write_tool("slow.py", "while True: pass")
    app.settings = app.settings.model_copy(update={"port": 0})
    said: list[str] = []
    ready, replies = anyio.Event(), list[httpx2.Response]()

    def announce(line: str) -> None:
        said.append(line)
        ready.set()

    async def call() -> None:
        await ready.wait()
        async with httpx2.AsyncClient() as client:
            replies.append(await client.post(said[0].split()[-1] + "/slow", timeout=20))

    async with anyio.create_task_group() as calling:
        calling.start_soon(call)
        async with anyio.create_task_group() as serving:
            serving.start_soon(lambda: web.serve(app, announce, grace=0.1))
            while not app.sandbox.report()["running"]:
                await anyio.lowlevel.checkpoint()
            serving.cancel_scope.cancel()
    assert (replies[0].status_code, replies[0].json()["error"]["code"]) == (503, "shutting_down")
    assert "retry-after" in replies[0].headers


async def test_a_body_that_is_still_coming_is_told_that_the_server_stops(app: App) -> None:
    app.settings = app.settings.model_copy(update={"port": 0})
    said, answer = list[str](), b""
    ready, stopping = anyio.Event(), anyio.Event()

    def announce(line: str) -> None:
        said.append(line)
        ready.set()

    async def post() -> None:
        nonlocal answer
        await ready.wait()
        where = httpx2.URL(said[0].split()[-1])
        async with await anyio.connect_tcp(where.host, where.port or 0) as stream:
            await stream.send(b"POST /tools/one HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n")
            await stream.send(b"content-length: 100\r\nexpect: 100-continue\r\n\r\n")
            assert b"100 Continue" in await stream.receive()
            stopping.set()
            async for part in stream:
                answer += part

    async with anyio.create_task_group() as calling:
        calling.start_soon(post)
        async with anyio.create_task_group() as serving:
            serving.start_soon(lambda: web.serve(app, announce, grace=0.1))
            await stopping.wait()
            serving.cancel_scope.cancel()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert (head.split()[1], json.loads(body)["error"]["code"]) == (b"503", "shutting_down")
