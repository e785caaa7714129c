"""What a script says of its failure in the process of an application: what is its to say, and nothing comes of it."""

import asyncio
import threading
from concurrent.futures import Future
from typing import Any

import pytest

from sandbox import Fault, Sandbox
from tests.sandbox.hosted import Light, hosted, run

HOSTILE = """
class Mine({base}):
    def __getattribute__(self, name):
        raise {error}
    def __str__(self):
        raise {error}
raise Mine("x")
"""


@pytest.mark.parametrize("base", ["Exception", "ToolError", "BaseException", "PermissionError"])
@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit(3)", "GeneratorExit"])
async def test_an_error_that_raises_while_it_is_told_ends_nothing_but_its_script(
    sandbox: Sandbox, base: str, error: str
) -> None:
    threads = set(threading.enumerate())
    with pytest.raises(Fault) as caught:
        await run(sandbox, HOSTILE.format(base=base, error=error), {})
    code = "tool_error" if base == "ToolError" else "script_runtime_error"
    assert caught.value.code == code
    assert "<its message could not be read>" in caught.value.message
    assert set(threading.enumerate()) == threads


async def test_details_that_raise_while_they_are_told_end_nothing_but_their_script(sandbox: Sandbox) -> None:
    text = "import dataclasses\n@dataclasses.dataclass\nclass Mine:\n    x: int = 1\n"
    text += "    def __getattribute__(self, name):\n        raise KeyboardInterrupt\n"
    text += "raise ToolError('no', mine=Mine())"
    with pytest.raises(Fault) as caught:
        await run(sandbox, text, {})
    assert caught.value.to_json() == {
        "code": "tool_error",
        "message": "no",
        "details": {"not_serializable": "its details could not be read"},
    }


async def test_a_failure_of_the_application_stops_the_deadline_too(sandbox: Sandbox) -> None:
    threads = set(threading.enumerate())
    loop = asyncio.get_running_loop()

    class Gone(BaseException):
        pass

    class Light2(Light):
        def leave(self) -> None:
            raise Gone

    with pytest.raises(Fault) as caught:
        await run(sandbox, "light.leave()", {"light": Light2()})
    assert caught.value.details["type"] == "Gone"
    assert (set(threading.enumerate()), asyncio.get_running_loop()) == (threads, loop)


FORGED = """
try: ctx.meta(a=object())
except Exception as error: Failed = type(error)
raise Failed("{code}", "made up")
"""


@pytest.mark.parametrize("code", ["unauthorized", "shutting_down", "internal_error", "no such code", "timeout"])
async def test_a_script_ends_with_no_code_that_is_not_its_own(sandbox: Sandbox, code: str) -> None:
    with pytest.raises(Fault) as caught:
        await run(sandbox, FORGED.format(code=code), {})
    assert caught.value.code == "script_runtime_error"


async def test_a_script_forges_no_part_of_its_error(sandbox: Sandbox) -> None:
    text = "try: open('/nope')\nexcept PermissionError as error:\n"
    text += "    error.details = {'self': 1, 'retry_after': 'soon', 'value': 'x'}\n    raise"
    with pytest.raises(Fault) as caught:
        await run(sandbox, text, {})
    assert (caught.value.code, caught.value.details.keys() & {"self", "retry_after"}) == ("permission_denied", set())


async def test_a_failure_that_the_server_answered_with_keeps_its_code_and_details(sandbox: Sandbox) -> None:
    text = b"ctx.ask('Go on?')"
    answer: Future[Any] = Future()
    answer.set_exception(Fault("cannot_ask", "nobody is there", hint="Ask later.", capability="elicitation"))
    with pytest.raises(Fault) as caught:
        hosted(await sandbox.compile(text, "x.py"), text, {}, ask=lambda *_: answer)
    told = caught.value.to_json()
    assert (told["code"], told["message"], told["hint"]) == ("cannot_ask", "nobody is there", "Ask later.")
    assert (told["capability"], [frame["line"] for frame in told["frames"]]) == ("elicitation", [1])
