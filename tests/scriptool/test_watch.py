"""The watcher: lists, problems and programs are ready before anyone asks."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from scriptool.app import App
from scriptool.settings import Settings

WriteTool = Callable[[str, str], Path]


async def until(app: App, holds: Callable[[], bool]) -> None:
    """Wait until *holds*, looking after each catalog the library publishes."""
    with anyio.fail_after(15):
        while not holds():
            await app.library.published()


def described(app: App) -> dict[str, str]:
    """Give the descriptions of the current catalog, without looking at any file."""
    return {name: tool.description for name, tool in app.library.catalog.tools.items() if not tool.checking}


async def test_saved_file_is_listed_and_compiled_without_being_asked_for(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("a.py", '"""One."""\nreturn 1')
    await until(app, lambda: described(app) == {"a": "One."})
    write_tool("a.py", '"""Two."""\nreturn 2')
    await until(app, lambda: described(app) == {"a": "Two."})
    before = app.sandbox.cache.report()["compiles"]
    assert (await call("a")).value == 2
    assert app.sandbox.cache.report()["compiles"] == before


async def test_error_is_a_known_problem_before_anyone_calls(app: App, write_tool: WriteTool) -> None:
    write_tool("a.py", "return (")
    await until(app, lambda: [fault.code for fault in app.library.catalog.problems] == ["script_compile_error"])


async def test_atomic_rename_deletion_and_a_folder_made_anew_are_noticed(
    app: App, write_tool: WriteTool, folder: Path
) -> None:
    path = write_tool("a.py", '"""One."""\nreturn 1')
    await until(app, lambda: described(app) == {"a": "One."})
    (folder / ".a.swp").write_text('"""Two."""\nreturn 2')
    os.replace(folder / ".a.swp", path)
    await until(app, lambda: described(app) == {"a": "Two."})
    os.unlink(path)
    await until(app, lambda: described(app) == {})
    shutil.rmtree(folder)
    os.mkdir(folder)
    write_tool("b.py", '"""New."""\nreturn 1')
    await until(app, lambda: described(app) == {"b": "New."})
    write_tool("b.py", '"""New again."""\nreturn 1')
    await until(app, lambda: described(app) == {"b": "New again."})


async def test_burst_of_saves_settles_into_few_catalogs(app: App, write_tool: WriteTool) -> None:
    write_tool("a.py", '"""First."""\nreturn 1')
    await until(app, lambda: described(app) == {"a": "First."})
    before = app.library.catalog.number
    for number in range(500):
        write_tool("a.py", f'"""Number {number}."""\nreturn {number}')
    await until(app, lambda: described(app) == {"a": "Number 499."})
    assert app.library.catalog.number - before < 50


@pytest.fixture(params=[False, True], ids=["listening", "polling"])
def late(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> Settings:
    """Give settings for a folder that does not exist yet, watched in both ways."""
    return settings.model_copy(update={"folders": (tmp_path / "late",), "poll": request.param})


async def test_folder_that_comes_later_is_watched_from_then_on(late: Settings) -> None:
    (folder,) = late.folders
    async with App(late) as app:
        os.mkdir(folder)
        (folder / "a.py").write_text('"""One."""\nreturn 1')
        await until(app, lambda: described(app) == {"a": "One."})
        (folder / "a.py").write_text('"""Two, later."""\nreturn 2')
        await until(app, lambda: described(app) == {"a": "Two, later."})
