"""No secret that any test uses is anywhere in what any server of the whole suite answered or wrote. Runs last."""

import json
import os
import re
import subprocess
from pathlib import Path

import anyio
import httpx2
import mcp
import pytest

from tests.conftest import WriteTool
from tests.granting import asking
from tests.recording.sitecustomize import FOLDER
from tests.secrecy import forms, secret, secrets
from tests.server import SCRIPTOOL, serving

ROOT = Path(__file__).parent
SHOWN = secret("shown-on-purpose-31d7")
KEPT = secret("kept 'from' \\ everybody/é-8c1e")
WORDS = re.compile(r"""secrets\.toml|["']password["']|writeOnly|SCRIPTOOL_TOKEN""")
HAVE_NONE = {
    "scriptool/test_mask.py": "starts no server",
    "scriptool/test_token.py": "starts no server",
    "scriptool/test_permission.py": "gives no secret a value",
    "scriptool/test_files.py": "gives one a value of one letter",
    "scriptool/test_prompts.py": "asks for one that nobody gives",
}
ERAS = ("legacy", "2026-07-28")

TELLS = """
import asyncio, base64, json, logging, urllib.parse
secret = args.get("password") or ctx.secret("KEPT")
print("plain", secret, json.dumps([secret]), repr(secret), urllib.parse.quote(secret, safe=""))
print(base64.b64encode(secret.encode()).decode())
ctx.log.error("log " + secret, field=secret, nested={"deep": [secret]})
ctx.progress(1, 2, secret)
ctx.meta(key=secret)
logging.getLogger("x").warning("logged %s", secret)
try:
    ctx.call("fails", text=secret)
except ToolError as error:
    print(error, error.details)
try:
    ctx.files.read_text("/" + secret)
except Exception as error:
    print(error)
try:
    ctx.http.get("http://127.0.0.1:1/" + urllib.parse.quote(secret))
except Exception as error:
    print(error)
raise ToolError("bad " + secret, detail=secret)
"""


def found(words: list[str], *places: Path) -> list[str]:
    """Give the files under *places* that hold any of the *words*."""
    command = ["grep", "--recursive", "--files-with-matches", "--text", "--fixed-strings", "--file=-"]
    command += map(str, places)
    searched = subprocess.run(command, input="\n".join(words), capture_output=True, text=True, check=False)
    assert searched.stderr == ""
    return searched.stdout.splitlines()


def test_every_test_that_uses_secrets_makes_them_known() -> None:
    using = {str(path.relative_to(ROOT)) for path in ROOT.rglob("test_*.py") if WORDS.search(path.read_text())}
    unknown = {name for name in using if "tests.secrecy import" not in (ROOT / name).read_text()}
    assert unknown - HAVE_NONE.keys() == set()


def recorded() -> Path:
    return Path(os.environ[FOLDER])


async def test_an_answer_is_recorded_of_a_process_and_of_the_suite_itself(
    client: httpx2.AsyncClient, folder: Path, write_tool: WriteTool
) -> None:
    write_tool("show.py", "return args['text']")
    with serving(folder) as server:
        assert server.call("show", text=SHOWN)["result"] == SHOWN
    await client.post("/tools/show", json={"text": SHOWN})
    records = found([SHOWN], recorded())
    for name in records:
        os.unlink(name)
    mine = f"{os.getpid()}-"
    assert sorted(os.path.basename(name).startswith(mine) for name in records) == [False, True]


@pytest.fixture(scope="module")
def telling(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Give a folder whose tools tell a secret in every way they can, and how to serve it."""
    work = tmp_path_factory.mktemp("telling")
    head = '# inputs.password = {type = "string", format = "password"}\n# inputs.api = {type = "string"}\n'
    granted = {"secrets": ["KEPT"], "tools": ["fails"], "net": ["127.0.0.1"], "read": ["."]}
    (work / "tools").mkdir()
    (work / "tools/tells.py").write_text(asking(TELLS, head=head, **granted))
    (work / "tools/fails.py").write_text("print(args['text'])\nraise ToolError('nested ' + args['text'])")
    (work / "secrets.toml").write_text(f"KEPT = {json.dumps(KEPT, ensure_ascii=False)}\n")
    (work / "secrets.toml").chmod(0o600)
    (work / "scriptool.toml").write_text("")
    allowed = ("secrets=KEPT", "tools=*", "net=127.0.0.1", "read=.")
    options = ["--config", str(work / "scriptool.toml"), *(word for one in allowed for word in ("--allow", one))]
    return work / "tools", options


@pytest.mark.timeout(60)
@pytest.mark.parametrize("args", [{}, {"password": KEPT}], ids=["secret", "password"])
async def test_a_tool_that_tells_its_secret_everywhere_tells_nobody(
    telling: tuple[Path, list[str]], args: dict[str, str]
) -> None:
    folder, options = telling
    heard: list[str] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        heard.append(str(message))

    with serving(folder, *options, "--log-level", "debug") as server:
        async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
            async with client.stream("GET", "/events") as events:
                heard.append((await client.post("/tools/tells", json=args)).text)
                stream = {"accept": "text/event-stream"}
                heard.append((await client.post("/tools/tells", json=args, headers=stream)).text)
                job = await client.post("/tools/tells?wait=0", json=args)
                heard.append((await client.get(f"{job.headers['location']}?wait=20")).text)
                async for line in events.aiter_lines():
                    heard.append(line)
                    if '"tells"' in line:
                        break
            pages = ("state", "errors", "calls", "tools/tells")
            heard += [(await client.get(f"/debug/{page}")).text for page in pages]
        for era in ERAS:
            async with mcp.Client(f"{server.url}/mcp", mode=era) as agent:
                heard.append((await agent.call_tool("tells", args, progress_callback=progressed)).model_dump_json())
                heard.append((await agent.read_resource("scriptool://calls")).model_dump_json())
    command = [str(SCRIPTOOL), "call", str(folder), "tells", *options, "--json", json.dumps(args)]
    done = await anyio.run_process(command, check=False)
    heard += [done.stdout.decode(), done.stderr.decode()]
    assert sum("plain ***" in text for text in heard) >= 8
    assert [text for text in heard if any(form in text for form in ("everybody", *forms(KEPT)))] == []


@pytest.mark.timeout(300)
def test_no_secret_of_the_whole_suite_was_answered_or_written() -> None:
    every = [form for text in sorted(secrets()) for form in forms(text)]
    assert found(every, recorded()) == []
