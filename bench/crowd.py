"""Crowd: the same warm call in a server of ten thousand definitions and in one of ten."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path

from bench.measure import Call
from scriptool.app import App
from scriptool.call import Call as Wish
from scriptool.call import Caller, Result
from scriptool.settings import choose_folders

MANY, FEW = 10_000, 10


@contextmanager
def crowds(work: Path) -> Iterator[Mapping[str, Call]]:
    """Give the call among many definitions as `ours`, and among few as `peer`."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        apps = {name: runner.run(stack.enter_async_context(_app(work / name, count))) for name, count in SIZES.items()}
        for app in apps.values():
            runner.run(app.library.fresh())
        yield {name: partial(_call, runner, app) for name, app in apps.items()}
        runner.run(stack.aclose())


SIZES = {"ours": MANY, "peer": FEW}


def _app(folder: Path, count: int) -> App:
    folder.mkdir()
    (folder / "double.py").write_text("return args['x'] * 2\n")
    inputs = {"x": {"type": "integer", "required": True}}
    for number in range(count):
        fields = {"name": f"tool_{number}", "description": "Double.", "kind": "script", "file": "double.py"}
        (folder / f"d{number}.json").write_text(json.dumps(fields | {"inputs": inputs}))
    return App(choose_folders([folder], project=folder, data=folder.parent / "data", shared=False))


def _call(runner: asyncio.Runner, app: App) -> object:
    result: Result = runner.run(app.dispatcher.call(Wish("tool_7", {"x": 4}, Caller("bench"))))
    return result.value
