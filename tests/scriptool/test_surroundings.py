"""What editors are told of `args`, `ctx` and `ToolError`, held against what scripts really find."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.runtime.context import Context, Log
from sandbox.runtime.faces.content import ContentBlocks
from sandbox.runtime.faces.files import Files
from sandbox.runtime.faces.response import Response
from sandbox.runtime.faces.web import Http
from scriptool import surroundings
from tests.conftest import CallTool, WriteTool

TOOL = '''
import asyncio

from scriptool import ToolError, args, ctx


async def main(city: str, days: int = 3) -> dict[str, object]:
    """Weather of a city."""
    if not city:
        raise ToolError("no city", days=days)
    ctx.log.info("asking", city=city)
    answers = await asyncio.gather(*(ctx.http.get(f"https://x.test/{day}") for day in range(days)))
    one = await ctx.http.post("https://x.test", json={"key": ctx.secret("KEY")})
    ctx.progress(1, total=2, message="half")
    rows: list[str] = [answer.raise_for_status().text for answer in answers]
    return {"rows": rows, "one": one.json(), "more": await ctx.call("other", n=1), "list": ctx.files.list("data")}


def plain() -> str:
    return ctx.http.get("https://x.test", params={"q": 1}).headers["content-type"] + str(args["city"])
'''

WRONG = """
from scriptool import ctx


def main() -> int:
    ctx.http.fetch("https://x.test")
    return ctx.secret("KEY")
"""


@pytest.mark.timeout(120)
def test_a_tool_file_passes_a_type_checker_and_mistakes_do_not(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(TOOL)
    (tmp_path / "wrong.py").write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "right.py", "wrong.py"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = checked.stdout.splitlines()
    assert [line.partition(": error: ")[0] for line in said[:-1]] == ["wrong.py:6", "wrong.py:7"]


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (surroundings.Context, Context),
        (surroundings.Log, Log),
        (surroundings.Http, Http),
        (surroundings.Files, Files),
        (surroundings.Content, ContentBlocks),
        (surroundings.Response, Response),
    ],
)
def test_what_editors_are_told_is_there(told: Any, found: Any) -> None:
    methods = {name: one for name, one in vars(told).items() if inspect.isfunction(one) and name[:1] != "_"}
    assert methods or told is surroundings.Context
    for name, method in methods.items():
        real = getattr(found, name)
        assert callable(real), name
        if found in (Context, Log, Files, ContentBlocks):
            assert list(inspect.signature(method).parameters) == list(inspect.signature(real).parameters), name
    fields = set(getattr(told, "__annotations__", {}))
    assert fields <= {*dir(found), "log", "http", "files", "content"}


async def test_a_script_may_import_what_is_there_anyway(call: CallTool, write_tool: WriteTool) -> None:
    write_tool("body.py", "from scriptool import args, ctx, ToolError\nctx.log.info('x')\nreturn args['n'] + 1")
    write_tool(
        "form.py", "import scriptool\ndef main(n: int) -> int:\n    scriptool.ctx.log.info('x')\n    return n + 1"
    )
    write_tool("fails.py", "from scriptool import ToolError as Failure\nraise Failure('no', a=1)")
    assert ((await call("body", n=1)).value, (await call("form", n=1)).value) == (2, 2)
    assert (await call("fails")).error["details"] == {"a": 1}


def test_outside_a_script_the_names_say_where_they_are() -> None:
    with pytest.raises(ImportError, match=r"scriptool\.ctx is there while a tool runs"):
        exec("from scriptool import ctx")
