"""Helpers in `lib/`: read at every call, compiled when they changed, and blamed under their own name."""

from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from scriptool.app import App
from scriptool.call import Call, Caller
from tests.conftest import CallTool, WriteTool

USES = "from lib.units import metres\n\nreturn metres(args['feet'])"


async def test_a_helper_is_found_and_an_edit_of_it_counts_at_the_next_call(
    app: App, call: CallTool, write_tool: WriteTool
) -> None:
    write_tool("lib/units.py", "def metres(feet):\n    return feet * 0.3")
    write_tool("length.py", USES)
    first = await call("length", feet=10)
    write_tool("lib/units.py", "def metres(feet):\n    return feet * 0.3048")
    second = await call("length", feet=10)
    assert (first.value, second.value) == (3.0, 3.048)
    assert first.digest != second.digest
    compiles = app.sandbox.cache.report()["compiles"]
    assert (await call("length", feet=1)).digest == second.digest
    assert app.sandbox.cache.report()["compiles"] == compiles


async def test_helpers_use_helpers_in_folders_and_each_is_executed_once(call: CallTool, write_tool: WriteTool) -> None:
    write_tool(
        "lib/shop/money.py", "from lib.log import seen\nseen.append('money')\ndef euros(x): return f'{x:.2f} EUR'"
    )
    write_tool(
        "lib/shop/cart.py",
        "from lib.shop import money\nimport lib.log\ndef total(items):\n"
        "    lib.log.seen.append('cart')\n    return money.euros(sum(items))",
    )
    write_tool("lib/log.py", "seen = ['log']")
    write_tool(
        "total.py",
        "from lib.shop.cart import total\nfrom lib import log\nimport lib.shop.money as m\n"
        "return [total([1, 2.5]), m.euros(1), log.seen]",
    )
    result = await call("total")
    assert result.error is None
    assert result.value == ["3.50 EUR", "1.00 EUR", ["log", "money", "cart"]]


async def test_the_helpers_of_another_root_are_not_seen(call: CallTool, write_tool: WriteTool, folder: Path) -> None:
    (folder.parent / "lib").mkdir()
    (folder.parent / "lib/units.py").write_text("def metres(feet): return 1")
    write_tool("length.py", USES)
    assert (await call("length", feet=1)).error["code"] == "script_compile_error"


async def test_a_missing_helper_is_explained_at_the_line_that_wants_it(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("lib/unit.py", "x = 1")
    write_tool("length.py", f"import math\n{USES}")
    error = (await call("length", feet=1)).error
    assert error["message"] == "length.py:2:1: there is no lib/units.py in the tools folder"
    assert error["hint"] == 'Did you mean "lib.unit"?'
    assert error["diagnostics"] == [
        {
            "file": "length.py",
            "rule": "import-helper",
            "severity": "error",
            "message": "there is no lib/units.py in the tools folder",
            "line": 2,
            "column": 1,
            "end_line": 2,
            "end_column": 29,
            "source": "from lib.units import metres",
            "hint": 'Did you mean "lib.unit"?',
        }
    ]


async def test_a_missing_helper_of_a_helper_is_blamed_on_that_helper(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("lib/units.py", "\n    \nfrom lib.constants import FOOT\ndef metres(feet): return feet * FOOT")
    write_tool("length.py", USES)
    diagnostic = (await call("length", feet=1)).error["diagnostics"][0]
    assert (diagnostic["file"], diagnostic["line"]) == ("lib/units.py", 3)
    write_tool("lib/constants.py", "FOOT = 0.3048")
    assert (await call("length", feet=1)).value == 0.3048


async def test_a_helper_that_may_be_missing_is_the_scripts_affair(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("try.py", "try:\n    from lib.extra import more\nexcept ImportError:\n    more = None\nreturn more")
    assert (await call("try")).value is None
    write_tool("lib/extra.py", "more = 1")
    assert (await call("try")).value == 1


async def test_errors_name_the_helpers_own_file_and_line(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("lib/units.py", "import os\ndef metres(feet):\n    return 1 / feet")
    write_tool("length.py", USES)
    error = (await call("length", feet=0)).error
    assert error["type"] == "ZeroDivisionError"
    assert [(frame["file"], frame["line"]) for frame in error["frames"]] == [("length.py", 3), ("lib/units.py", 3)]
    write_tool("lib/units.py", "def metres(feet):\n    return exec('x')\nimport socket")
    error = (await call("length", feet=0)).error
    assert error["code"] == "script_compile_error"
    assert [(one["file"], one["line"]) for one in error["diagnostics"]] == [("lib/units.py", 2), ("lib/units.py", 3)]


async def test_imports_in_a_circle_are_explained(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("lib/a.py", "from lib.b import two\ndef one(): return 1")
    write_tool("lib/b.py", "from lib.a import one\ndef two(): return one() + 1")
    write_tool("both.py", "from lib.a import one\nreturn one()")
    error = (await call("both")).error
    assert "the imports go in a circle: lib/a.py -> lib/b.py -> lib/a.py" in error["message"]
    assert (error["frames"][-1]["file"], error["frames"][-1]["line"]) == ("lib/b.py", 1)
    write_tool("lib/b.py", "def two():\n    from lib.a import one\n    return one() + 1")
    assert (await call("both")).value == 1


async def test_a_broken_helper_shows_in_the_list_and_mending_it_shows_too(app: App, write_tool: WriteTool) -> None:
    write_tool("lib/units.py", "def metres(feet): return feet")
    write_tool("length.py", USES)
    assert (await app.library.fresh()).tools["length"].blocked is None
    write_tool("lib/units.py", "def metres(feet) return feet")
    blocked = (await app.library.fresh()).tools["length"].blocked
    assert blocked is not None
    assert blocked.details["diagnostics"][0]["file"] == "lib/units.py"
    write_tool("lib/units.py", "def metres(feet): return feet * 2")
    assert (await app.library.fresh()).tools["length"].blocked is None


async def test_a_helper_that_was_missing_and_appears_shows_in_the_list(app: App, write_tool: WriteTool) -> None:
    write_tool("length.py", USES)
    assert (await app.library.fresh()).tools["length"].blocked is not None
    write_tool("lib/units.py", "def metres(feet): return feet")
    assert (await app.library.fresh()).tools["length"].blocked is None


@pytest.mark.timeout(40)
async def test_who_watches_is_told_of_a_helper(app: App, write_tool: WriteTool) -> None:
    write_tool("lib/units.py", "def metres(feet): return feet")
    write_tool("length.py", USES)
    await app.library.fresh()
    seen: list[bool] = []
    broken = anyio.Event()

    async def listen() -> None:
        async for catalog in app.library.changes():
            seen.append(catalog.tools["length"].blocked is not None)
            if seen[-1]:
                broken.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        with anyio.fail_after(20):
            await anyio.lowlevel.checkpoint()
            write_tool("lib/units.py", "def metres(feet) return")
            await broken.wait()
        tasks.cancel_scope.cancel()


async def test_two_roots_may_have_helpers_of_the_same_name(tmp_path: Path, app: App, write_tool: WriteTool) -> None:
    write_tool("lib/units.py", "name = 'first'")
    write_tool("one.py", "from lib.units import name\nreturn name")
    other = tmp_path / "other"
    (other / "lib").mkdir(parents=True)
    (other / "lib/units.py").write_text("name = 'second'")
    (other / "two.py").write_text("from lib.units import name\nreturn name")
    settings = app.settings.model_copy(update={"folders": (*app.settings.folders, other)})
    async with App(settings) as both:
        values = [(await both.dispatcher.call(Call(name, {}, Caller("test")))).value for name in ("one", "two")]
    assert values == ["first", "second"]
