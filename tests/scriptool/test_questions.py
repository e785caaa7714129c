"""Scripts that ask whoever called them: people, models and folders, with the SDK's client in both eras."""

from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp
import pytest
from mcp import types
from mcp.client import ClientRequestContext

from sandbox import Fault
from scriptool.app import App
from scriptool.questions import NOBODY, Question, Questions, read_questions
from scriptool.settings import Settings
from tests.conftest import CallTool, WriteTool
from tests.granting import allowing, asking
from tests.respondents import ERAS, GREET, MODERN, Connect, Person, accepted, answer_of, connect, folders, model
from tests.server import SCRIPTOOL

__all__ = ["connect"]

DELETE = '# /// tool\n# destructive = true\n# ///\n"""Delete."""\nreturn "deleted"'


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return allowing(settings, "tools=greet")


async def test_a_person_is_asked_and_the_script_goes_on_with_the_answer(
    connect: Connect, write_tool: WriteTool
) -> None:
    write_tool("greet.py", GREET)
    person = Person(accepted(name="Ann"))
    async with connect(elicitation_callback=person) as client:
        result = await client.call_tool("greet", {})
    assert answer_of(result) == {"action": "accept", "ok": True, "name": "Ann", "age": 7}
    (asked,) = person.asked
    assert isinstance(asked, types.ElicitRequestFormParams)
    assert (asked.message, asked.requested_schema["required"]) == ("Who are you?", ["name"])


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_person_may_say_no(connect: Connect, write_tool: WriteTool, action: Any) -> None:
    write_tool("greet.py", GREET)
    async with connect(elicitation_callback=Person(types.ElicitResult(action=action))) as client:
        assert answer_of(await client.call_tool("greet", {})) == {"action": action, "ok": False}


async def test_an_answer_that_does_not_fit_is_asked_for_again(connect: Connect, write_tool: WriteTool) -> None:
    write_tool("greet.py", GREET)
    person = Person(accepted(name="Ann", age="old"), accepted(name="Ann", age="30"))
    async with connect(elicitation_callback=person) as client:
        assert answer_of(await client.call_tool("greet", {}))["age"] == 30
    assert len(person.asked) == 2


async def test_the_script_runs_once_however_often_it_asks(connect: Connect, app: App, write_tool: WriteTool) -> None:
    write_tool(
        "walk.py",
        'print("started")\nfor step in range(3):\n    if not ctx.ask(f"Step {step}?"):\n        break\nreturn step',
    )
    async with connect(elicitation_callback=Person(*[accepted()] * 3)) as client:
        assert answer_of(await client.call_tool("walk", {})) == 2
    (recorded,) = app.history.recent()
    assert recorded["output"] == "started\n"
    assert app.questions.open == 0


async def test_a_model_answers(connect: Connect, write_tool: WriteTool) -> None:
    write_tool("think.py", 'return ctx.sample("Think", max_tokens=9, system="Be short")')
    async with connect(sampling_callback=model) as client:
        result = await client.call_tool("think", {})
    assert result.content == [types.TextContent(type="text", text="Think 9 Be short")]


async def test_folders_are_told(connect: Connect, write_tool: WriteTool) -> None:
    write_tool("where.py", "return ctx.roots()")
    async with connect(list_roots_callback=folders) as client:
        assert answer_of(await client.call_tool("where", {})) == [{"uri": "file:///work", "name": "work"}]


async def test_several_things_are_asked_at_once(connect: Connect, write_tool: WriteTool) -> None:
    write_tool(
        "all.py",
        'told = ctx.ask_all({"who": {"ask": "Who?", "schema": {"name": {"type": "string"}}}, "ok": "Fine?", '
        '"text": {"sample": "Hi", "max_tokens": 5}, "where": {"roots": True}})\n'
        'return [told["who"]["name"], bool(told["ok"]), told["text"], len(told["where"])]',
    )
    person = Person(accepted(name="Ann"), accepted())
    able = {"elicitation_callback": person, "sampling_callback": model, "list_roots_callback": folders}
    async with connect(**able) as client:
        assert answer_of(await client.call_tool("all", {})) == ["Ann", True, "Hi 5 None", 1]


async def test_async_scripts_ask_at_the_same_time(connect: Connect, write_tool: WriteTool) -> None:
    write_tool(
        "both.py",
        "import asyncio\n"
        'one, two = await asyncio.gather(ctx.ask("One?"), ctx.ask("Two?"))\nreturn [bool(one), bool(two)]',
    )
    person = Person(accepted(), accepted())
    async with connect(elicitation_callback=person) as client:
        assert answer_of(await client.call_tool("both", {})) == [True, True]
    assert sorted(asked.message for asked in person.asked) == ["One?", "Two?"]


async def test_a_tool_called_by_another_asks_the_same_person(connect: Connect, write_tool: WriteTool) -> None:
    write_tool("greet.py", GREET)
    hurry = "# limits = {seconds = 1}\n"
    write_tool("outer.py", asking('return ctx.call("greet")["name"]', head=hurry, tools=["greet"]))
    person = Person(accepted(name="Ann"))

    async def slow(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        await anyio.sleep(1.2)  # longer than the caller's limit: the time a person takes counts for neither tool
        return await person(context, params)

    async with connect(elicitation_callback=slow) as client:
        result = await client.call_tool("outer", {})
    assert result.content == [types.TextContent(type="text", text="Ann")]


async def test_a_script_can_look_what_its_caller_can_do(connect: Connect, write_tool: WriteTool) -> None:
    write_tool(
        "look.py",
        "it = ctx.client\nreturn [it.can_ask, it.can_sample, it.can_list_roots, it.facade, it.name is not None]",
    )
    async with connect(sampling_callback=model) as client:
        assert answer_of(await client.call_tool("look", {})) == [False, True, False, "mcp", True]
    async with connect() as client:
        assert answer_of(await client.call_tool("look", {}))[:3] == [False, False, False]


async def test_a_client_that_cannot_ask_is_told_in_the_manner_of_its_era(
    connect: Connect, write_tool: WriteTool
) -> None:
    write_tool("greet.py", GREET)
    async with connect() as client:
        if client.protocol_version == MODERN:
            with pytest.raises(mcp.MCPError) as raised:
                await client.call_tool("greet", {})
            assert raised.value.error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
            assert raised.value.error.data == {"requiredCapabilities": {"elicitation": {}}}
        else:
            error = answer_of(await client.call_tool("greet", {}))
            assert (error["code"], error["capability"]) == ("cannot_ask", "elicitation")


async def test_over_http_nobody_can_be_asked(client: httpx2.AsyncClient, write_tool: WriteTool) -> None:
    write_tool("greet.py", GREET)
    answer = await client.post("/tools/greet")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["diagnostics"][0]["line"]) == (422, "cannot_ask", 1)


async def test_a_destructive_tool_has_a_person_confirm(connect: Connect, write_tool: WriteTool) -> None:
    write_tool("delete.py", DELETE)
    person = Person(accepted(confirm=True), accepted(confirm=False), types.ElicitResult(action="decline"))
    async with connect(elicitation_callback=person) as client:
        assert not (await client.call_tool("delete", {})).is_error
        for _ in range(2):
            assert answer_of(await client.call_tool("delete", {}))["code"] == "confirmation_required"
        assert not (await client.call_tool("delete", {"confirm": True})).is_error
        assert not (await client.call_tool("delete", {"dry_run": True})).is_error
    assert [asked.message for asked in person.asked] == ["delete is destructive. Really do it with {}?"] * 3
    async with connect() as client:
        assert answer_of(await client.call_tool("delete", {}))["code"] == "confirmation_required"


@pytest.mark.parametrize(
    "code",
    [
        'ctx.ask("Who?", {"name": "string"})',
        'ctx.ask("Who?", {"name": {"type": "object"}})',
        'ctx.ask_all({"a": {"ask": "x", "sample": "y"}})',
        'ctx.ask_all({"a": {"ask": "x", "colour": "red"}})',
        "ctx.ask_all({})",
        'ctx.sample("x", wisdom=1)',
        'ctx.sample([{"role": "system", "content": "x"}])',
        'ctx.sample("x", temperature="hot")',
    ],
)
async def test_a_question_that_is_none_is_an_error_of_the_script(
    connect: Connect, write_tool: WriteTool, code: str
) -> None:
    write_tool("ask.py", f"return {code}")
    async with connect(elicitation_callback=Person(), sampling_callback=model) as client:
        error = answer_of(await client.call_tool("ask", {}))
    assert (error["code"], error["diagnostics"][0]["line"]) in [("script_runtime_error", 1), ("bad_request", 1)]


async def test_only_so_many_calls_may_wait_for_an_answer() -> None:
    questions = Questions(most=1, seconds=5)
    asked, form = anyio.Event(), {"q": Question("elicitation", "?")}

    class Slow:
        abilities = {"elicitation": True}

        async def answer(self, _questions: Any) -> Any:
            asked.set()
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(questions.ask, Slow(), form)
        await asked.wait()
        with pytest.raises(Fault) as raised:
            await questions.ask(Slow(), form)
        tasks.cancel_scope.cancel()
    assert (raised.value.code, questions.open) == ("overloaded", 0)


async def test_one_client_leaves_room_for_the_questions_of_others() -> None:
    questions = Questions(most=8, seconds=5)
    form, asked = {"q": Question("elicitation", "?")}, 0

    class Slow:
        abilities = {"elicitation": True}

        async def answer(self, _questions: Any) -> Any:
            nonlocal asked
            asked += 1
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        for client in ("one", "one", "two"):
            tasks.start_soon(questions.ask, Slow(), form, client)
        while asked < 3:
            await anyio.lowlevel.checkpoint()
        with pytest.raises(Fault) as raised:
            await questions.ask(Slow(), form, "one")
        tasks.cancel_scope.cancel()
    assert raised.value.message == "2 calls of this client wait for an answer already."
    assert questions.open == 0


async def test_nobody_answers_nothing() -> None:
    for kind in ("elicitation", "sampling", "roots"):
        with pytest.raises(Fault) as raised:
            await Questions().ask(NOBODY, {"q": Question(kind)})
        assert (raised.value.code, raised.value.details["capability"]) == ("cannot_ask", kind)


@pytest.mark.parametrize(
    "payload",
    [None, {}, {"q": 1}, {"q": {"kind": "magic"}}, {"q": {"kind": "elicitation"}}, {str(n): {} for n in range(33)}],
)
def test_what_a_child_asks_is_checked(payload: Any) -> None:
    with pytest.raises(Fault) as raised:
        read_questions(payload)
    assert raised.value.code == "bad_request"


async def test_dispatching_without_a_respondent_is_as_before(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("delete.py", DELETE)
    assert (await call("delete")).error["code"] == "confirmation_required"


@pytest.mark.parametrize("era", ERAS)
async def test_questions_go_over_the_standard_streams_too(era: str, folder: Path, write_tool: WriteTool) -> None:
    write_tool("greet.py", GREET)
    server = mcp.StdioServerParameters(command=str(SCRIPTOOL), args=["serve", str(folder), "--no-shared", "--stdio"])
    async with mcp.Client(server, mode=era, elicitation_callback=Person(accepted(name="Ann"))) as client:
        assert answer_of(await client.call_tool("greet", {}))["name"] == "Ann"
