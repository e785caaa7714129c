"""Calls that wait for their caller: paused, resumed, expired, turned into jobs, and given up."""

from pathlib import Path
from typing import Any

import anyio
import mcp
import pytest
from mcp import types
from mcp.client import ClientRequestContext

from scriptool.app import App
from scriptool.facades.mcp import Mcp
from scriptool.facades.sealing import kept_key
from scriptool.settings import Settings
from tests.conftest import WriteTool
from tests.respondents import GREET, MODERN, Connect, Person, accepted, answer_of, connect, folders

__all__ = ["connect"]

LONG = "# /// tool\n# limits = {seconds = 100}\n# ///\n"


def ending(app: App) -> anyio.Event:
    """Give the event that the next call ends."""
    ended = anyio.Event()
    app.history.listeners.append(lambda _recorded: ended.set())
    return ended


async def ask_only(client: mcp.Client, tool: str, **more: Any) -> Any:
    """Call over the wire, without the client's own rounds of answering."""
    return await client.session.call_tool(tool, {}, allow_input_required=True, **more)


async def test_a_retry_after_too_long_or_twice_is_answered_with_answer_expired(
    url: str, app: App, write_tool: WriteTool
) -> None:
    write_tool("greet.py", GREET)
    answers = {"question": accepted(name="Ann")}
    async with mcp.Client(f"{url}/mcp", mode=MODERN, elicitation_callback=Person()) as client:
        first = await ask_only(client, "greet")
        assert (first.result_type, list(first.input_requests)) == ("input_required", ["question"])
        again = await ask_only(client, "greet", input_responses=answers, request_state=first.request_state)
        assert answer_of(again)["name"] == "Ann"
        late = await ask_only(client, "greet", input_responses=answers, request_state=first.request_state)
        assert answer_of(late)["code"] == "answer_expired"
        app.questions._seconds = 0.05
        over = ending(app)
        second = await ask_only(client, "greet")
        with anyio.fail_after(10):
            await over.wait()
        late = await ask_only(client, "greet", input_responses=answers, request_state=second.request_state)
    assert answer_of(late)["code"] == "answer_expired"
    assert app.history.recent()[0]["error"]["code"] == "answer_expired"


async def test_a_state_that_was_tampered_with_or_is_of_another_call_is_refused(url: str, write_tool: WriteTool) -> None:
    write_tool("greet.py", GREET)
    write_tool("other.py", GREET)
    async with mcp.Client(f"{url}/mcp", mode=MODERN, elicitation_callback=Person()) as client:
        first = await ask_only(client, "greet")
        for tool, state in [("greet", first.request_state + "x"), ("greet", "forged"), ("other", first.request_state)]:
            with pytest.raises(mcp.MCPError) as raised:
                await ask_only(client, tool, input_responses={}, request_state=state)
            assert raised.value.error.code == types.INVALID_PARAMS


async def test_a_restarted_server_knows_its_states_but_not_the_calls(settings: Settings, write_tool: WriteTool) -> None:
    write_tool("greet.py", GREET)
    state = None
    for _ in range(2):
        async with App(settings) as app:
            facade = Mcp(app)
            async with (
                facade.running(http=False),
                mcp.Client(facade.server, mode=MODERN, elicitation_callback=Person()) as client,
            ):
                answer = await ask_only(client, "greet", request_state=state)
                state = answer.request_state if state is None else state
    assert answer_of(answer)["code"] == "answer_expired"


def test_the_key_of_request_states_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "key"
    key = kept_key(file)
    assert (kept_key(file), len(key), file.stat().st_mode & 0o777) == (key, 32, 0o600)
    file.chmod(0o644)
    assert kept_key(file) != key
    assert len(kept_key(Path("/proc/nowhere/key"))) == 32


async def test_a_paused_call_counts_neither_as_running_nor_as_alive(url: str, app: App, write_tool: WriteTool) -> None:
    write_tool("greet.py", GREET)
    async with mcp.Client(f"{url}/mcp", mode=MODERN, elicitation_callback=Person()) as client:
        states = [(await ask_only(client, "greet")).request_state for _ in range(3)]
        report = app.sandbox.report()
        assert (report["running"], report["live"], app.questions.open) == (0, 0, 3)
        for state in states:
            done = await ask_only(
                client, "greet", input_responses={"question": accepted(name="A")}, request_state=state
            )
            assert not done.is_error
    assert app.questions.open == 0


async def test_a_client_that_hangs_up_while_it_is_asked_ends_the_call(
    url: str, app: App, write_tool: WriteTool
) -> None:
    write_tool("greet.py", GREET)
    asked, over = anyio.Event(), ending(app)

    async def silent(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.set()
        await anyio.sleep_forever()
        raise AssertionError

    async with anyio.create_task_group() as tasks:

        async def ask() -> None:
            async with mcp.Client(f"{url}/mcp", mode="legacy", elicitation_callback=silent) as client:
                await client.call_tool("greet", {})

        tasks.start_soon(ask)
        with anyio.fail_after(10):
            await asked.wait()
        tasks.cancel_scope.cancel()
    with anyio.fail_after(10):
        await over.wait()
    assert app.history.recent()[0]["error"]["code"] == "cancelled"
    assert app.questions.open == 0


async def test_a_long_call_waits_for_a_person_but_asks_nobody_once_it_is_a_job(
    connect: Connect, app: App, write_tool: WriteTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scriptool.facades.calls.PATIENCE_SECONDS", 0.3)
    text = f'{LONG}import time\nassert ctx.ask("Now?")\ntime.sleep(1)\nreturn ctx.roots()\n'
    write_tool("work.py", text)
    over = ending(app)

    async def slow(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        await anyio.sleep(0.5)  # longer than a call may take without a word
        return accepted()

    async with connect(elicitation_callback=slow, list_roots_callback=folders) as client:
        result = await client.call_tool("work", {})
        assert result.meta is not None
        job = result.meta["scriptool/job"]
        assert job["state"] == "running"
        with anyio.fail_after(10):
            await over.wait()
        told = await client.call_tool("job_status", {"job_id": job["job_id"], "wait": 5})
    error = answer_of(told)["answer"]["error"]
    assert (error["code"], error["capability"]) == ("cannot_ask", "roots")


async def test_a_cancelled_conversation_ends_its_process(url: str, app: App, write_tool: WriteTool) -> None:
    write_tool("spin.py", 'ctx.ask("Spin?")\nctx.progress(1)\nwhile True:\n    pass')
    over, told = ending(app), anyio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.set()

    async with anyio.create_task_group() as tasks:

        async def spin() -> None:
            async with mcp.Client(f"{url}/mcp", mode=MODERN, elicitation_callback=Person(accepted())) as client:
                await client.call_tool("spin", {}, progress_callback=on_progress)

        tasks.start_soon(spin)
        with anyio.fail_after(10):
            await told.wait()
        tasks.cancel_scope.cancel()
    with anyio.fail_after(10):
        await over.wait()
    assert (app.history.recent()[0]["error"]["code"], app.sandbox.report()["live"]) == ("cancelled", 0)
