"""Tools that call tools: granted by pattern, through the same path, bounded, and cancelled with their caller."""

import asyncio
from typing import Any

import anyio
import pytest

from scriptool.app import App
from scriptool.call import Call, Caller, Result
from scriptool.settings import Settings
from tests.conftest import CallTool, WriteTool
from tests.granting import allowing, asking


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return allowing(settings, "tools=*")


async def test_a_result_comes_back_and_the_calls_are_linked(app: App, call: CallTool, write_tool: WriteTool) -> None:
    write_tool("double.py", "def main(n: int) -> int:\n    print(n)\n    return 2 * n")
    write_tool("outer.py", asking("return [ctx.call('double', n=2), ctx.call('double', n='4')]", tools=["dou*"]))
    result = await call("outer")
    assert (result.value, result.output) == ([4, 8], "")
    outer, *inner = app.history.recent()
    assert [one["parent"] for one in inner] == [outer["call_id"]] * 2
    assert [one["args"] for one in inner] == [{"n": "4"}, {"n": 2}]


async def test_a_failure_is_the_callers_to_handle(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("inner.py", "def main(n: int) -> int:\n    return 1 // n")
    text = """
found = []
for args_of in ({"n": 0}, {"n": "x"}, {"m": 1}):
    try:
        ctx.call("inner", **args_of)
    except ToolError as error:
        found.append([error.code, error.details["tool"], error.details["error"]["code"]])
try:
    ctx.call("inne", n=1)
except ToolError as error:
    found.append([error.code, error.details["error"]["close"]])
print(found)
ctx.call("inner", n=0)
"""
    write_tool("outer.py", asking(text, tools=["*"]))
    result = await call("outer")
    kinds = ["script_runtime_error", "invalid_params", "invalid_params"]
    assert result.output == f"{[[kind, 'inner', kind] for kind in kinds] + [['tool_not_found', ['inner']]]}\n"
    assert (result.error["code"], result.error["file"]) == ("tool_error", "outer.py")
    assert result.error["details"]["error"]["file"] == "inner.py"


async def test_only_tools_that_were_granted_are_called(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("cart_add.py", "return 1")
    write_tool("other.py", "return 1")
    write_tool("outer.py", asking("return ctx.call(args['wanted'])", tools=["cart_*"]))
    assert (await call("outer", wanted="cart_add")).value == 1
    error = (await call("outer", wanted="other")).error
    assert (error["code"], error["permission"], error["value"]) == ("permission_denied", "tools", "other")
    assert 'tools = ["cart_*", "other"]' in error["grant"]


async def test_a_former_name_is_no_way_round_the_pattern(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("other.py", '# /// tool\n# aliases = ["cart_old"]\n# ///\nreturn 1')
    write_tool("outer.py", asking("return ctx.call('cart_old')", tools=["cart_*"]))
    assert (await call("outer")).error["value"] == "other"


DESTROYS = '# /// tool\n# destructive = true\n# ///\nreturn "destroyed"'


async def test_a_destructive_tool_is_reached_only_from_one_that_is_and_was_confirmed(
    call: CallTool, write_tool: WriteTool
) -> None:
    write_tool("destroy.py", DESTROYS)
    text = "return ctx.call('destroy', confirm=True)"
    write_tool("plain.py", asking(text, tools=["destroy"]))
    write_tool("strong.py", asking(text, tools=["destroy"], head="# destructive = true\n"))
    write_tool("middle.py", asking("return ctx.call('plain')", tools=["plain"], head="# destructive = true\n"))
    error = (await call("plain", confirm=True)).error
    assert error["code"] == "confirmation_required"
    assert error["message"] == "destroy is destructive, and plain, which asks for it, was not confirmed."
    assert (await call("strong")).error["code"] == "confirmation_required"
    assert (await call("strong", confirm=True)).value == "destroyed"
    assert (await call("middle", confirm=True)).error["details"]["error"]["code"] == "confirmation_required"


async def test_calls_in_a_circle_end_at_once(app: App, call: CallTool, write_tool: WriteTool) -> None:
    write_tool("a.py", asking("return ctx.call('b')", tools=["b"]))
    write_tool("b.py", asking("return ctx.call('a')", tools=["a"]))
    error = (await call("a")).error
    assert "a -> b -> a" in str(error)
    assert len(app.history.recent()) == 2


@pytest.mark.timeout(60)
async def test_calls_that_go_ever_deeper_end_too(app: App, call: CallTool, write_tool: WriteTool) -> None:
    write_tool("deep.py", asking("return ctx.call('deep', n=args['n'] + 1)", tools=["deep"]))
    error = (await call("deep", n=0)).error
    assert "nest deeper than 16" in str(error)
    assert len(app.history.recent()) == 18


TABLE = """
import asyncio

async def main(many: int) -> list:
    return await asyncio.gather(*(ctx.call("slow", n=n) for n in range(many)))
"""


@pytest.mark.timeout(60)
async def test_ten_orchestrating_calls_at_once_all_end(app: App, write_tool: WriteTool) -> None:
    write_tool("slow.py", "import asyncio\nasync def main(n: int) -> int:\n    await asyncio.sleep(0.01)\n    return n")
    write_tool("table.py", asking(TABLE, tools=["slow"]))
    write_tool("tower.py", asking("return ctx.call('table', many=2)", tools=["table"]))
    results: list[Result] = []

    async def one(tool: str, args: dict[str, Any]) -> None:
        results.append(await app.dispatcher.call(Call(tool, args, Caller("test"))))

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(one, "table", {"many": 4})
            tasks.start_soon(one, "tower", {})
    assert [result.error for result in results if result.error] == []
    assert sorted(len(result.value) for result in results) == [2] * 5 + [4] * 5


async def test_a_call_is_cancelled_with_its_caller(app: App, write_tool: WriteTool) -> None:
    write_tool("endless.py", "ctx.log.info('begun')\nwhile True:\n    pass")
    write_tool("outer.py", asking("ctx.call('endless')", tools=["*"]))
    begun = anyio.Event()
    wish = Call("outer", {}, Caller("test"))
    task = asyncio.create_task(app.dispatcher.call(wish, lambda kind, _: begun.set() if kind == "log" else None))
    with anyio.fail_after(10):
        await begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert [one["error"]["code"] for one in app.history.recent()] == ["cancelled", "cancelled"]
    assert app.sandbox.report()["live"] == 0


async def test_a_call_that_takes_too_long_ends_what_it_waits_for(
    app: App, call: CallTool, write_tool: WriteTool
) -> None:
    write_tool("endless.py", "while True:\n    pass")
    write_tool("outer.py", asking("ctx.call('endless')", tools=["*"], head="# limits.seconds = 0.5\n"))
    assert (await call("outer")).error["code"] == "timeout"
    assert app.history.recent("endless")[0]["error"]["code"] == "cancelled"


async def test_progress_and_log_are_heard_and_kept(app: App, write_tool: WriteTool) -> None:
    text = 'ctx.progress(1, 3, "first")\nctx.log.warning("odd", size=3)\nctx.log.debug("detail")\nreturn 1'
    write_tool("says.py", text)
    heard: list[tuple[str, Any]] = []
    await app.dispatcher.call(Call("says", {}, Caller("test")), lambda *told: heard.append(told))
    odd = {"level": "warning", "message": "odd", "fields": {"size": 3}}
    detail = {"level": "debug", "message": "detail", "fields": {}}
    progress = ("progress", {"done": 1, "total": 3, "message": "first"})
    assert heard == [progress, ("log", odd), ("log", detail)]
    assert app.history.recent()[0]["log"] == [odd, detail]
