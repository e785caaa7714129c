"""A run of a script: its forms, its arguments, what it finds around it, its helpers, and its result."""

import asyncio
from typing import Any

import pytest

from sandbox.language.modules import NAMES
from sandbox.language.policy import GUARDS
from sandbox.runtime import namespace
from tests.sandbox.scripts import run


def test_the_body_form_finds_its_arguments_in_args() -> None:
    assert run("total = args['price'] * args['count']\nreturn {'total': total}", {"price": 2, "count": 3}).value == {
        "total": 6
    }


def test_the_function_form_gets_its_arguments_by_name() -> None:
    text = "def main(a, /, b, *rest, c=3, **named): return [a, b, rest, c, named]"

    assert run(text, {"a": 1, "b": 2, "d": 4}).value == [1, 2, [], 3, {"d": 4}]


def test_a_main_with_one_parameter_called_args_gets_them_all() -> None:
    assert run("def main(args): return args", {"a": 1}).value == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "import asyncio\nawait asyncio.sleep(0)\nreturn 5",
        "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    return 5",
        "import asyncio\nawait asyncio.sleep(0)\nasync def main():\n    return 5",
        "import asyncio\nawait asyncio.sleep(0)\ndef main():\n    return 5",
        "import asyncio\nasync def f():\n    return 5\nreturn asyncio.run(f())",
        "import asyncio\nasync def f():\n    return 5\nreturn f()",
        "import asyncio\nasync def f():\n    return 2\nreturn asyncio.run(f()) + asyncio.run(f()) + 1",
    ],
)
def test_async_scripts_run_to_their_end(text: str) -> None:
    assert run(text).value == 5


def test_a_task_that_is_left_over_ends_with_its_run() -> None:
    text = """\
import asyncio
log = []
async def forever():
    try:
        await asyncio.sleep(3600)
    finally:
        log.append("cancelled")
async def start():
    asyncio.create_task(forever())
    await asyncio.sleep(0)
asyncio.run(start())
return log
"""
    assert run(text).value == ["cancelled"]


def test_a_failed_task_nobody_looked_at_is_a_warning() -> None:
    text = """\
import asyncio
async def bad():
    raise ValueError("lost")
task = asyncio.create_task(bad())
await asyncio.sleep(0)
del task
await asyncio.sleep(0)
return 1
"""
    assert run(text).ending["warnings"] == ["Task exception was never retrieved: ValueError: lost"]


def test_run_inside_a_running_loop_is_refused_as_in_cpython() -> None:
    error = run("import asyncio\nasync def f():\n    pass\nasync def main():\n    asyncio.run(f())").error

    assert error["message"] == "RuntimeError: asyncio.run() cannot be called from a running event loop; use await"


def test_neither_main_nor_return_gives_null() -> None:
    assert run("x = 1").value is None
    assert run("").value is None


def test_name_and_file_exist_and_the_main_guard_does_not_run() -> None:
    text = "ran = False\nif __name__ == '__main__':\n    ran = True\nreturn [ran, __file__, __name__]"

    assert run(text, name="tools/order.py").value == [False, "tools/order.py", "script"]


def test_each_run_starts_fresh() -> None:
    text = "class Box:\n    items = []\ndef f(acc=[]):\n    acc.append(1)\n    return len(acc)\nBox.items.append(1)\n"

    assert [run(f"{text}return [len(Box.items), f()]").value for _ in range(2)] == [[1, 1], [1, 1]]


def test_every_guard_the_compiler_asks_for_is_bound() -> None:
    bound = namespace.Namespace()._builtins

    assert GUARDS.keys() - bound.keys() == set()


def test_what_is_not_json_is_refused_with_its_path() -> None:
    assert run("class Thing: pass\nreturn {'items': [{'v': Thing()}]}").error == {
        "code": "result_not_serializable",
        "message": "$.items[0].v is a Thing, which is not JSON",
        "hint": "return its fields as a dict",
        "path": "$.items[0].v",
        "type": "Thing",
    }


# Helpers.

HELPERS = {
    "lib.geometry": """
from lib.units import SCALE
calls = []
def area(side):
    calls.append(side)
    return side * side * SCALE
""",
    "lib.units": "SCALE = 10\n_private = 3\nseen = [__name__, __file__]\n",
    "lib.parser": "kind = 'own'\n",
    "lib.shapes.square": "from lib import geometry\nside = 2\n",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from lib.geometry import area\nreturn area(2)", 40),
        ("import lib.geometry\nreturn lib.geometry.area(2)", 40),
        ("import lib.geometry as g, lib.units\nreturn [g.area(1), lib.units.SCALE]", [10, 10]),
        (
            "from lib import geometry, units\ngeometry.area(3)\nreturn [geometry.calls, units.seen]",
            [[3], ["lib.units", "lib/units.py"]],
        ),
        ("from lib.shapes.square import side\nreturn side", 2),
        (
            "import lib.parser, html.parser\nreturn [lib.parser.kind, html.parser.HTMLParser.__name__]",
            ["own", "HTMLParser"],
        ),
        ("from lib.shapes import square\nreturn square.geometry.area(square.side)", 40),
        ("from lib.units import _private\nreturn _private", 3),
        ("import lib.units\nlib.units.SCALE = 1\nfrom lib.geometry import area\nreturn area(2)", 4),
    ],
)
def test_helpers_are_imported_and_run_once(text: str, expected: Any) -> None:
    assert run(text, helpers=HELPERS).value == expected


def test_a_helper_that_is_not_there_is_an_import_error() -> None:
    error = run("from lib.missing import x\nreturn x").error
    assert error["message"] == "ModuleNotFoundError: there is no lib/missing.py"

    error = run("from lib.units import nothing\nreturn 1", helpers=HELPERS).error
    assert error["message"].startswith("ImportError: cannot import name 'nothing' from 'lib.units'")


def test_a_helper_that_fails_can_be_tried_again() -> None:
    attempt = "try:\n    import lib.bad\nexcept ZeroDivisionError:\n    print('failed')\n"

    assert run(f"{attempt}{attempt}return 1", helpers={"lib.bad": "1 / 0\n"}).printed == "failed\nfailed\n"


def test_classes_and_functions_of_helpers_are_the_scripts_own() -> None:
    helpers = {"lib.model": "class Model:\n    limit = 1\n    def __init__(self): self._x = 2\ndef f(): pass\n"}
    text = "from lib.model import Model, f\nm = Model()\nm._x += 1\nModel.limit = 5\nf.seen = True\n"

    assert run(f"{text}return [m._x, Model.limit]", helpers=helpers).value == [3, 5]


# Imports.


def test_a_module_that_is_not_available_raises_what_a_script_can_handle() -> None:
    attempt = "try:\n    import subprocess\nexcept ImportError as error:\n    return [type(error).__name__, str(error)]"

    kind, message = run(attempt).value
    assert kind == "ModuleNotFoundError"
    assert message.startswith("the module subprocess is not available in a script. ")


def test_every_module_of_the_table_can_be_imported() -> None:
    modules = [module for module in NAMES if module != "urllib"]
    text = "\n".join(f"import {module}" for module in modules)

    assert run(f"{text}\nimport typing_extensions\nreturn len([{', '.join(modules)}])").value == len(modules)


# ctx.


def test_log_and_progress_reach_the_parent() -> None:
    text = """\
ctx.log.info("started", order=7, thing=object)
ctx.log.error("bad \\ud800")
ctx.progress(1, 2, "half")
ctx.progress(2, 2)
return 1
"""
    told = run(text).told

    assert told[0] == (
        "log",
        {"level": "info", "message": "started", "fields": {"order": 7, "thing": "<class 'object'>"}},
    )
    assert told[1] == ("log", {"level": "error", "message": "bad \\ud800", "fields": {}})
    assert told[2:] == [
        ("progress", {"done": 1, "total": 2, "message": "half"}),
        ("progress", {"done": 2, "total": 2, "message": None}),
    ]


def test_logs_count_towards_the_output_limit() -> None:
    ran = run("for i in range(100_000):\n    ctx.log.info('x' * 90)\nreturn 1")

    assert len(ran.told) < 2500
    assert ran.ending["warnings"][0].startswith("output is limited to 256 kB")


def test_a_million_steps_of_progress_are_few_frames() -> None:
    ran = run("for i in range(100_000):\n    ctx.progress(i, 100_000)\nctx.progress(100_000, 100_000)\nreturn 1")

    assert ran.told[-1] == ("progress", {"done": 100_000, "total": 100_000, "message": None})
    assert len(ran.told) < 1000


async def test_a_run_leaves_the_loop_of_its_caller_alone() -> None:
    loop = asyncio.get_running_loop()

    assert run("return 1").value == 1
    assert asyncio.get_running_loop() is loop
