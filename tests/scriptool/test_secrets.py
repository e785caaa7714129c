"""Secrets: given to those who were granted them, and nowhere else to be found."""

import asyncio
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.log import Format, Level, set_up
from scriptool.questions import Question
from scriptool.settings import Settings
from tests.conftest import CallTool, WriteTool
from tests.granting import allowing, asking
from tests.secrecy import forms, secret

TOKEN = secret('tok-"7/ä 42')
FROM_FILE = secret("filed-secret-99")
OF_THE_SERVER = secret("the-servers-own")


@pytest.fixture
def settings(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("API_TOKEN", TOKEN)
    monkeypatch.setenv("SCRIPTOOL_TOKEN", OF_THE_SERVER)
    (tmp_path / "secrets.toml").write_text(f'FILED = "{FROM_FILE}"\n')
    files = {"secret_files": (tmp_path / "secrets.toml",)}
    allowed = (
        "secrets=API_TOKEN",
        "secrets=FILED",
        "secrets=UNSET",
        "secrets=SCRIPTOOL_TOKEN",
        "tools=*",
        "net=127.0.0.1",
    )
    return allowing(settings.model_copy(update=files), *allowed)


GETS = """
import os
return [ctx.secret("API_TOKEN") == args["token"], os.environ["FILED"] == args["filed"], "UNSET" in os.environ,
        os.getenv("HOME", "none"), os.environ.get("NOT_ASKED")]
"""


async def test_secrets_come_from_the_environment_or_the_file(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("gets.py", asking(GETS, secrets=["API_TOKEN", "FILED", "UNSET"]))
    result = await call("gets", token=TOKEN, filed=FROM_FILE)
    assert result.value == [True, True, False, "none", None]
    assert any("gets may not know the secret 'HOME'" in warning for warning in result.warnings)


async def test_a_new_value_in_the_file_counts_at_the_next_call(
    call: CallTool, write_tool: WriteTool, tmp_path: Path
) -> None:
    write_tool("size.py", asking("return len(ctx.secret('FILED'))", secrets=["FILED"]))
    assert (await call("size")).value == len(FROM_FILE)
    (tmp_path / "secrets.toml").write_text('FILED = "another"\n')
    assert (await call("size")).value == len("another")


@pytest.mark.parametrize("name", ["UNSET", "SCRIPTOOL_TOKEN"])
async def test_a_secret_without_a_value_says_who_sets_it_where(
    call: CallTool, write_tool: WriteTool, name: str
) -> None:
    write_tool("gets.py", asking(f"return ctx.secret('{name}')", secrets=[name]))
    error = (await call("gets")).error
    assert error["message"] == f"gets was granted the secret '{name}', but it has no value."
    assert error["hint"] == "The operator sets it in the server's environment or secrets.toml."


async def test_a_secret_is_given_only_to_those_who_were_granted_it(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("asks.py", asking("return ctx.secret('OTHER')", secrets=["OTHER"]))
    write_tool("takes.py", "return ctx.secret('API_TOKEN')")
    asks, takes = (await call("asks")).error, (await call("takes")).error
    assert (asks["code"], "allow" in asks, "grant" in asks) == ("permission_denied", True, False)
    assert (takes["code"], "allow" in takes, "grant" in takes) == ("permission_denied", False, True)


LEAKS = """
import base64, json, logging, urllib.parse
secret = ctx.secret("API_TOKEN")
print("plain", secret, "in a line")
print(json.dumps({"a": secret}), repr(secret), urllib.parse.quote(secret, safe=""))
print(base64.b64encode(secret.encode()).decode())
ctx.log.warning("log " + secret, field=secret, nested={"deep": [secret]})
ctx.progress(1, 2, secret)
logging.getLogger("x").warning("logged %s", secret)
try:
    ctx.call("fails", text=secret)
except ToolError as error:
    print(error, error.details)
if args["how"] == "raise":
    raise ValueError(secret)
if args["how"] == "tool_error":
    raise ToolError("bad " + secret, detail=secret)
if args["how"] == "url":
    ctx.http.get("http://127.0.0.1:1/?key=" + secret)
if args["how"] == "host":
    ctx.http.get("http://" + base64.b16encode(secret.encode()).decode() + ".test/" + secret)
return len(secret)
"""


@pytest.mark.timeout(60)
@pytest.mark.parametrize("how", ["return", "raise", "tool_error", "url", "host"])
async def test_secrets_are_nowhere_in_what_the_server_says(
    app: App, client: httpx2.AsyncClient, write_tool: WriteTool, how: str
) -> None:
    write_tool("leaks.py", asking(LEAKS, secrets=["API_TOKEN"], tools=["fails"], net=["127.0.0.1"]))
    write_tool("fails.py", "print(args['text'])\nraise ToolError('nested ' + args['text'])")
    heard: list[Any] = []
    result = await app.dispatcher.call(Call("leaks", {"how": how}, Caller("test")), lambda *told: heard.append(told))
    said = [json.dumps(result.to_json(), ensure_ascii=False), repr(heard), json.dumps(app.history.recent())]
    pages = ("/debug/calls", "/debug/errors", "/debug/state", "/tools", "/debug/tools/leaks", "/health")
    said += [(await client.get(path)).text for path in pages]
    said.append((await client.post("/tools/leaks", json={"how": how})).text)
    assert "plain *** in a line" in said[0]
    assert [form for form in forms(TOKEN) for text in said if form in text] == []


async def test_a_secret_that_stands_in_a_script_is_masked_on_the_debug_pages(
    client: httpx2.AsyncClient, call: CallTool, write_tool: WriteTool
) -> None:
    write_tool("gets.py", asking("return len(ctx.secret('FILED'))", secrets=["FILED"]))
    write_tool("tells.py", f"key = '{FROM_FILE}'\nreturn key.nothing")
    await call("gets")
    await call("tells")
    page = (await client.get("/debug/tools/tells")).json()
    assert page["source"] == "key = '***'\nreturn key.nothing"
    assert FROM_FILE not in json.dumps(page)


async def test_secrets_are_masked_in_the_log_of_the_server(
    settings: Settings, write_tool: WriteTool, capsys: pytest.CaptureFixture[str]
) -> None:
    before = logging.getLogger().handlers, logging.getLogger().level
    set_up(Level.debug, Format.json)
    write_tool("gets.py", asking("ctx.secret('API_TOKEN')\nreturn 1", secrets=["API_TOKEN"]))
    try:
        async with App(settings) as app:
            await app.dispatcher.call(Call("gets", {}, Caller("test")))
            logging.getLogger("scriptool").error("it says %s", TOKEN)
            try:
                raise ValueError(TOKEN)
            except ValueError:
                logging.getLogger("scriptool").exception("a bug")
    finally:
        logging.basicConfig(level=before[1], handlers=before[0], force=True)
    logged = capsys.readouterr().err
    assert "it says ***" in logged
    assert "ValueError: ***" in logged
    assert [form for form in forms(TOKEN) if form in logged] == []


HUNTER = secret("hunter2-hunter2")
PASSWORD = '# inputs.code = {type = "string", format = "password"}\n'


async def test_password_inputs_are_masked_in_what_nested_calls_leave_behind(app: App, write_tool: WriteTool) -> None:
    text = "print(args['code'])\nreturn ctx.call('inner', text='code ' + args['code'])"
    write_tool("outer.py", asking(text, head=PASSWORD, tools=["inner"]))
    write_tool("inner.py", "print(args['text'])\nreturn 1")
    result = await app.dispatcher.call(Call("outer", {"code": HUNTER}, Caller("test")))
    assert (result.value, result.output) == (1, "***\n")
    outer, inner = app.history.recent()
    assert (outer["tool"], inner["tool"]) == ("outer", "inner")
    assert "hunter2" not in json.dumps([inner, outer])


ASKS = """
ctx.ask(f"Use {ctx.secret('API_TOKEN')}?", {"x": {"type": "string", "title": f"in {ctx.secret('API_TOKEN')}"}})
return 1
"""


async def test_what_a_person_is_asked_has_no_secret_in_it(app: App, write_tool: WriteTool) -> None:
    asked: list[Any] = []

    class Person:
        abilities: Mapping[str, Any] = {"elicitation": True}

        async def answer(self, questions: Mapping[str, Question]) -> Mapping[str, Any]:
            asked.extend((one.message, one.schema) for one in questions.values())
            return {name: {"action": "decline"} for name in questions}

    write_tool("asks.py", asking(ASKS, secrets=["API_TOKEN"]))
    await app.dispatcher.call(Call("asks", {}, Caller("test")), respondent=Person())
    assert asked[0][0] == "Use ***?"
    assert "in ***" in json.dumps(asked[0][1])


SLOW = """
print("begun")
while not ctx.files.exists("data/given"):
    pass
print(open("data/given").read())
return 1
"""


async def test_a_secret_given_meanwhile_is_hidden_in_what_an_earlier_call_tells(
    settings: Settings, write_tool: WriteTool, folder: Path
) -> None:
    write_tool("slow.py", asking(SLOW, read=["data/"]))
    write_tool("gives.py", asking("return len(ctx.secret('FILED'))", secrets=["FILED"]))
    heard: list[Any] = []
    begun = asyncio.Event()

    def hear(_kind: str, told: Any) -> None:
        heard.append(told)
        begun.set()

    async with App(allowing(settings, "read=*")) as app:
        early = asyncio.create_task(app.dispatcher.call(Call("slow", {}, Caller("test")), hear))
        await begun.wait()
        await app.dispatcher.call(Call("gives", {}, Caller("test")))
        write_tool("data/given", FROM_FILE)
        assert (await early).value == 1
    assert heard == ["begun\n", "***\n"]


async def test_log_lines_as_deep_as_values_may_be_are_told(call: CallTool, write_tool: WriteTool) -> None:
    nested = "x = 1\nfor _ in range({}):\n    x = [x]\nctx.log.info('deep', x=x)\nreturn 1\n"
    for depth in (196, 197, 198, 199, 200):
        write_tool("deep.py", nested.format(depth))
        result = await call("deep")
        assert (depth, result.error) == (depth, None)
