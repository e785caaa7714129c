"""Ten thousand definitions in one folder."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.settings import Settings

MANY = 10_000


def definition(number: int, description: str) -> str:
    """Give the text of one definition."""
    inputs = {"x": {"type": "integer", "required": True}}
    fields = {"name": f"tool_{number}", "description": description, "kind": "script", "file": "shared.py"}
    return json.dumps(fields | {"inputs": inputs})


@pytest.fixture
def crowded(folder: Path) -> Path:
    """Give a folder of ten thousand definitions that share a script."""
    (folder / "shared.py").write_text("return args['x'] + 1\n")
    for number in range(MANY):
        (folder / f"d{number}.json").write_text(definition(number, f"Tool {number}."))
    return folder


@pytest.mark.timeout(120)
async def test_of_ten_thousand_definitions_one_edit_reads_that_file_alone(settings: Settings, crowded: Path) -> None:
    async with App(settings.model_copy(update={"watch": False})) as app:
        assert len((await app.library.fresh()).tools) == MANY
        await anyio.sleep(0.15)  # until no file is young any more: the clock of the file system is what is waited for
        await app.library.fresh()
        before, number = app.library.files_read, app.library.catalog.number
        assert (await app.library.fresh()).number == number
        assert app.library.files_read == before
        (crowded / "d77.json").write_text(definition(77, "Another description."))
        assert (await app.library.fresh()).tools["tool_77"].description == "Another description."
        assert app.library.files_read - before == 1
        result: Any = await app.dispatcher.call(Call("tool_9999", {"x": 1}, Caller("test")))
        assert result.value == 2
