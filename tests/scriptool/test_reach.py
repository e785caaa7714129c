"""Scripts that reach out: requests and files under the names authors know, through the whole server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scriptool.app import App
from scriptool.settings import Settings
from tests.conftest import CallTool, WriteTool
from tests.granting import allowing, asking
from tests.loopback import Loopback, loopback


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return allowing(settings, "net=127.0.0.1", "read=*", "write=*")


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as one:
        yield one


REQUESTS = {
    "ctx": 'r = ctx.http.post(url + "/echo", params={"q": ["a b", 1]}, json={"x": 1}, headers={"X-Mine": "y"})',
    "httpx": (
        'import httpx\nr = httpx.post(url + "/echo", params={"q": ["a b", 1]}, json={"x": 1}, headers={"X-Mine": "y"})'
    ),
    "requests": (
        'import requests\nr = requests.post(url + "/echo", None, {"x": 1}, params={"q": ["a b", 1]}, '
        'headers={"X-Mine": "y"})'
    ),
    "client": (
        "import httpx\nwith httpx.Client(base_url=url, headers={'X-Mine': 'y'}, params={'q': ['a b', 1]}) as client:\n"
        "    r = client.post('/echo', json={'x': 1})"
    ),
    "session": (
        "import requests\nsession = requests.Session()\nsession.headers.update({'x-mine': 'y'})\n"
        "session.params = {'q': ['a b', 1]}\nr = session.post(url + '/echo', json={'x': 1})"
    ),
}


@pytest.mark.parametrize("how", REQUESTS)
async def test_a_request_is_made_under_every_name(
    call: CallTool, write_tool: WriteTool, server: Loopback, how: str
) -> None:
    text = f'url = args["url"]\n{REQUESTS[how]}\nr.raise_for_status()\nreturn r.json()'
    write_tool("send.py", asking(text, net=["127.0.0.1"]))
    result = await call("send", url=server.url(""))
    assert result.error is None
    arrived = result.value
    assert (arrived["method"], arrived["path"], arrived["body"]) == ("POST", "/echo", '{"x": 1}')
    assert server.received[0].url.query == "q=a+b&q=1"
    assert (arrived["headers"]["x-mine"], arrived["headers"]["content-type"]) == ("y", "application/json")


ASYNC = """
import asyncio
import httpx

async def main(url: str) -> list[str]:
    async with httpx.AsyncClient(base_url=url, timeout=httpx.Timeout(5, connect=2)) as client:
        mine = await asyncio.gather(*(client.get("/meet?of=6") for _ in range(3)), *(get(url) for _ in range(3)))
        async with client.stream("GET", "/chunked") as response:
            text = [line async for line in response.aiter_lines()]
    return [answer.text for answer in mine] + text

async def get(url):
    return await ctx.http.get(url + "/meet?of=6")
"""


async def test_async_requests_of_one_script_run_at_once(
    call: CallTool, write_tool: WriteTool, server: Loopback
) -> None:
    write_tool("many.py", asking(ASYNC, net=["127.0.0.1"]))
    result = await call("many", url=server.url(""))
    assert result.value == ["6"] * 6 + ["one two"]


async def test_more_requests_than_are_made_at_once_all_get_an_answer(
    call: CallTool, write_tool: WriteTool, server: Loopback
) -> None:
    text = (
        "import asyncio\nasync def main(url: str) -> int:\n"
        '    found = await asyncio.gather(*(ctx.http.get(f"{url}/echo?n={n}") for n in range(60)))\n'
        '    return sum(int(one.json()["query"]["n"]) for one in found)'
    )
    write_tool("sum.py", asking(text, net=["127.0.0.1"]))
    assert (await call("sum", url=server.url(""))).value == sum(range(60))


FAILURES = """
import httpx, requests
found = []
for path, error in [
    ("/silent", httpx.ReadTimeout),
    ("/silent", requests.Timeout),
    ("/reset", requests.ConnectionError),
    ("/garbage", httpx.TransportError),
    ("/big", httpx.RequestError),
    ("/loop", httpx.TooManyRedirects),
]:
    try:
        ctx.http.get(args["url"] + path, timeout=0.3)
    except error as caught:
        found.append(type(caught).__name__)
for get in (httpx.get, requests.get):
    answer = get(args["url"] + "/nothing")
    try:
        answer.raise_for_status()
    except (httpx.HTTPStatusError, requests.HTTPError) as caught:
        found.append([caught.response.status_code, bool(answer), answer.text])
return found
"""


async def test_failures_are_exceptions_under_their_own_names(
    call: CallTool, write_tool: WriteTool, server: Loopback
) -> None:
    write_tool("fail.py", asking(FAILURES, net=["127.0.0.1"]))
    result = await call("fail", url=server.url(""))
    assert result.error is None
    assert result.value[:2] == ["ReadTimeout", "ReadTimeout"]
    assert result.value[4:] == ["DecodingError", "TooManyRedirects", *[[404, False, "no such page"]] * 2]


SESSION = """
import requests
from requests.auth import HTTPBasicAuth
with requests.Session() as session:
    session.auth = HTTPBasicAuth("me", "pass")
    first = session.get(args["url"] + "/cookie")
    second = session.get(args["url"] + "/cookie")
    away = session.get(args["away"] + "/cookie")
    files = session.post(args["url"] + "/echo", data={"a": 1}, files={"doc": ("x.txt", b"bytes", "text/plain")})
latin = requests.get(args["url"] + "/latin")
replaced = latin.text
latin.encoding = "latin-1"
return {
    "auth": files.json()["headers"]["authorization"],
    "cookies": [first.text, second.text, away.text],
    "kept": dict(session.cookies),
    "body": files.json()["body"].replace("\\r\\n", "|"),
    "latin": [replaced, latin.text],
    "not followed": requests.get(args["url"] + "/redirect?to=/echo", allow_redirects=False).status_code,
    "history": [hop.status_code for hop in requests.get(args["url"] + "/redirect?to=/echo").history],
}
"""


@pytest.mark.timeout(30)
async def test_a_session_keeps_cookies_for_the_server_that_set_them(
    call: CallTool, write_tool: WriteTool, server: Loopback
) -> None:
    write_tool("session.py", asking(SESSION, net=["127.0.0.1", "127.0.0.1:80"]))
    async with loopback() as other:
        result = await call("session", url=server.url(""), away=other.url("", "127.0.0.1"))
    assert result.error is None
    assert result.value["cookies"] == ["", "session=abc", "session=abc"]  # a port makes no other host of it
    assert result.value["auth"] == "Basic bWU6cGFzcw=="
    assert result.value["kept"] == {"session": "abc"}
    assert 'name="doc"; filename="x.txt"|Content-Type: text/plain||bytes|' in result.value["body"]
    assert result.value["latin"] == ["caf\ufffd \ufffd", "caf\u00e9 \u00ff"]
    assert (result.value["not followed"], result.value["history"]) == (302, [302])


@pytest.mark.parametrize(
    "option", ["verify=False", "proxies={'http': 'x'}", "auth=object()", "timeout=-1", "nonsense=1", "cert='x'"]
)
async def test_an_option_that_nothing_would_come_of_is_refused(
    call: CallTool, write_tool: WriteTool, option: str
) -> None:
    write_tool("odd.py", asking(f"import requests\nrequests.get('http://127.0.0.1', {option})", net=["127.0.0.1"]))
    error = (await call("odd")).error
    assert (error["code"], error["type"]) == ("script_runtime_error", "TypeError")
    assert option.partition("=")[0] in error["message"]


async def test_a_refusal_names_tool_permission_value_line_and_both_lines_to_add(
    call: CallTool, write_tool: WriteTool
) -> None:
    write_tool("weather.py", "import httpx\n\nreturn httpx.get('https://api.example.com/v1').json()")
    error = (await call("weather")).error
    assert (error["code"], error["tool"], error["permission"]) == ("permission_denied", "weather", "net")
    assert (error["value"], error["file"]) == ("api.example.com:443", "weather.py")
    assert error["grant"] == '# /// tool\n# permissions = {net = ["api.example.com"]}\n# ///'
    assert error["allow"] == "--allow net=api.example.com"
    assert 'permissions."weather".net = ["api.example.com"]' in error["hint"]
    assert (error["frames"][0]["line"], error["diagnostics"][0]["line"]) == (3, 3)


async def test_the_line_for_a_definition_is_json(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("a.py", "return ctx.secret('KEY')")
    write_tool("a.json", '{"name": "a", "description": "x", "kind": "script", "file": "a.py"}')
    error = (await call("a")).error
    assert error["grant"] == '"permissions": {"secrets": ["KEY"]}'


FILES = """
import os
with open("data/in.txt") as file:
    first = file.readline()
    rest = [line.strip() for line in file]
with open("out/made/x.txt", "w", encoding="utf-16") as file:
    print("ä", 1, file=file)
    file.write("end")
open("out/log.txt", "a").write("one\\n")
with open("out/log.txt", "a") as log:
    log.write("two\\n")
with open("out/raw.bin", "wb") as raw:
    raw.write(b"\\x00\\x01")
    raw.flush()
    raw.seek(0)
    raw.write(b"\\x02")
with open("out/raw.bin", "r+b") as raw:
    raw.seek(0, os.SEEK_END) if hasattr(os, "SEEK_END") else raw.seek(0, 2)
    raw.write(b"\\xff")
errors = []
for path, mode in [("data/none.txt", "r"), ("out/log.txt", "x"), ("data", "r"), ("data/in.txt", "w"), ("x.py", "r")]:
    try:
        open(path, mode)
    except OSError as error:
        errors.append(type(error).__name__)
try:
    open("data/in.txt").write("x")
except OSError as error:
    errors.append(str(error))
ctx.files.delete("out/log.txt") if args["delete"] else None
return [first, rest, errors, ctx.files.read_text("out/made/x.txt", "utf-16"), ctx.files.list("out"),
        [ctx.files.exists(name) for name in ("data/in.txt", "out/none")]]
"""


async def test_open_and_files_behave_as_authors_expect(call: CallTool, write_tool: WriteTool, folder: Path) -> None:
    write_tool("data/in.txt", "first\nsecond\nthird")
    write_tool("files.py", asking(FILES, read=["data/", "out/"], write=["out/"]))
    result = await call("files", delete=False)
    assert result.error is None
    first, rest, errors, text, listed, exist = result.value
    assert (first, rest, text) == ("first\n", ["second", "third"], "ä 1\nend")
    denied = "PermissionDenied"
    assert errors == ["FileNotFoundError", "FileExistsError", "IsADirectoryError", denied, denied, "not writable"]
    assert (listed, exist) == (["log.txt", "made/", "raw.bin"], [True, False])
    assert (folder / "out/log.txt").read_text() == "one\ntwo\n"
    assert (folder / "out/raw.bin").read_bytes() == b"\x02\x01\xff"


@pytest.mark.parametrize("path", [".", "./", "..", "sub/", "lib", "lib/inner/", "sub/deeper", "out/../", "/"])
async def test_a_write_grant_over_tools_is_refused_at_load(app: App, write_tool: WriteTool, path: str) -> None:
    write_tool("bad.py", asking("return 1", write=[path]))
    tool = (await app.library.fresh()).tools["bad"]
    assert tool.blocked is not None
    assert tool.blocked.code == "definition_error"
    assert [one["path"] for one in tool.blocked.details["problems"]] == ["/permissions/write/0"]
    assert "no tool may write tools" in tool.blocked.message


@pytest.mark.parametrize("path", ["out/", "data/x", "_drafts/", "sub/out/deeper", "/srv/reports"])
async def test_a_write_grant_elsewhere_is_not(app: App, write_tool: WriteTool, path: str) -> None:
    write_tool("good.py", asking("return 1", write=[path]))
    assert (await app.library.fresh()).tools["good"].blocked is None


WRITES = 'ctx.files.write_text(args["path"], "return 666")'


async def test_no_script_can_write_a_tool(call: CallTool, write_tool: WriteTool, folder: Path) -> None:
    """A link makes a folder searched that is not by its name, and a definition names a script in `out/`."""
    write_tool("out/tools/there.py", "return 1")
    (folder / "linked").symlink_to(folder / "out/tools")
    write_tool("named.json", '{"name": "named", "description": "x", "kind": "script", "file": "out/named.py"}')
    write_tool("writer.py", asking(WRITES, write=["out/"]))
    assert (await call("writer", path="out/free.py")).error is None
    for path in ("out/tools/there.py", "out/tools/new.py", "out/named.py"):
        error = (await call("writer", path=path)).error
        assert (error["code"], path in error["message"]) == ("permission_denied", True)
    assert (await call("there")).value == 1


async def test_a_script_that_asks_for_something_is_not_read_only(app: App, write_tool: WriteTool) -> None:
    write_tool("plain.py", "return 1")
    write_tool("asks.py", asking("return 1", net=["x.example"]))
    tools = (await app.library.fresh()).tools
    assert tools["plain"].annotations() | {"idempotentHint": False} == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": False,
    }
    hints = tools["asks"].annotations()
    assert (hints["readOnlyHint"], hints["openWorldHint"]) == (False, True)
    assert tools["asks"].listing()["permissions"] == {"net": ["x.example"]}


async def test_a_host_with_a_scheme_is_a_definition_error(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("bad.py", asking("return 1", net=["https://api.example.com/v1"]))
    error = (await call("bad")).error
    assert error["code"] == "definition_error"
    assert error["problems"][0]["path"] == "/permissions/net/0"


MIXED = """
import asyncio
import requests

async def main(url: str) -> list:
    found = []
    try:
        await asyncio.wait_for(ctx.http.get(url + "/silent"), 0.1)
    except asyncio.TimeoutError:
        found.append("gave up")
    waiting = asyncio.create_task(ctx.http.get(url + "/meet?of=2"))
    await asyncio.sleep(0)
    found.append(requests.get(url + "/echo").status_code)
    found += [answer.text for answer in await asyncio.gather(ctx.http.get(url + "/meet?of=2"), waiting)]
    return found
"""


async def test_an_answer_nobody_waits_for_any_more_confuses_nothing(
    call: CallTool, write_tool: WriteTool, server: Loopback
) -> None:
    write_tool("mixed.py", asking(MIXED, net=["127.0.0.1"]))
    result = await call("mixed", url=server.url(""))
    assert (result.error, result.value) == (None, ["gave up", 200, "2", "2"])


@pytest.mark.parametrize(
    "text",
    [
        "return ctx.http._asking",
        "return ctx.files._asking",
        "import httpx\nclass Mine(httpx.Client): pass",
        "import httpx\nreturn httpx.Client()._asking",
        "import requests\nreturn getattr(requests.Session(), '_asking')",
        "with open('data/in.txt') as file:\n    return file._save",
        "return '{0._asking}'.format(ctx.http)",
        "import operator\nreturn operator.attrgetter('_asking')(ctx.http)",
    ],
)
async def test_nothing_of_the_way_to_the_parent_can_be_had(call: CallTool, write_tool: WriteTool, text: str) -> None:
    write_tool("data/in.txt", "x")
    write_tool("reach.py", asking(text, read=["data/"]))
    error = (await call("reach")).error
    assert error["code"] in ("script_compile_error", "script_runtime_error")
    assert error.get("type") in (None, "AttributeError", "TypeError")


async def test_only_scripts_ask_for_permissions(call: CallTool, write_tool: WriteTool) -> None:
    steps = '"steps": [{"id": "a", "tool": "x"}]'
    head = '"name": "chain", "description": "x", "kind": "sequence", "permissions": {"net": ["a.example"]}'
    write_tool("x.py", "return 1")
    write_tool("chain.json", f"{{{head}, {steps}}}")
    error = (await call("chain")).error
    assert (error["code"], error["problems"][0]["path"]) == ("definition_error", "/permissions")


FLOOD = """
import asyncio

async def main(url: str) -> list:
    found = await asyncio.gather(*(ctx.http.get(f"{url}/echo?n={n}") for n in range(200)))
    for _ in range(90):
        try:
            await asyncio.wait_for(ctx.http.get(url + "/silent", timeout=0.3), 0.001)
        except asyncio.TimeoutError:
            pass
    big = await asyncio.gather(*(ctx.http.post(url + "/echo", content=b"x" * 1_500_000) for _ in range(12)))
    return [len(found), len(big)]
"""


@pytest.mark.timeout(60)
async def test_a_script_may_ask_for_more_at_once_than_the_parent_takes(
    call: CallTool, write_tool: WriteTool, server: Loopback
) -> None:
    write_tool("flood.py", asking(FLOOD, net=["127.0.0.1"]))
    result = await call("flood", url=server.url(""))
    assert (result.error, result.value) == (None, [200, 12])
