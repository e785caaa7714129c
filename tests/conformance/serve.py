"""Serve a copy of this folder for the conformance suite: `python -m tests.conformance.serve PORT`.

Two tools have to change the lists of tools and prompts, which no script can; they are added here.
"""

import asyncio
import shutil
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

from scriptool import web
from scriptool.app import App
from scriptool.builtin import builtins
from scriptool.call import Context
from scriptool.folders.catalog import Claim
from scriptool.schema import Schema
from scriptool.settings import choose_folders
from scriptool.tool import Tool

HERE = Path(__file__).parent


def changing(folder: Path, kind: str, suffix: str, text: str) -> Claim:
    """Give the tool that adds a file of a *kind* to *folder*, named with *suffix*."""
    numbers = count(1)

    async def change(_arguments: dict[str, Any], _context: Context) -> str:
        path = folder / f"added_{kind}_{next(numbers)}{suffix}"
        await asyncio.to_thread(path.write_text, text)
        return f"Added {path.stem}"

    schema = Schema({"type": "object", "properties": {}})
    tool = Tool(f"test_trigger_{kind}_change", f"Add a {kind} to the list.", "builtin", schema)
    return Claim(tool, Path(), "", tool.name, run=change)


async def serve(port: int) -> None:
    """Serve until a signal comes."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "tools"
        shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("serve.py", "__pycache__"))
        settings = choose_folders([folder], project=Path(work), data=Path(work) / "data", shared=False)
        async with App(settings.model_copy(update={"port": port})) as app:
            own = [
                changing(folder, "tool", ".py", '"""Be there."""\n\nreturn 1\n'),
                changing(folder, "prompt", ".md", "+++\n+++\nBe there.\n"),
            ]
            app.library.add_builtins([*builtins(app.library, app.jobs), *own])
            await web.serve(app, lambda line: print(line, flush=True))


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
