"""A definition names a script of the tools folders, and no other file of the machine is read or shown for it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sandbox import Fault
from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.settings import Settings
from tests.secrecy import secret

WriteTool = Callable[[str, str], Path]

KEYS = secret("keys-of-the-operator")


def define(write_tool: WriteTool, file: str) -> None:
    fields = {"name": "peek", "kind": "script", "description": "Peek.", "file": file}
    write_tool("peek.json", json.dumps(fields))


async def everything(app: App, client: httpx2.AsyncClient) -> str:
    """Give all that the server says of the tool `peek`."""
    paths = ("/tools", "/tools/peek", "/debug/tools/peek", "/debug/errors", "/debug/state")
    said = [(await client.get(path)).text for path in paths]
    said += [(await client.post(f"/tools/{name}", json={})).text for name in ("peek", "definitions_list")]
    for uri in ("scriptool://tools/peek/source", "scriptool://problems"):
        try:
            said.append(str(await app.reader.read(uri, Caller("test"))))
        except Fault as fault:
            said.append(str(fault.to_json()))
    return "\n".join(said)


@pytest.mark.parametrize("file", ["/proc/self/environ", "../secrets.toml", "../private.json", "peek.json", "../.env"])
async def test_what_is_no_python_file_is_not_read(
    app: App,
    client: httpx2.AsyncClient,
    folder: Path,
    write_tool: WriteTool,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
) -> None:
    monkeypatch.setenv("OPERATORS_KEY", KEYS)
    for name in ("secrets.toml", "private.json", ".env"):
        (folder.parent / name).write_text(f'{{"KEY": "{KEYS}"}}')
    define(write_tool, file)
    said = await everything(app, client)
    assert KEYS not in said
    error = (await client.post("/tools/peek", json={})).json()["error"]
    assert (error["code"], error["problems"][0]["message"]) == ("definition_error", "must be a Python file")


@pytest.mark.parametrize("text", [f"KEY = {KEYS!r}\nreturn KEY", f"KEY = {KEYS!r} ("])
@pytest.mark.parametrize("absolute", [True, False])
async def test_a_script_outside_the_tools_folders_is_not_read(
    app: App, client: httpx2.AsyncClient, folder: Path, write_tool: WriteTool, text: str, absolute: bool
) -> None:
    (folder.parent / "settings.py").write_text(text)
    define(write_tool, str(folder.parent / "settings.py") if absolute else "sub/../../settings.py")
    assert KEYS not in await everything(app, client)
    error = (await client.post("/tools/peek", json={})).json()["error"]
    assert error["problems"] == [
        {
            "path": "/file",
            "message": "lies outside the tools folders",
            "hint": "Move the script there, or have the operator name its folder under `scripts` in scriptool.toml.",
        }
    ]


async def test_a_script_of_a_folder_that_the_operator_names_runs(
    settings: Settings, folder: Path, write_tool: WriteTool
) -> None:
    scripts = folder.parent / "scripts"
    scripts.mkdir()
    (scripts / "add.py").write_text("return 1 + 1")
    define(write_tool, str(scripts / "add.py"))
    standard = settings.standard
    allowed = settings.model_copy(update={"standard": type(standard)(scripts=(scripts,))})
    async with App(allowed) as app:
        result = await app.dispatcher.call(Call("peek", {}, Caller("test")))
    assert result.value == 2


async def test_a_script_anywhere_in_a_tools_folder_may_be_named(call: Any, folder: Path, write_tool: WriteTool) -> None:
    write_tool("data/deep/add.py", "return 1 + 1")
    define(write_tool, "data/deep/add.py")
    assert (await call("peek")).value == 2
    define(write_tool, str(folder / "data/deep/add.py"))
    assert (await call("peek")).value == 2


@pytest.mark.parametrize(
    "target", ["/proc/self/environ", "/sys/kernel/mm/transparent_hugepage/enabled", "secrets.toml"]
)
async def test_a_link_to_a_file_of_another_kind_is_not_followed(
    app: App, client: httpx2.AsyncClient, folder: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setenv("OPERATORS_KEY", KEYS)
    (folder.parent / "secrets.toml").write_text(f"KEY = {KEYS!r} (")
    (folder / "peek.py").symlink_to(os.path.join(folder.parent, target))
    assert KEYS not in await everything(app, client)
    assert (await client.post("/tools/peek", json={})).json()["error"]["code"] == "script_unreadable"


async def test_a_pipe_is_not_opened(call: Any, folder: Path) -> None:
    os.mkfifo(folder / "peek.py")
    assert (await call("peek")).error["reason"] == "it is not a regular file"
    with pytest.raises(OSError, match="No such device"):  # nobody reads it, nor ever did
        os.open(folder / "peek.py", os.O_WRONLY | os.O_NONBLOCK)


async def test_a_name_that_no_file_can_have_is_a_problem_of_its_definition(call: Any, write_tool: WriteTool) -> None:
    define(write_tool, "a\0.py")
    assert (await call("peek")).error["code"] in ("script_unreadable", "definition_error")
