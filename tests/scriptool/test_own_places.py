"""No script writes where tools lie, wherever links lead to, nor reads or writes what is the server's own."""

import os
from pathlib import Path

import pytest

from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.settings import Settings
from tests.conftest import WriteTool
from tests.granting import allowing, asking
from tests.secrecy import secret

KEY = secret("key-of-the-server-itself")

FOLDERS = ["elsewhere/deep", "helpers", "inner", "data/tools/0123", "data/tools/shared", "open"]
GRANTED = ["elsewhere", "helpers", "inner", "data", "open"]


@pytest.fixture
def places(tmp_path: Path, folder: Path) -> Path:
    """Give a folder with all kinds of places; two of them are part of the tools folder by links."""
    for name in FOLDERS:
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "helpers/h.py").write_text("x = 1")
    (tmp_path / "helpers/sub").symlink_to(tmp_path / "inner")
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "lib").symlink_to(tmp_path / "helpers")
    (tmp_path / "data/request-state.key").write_text(KEY)
    (tmp_path / "secrets.toml").write_text(f"KEY = '{KEY}'")
    os.link(tmp_path / "secrets.toml", tmp_path / "open/hard.toml")
    return tmp_path


@pytest.fixture
def settings(settings: Settings, places: Path) -> Settings:
    granted = [f"{kind}={places / name}" for kind in ("read", "write") for name in GRANTED]
    return allowing(settings.model_copy(update={"secret_files": (places / "secrets.toml",)}), *granted)


def below(path: Path) -> list[Path]:
    return sorted(path.rglob("*"))


async def refusal(app: App, tool: str, path: str) -> str | None:
    error = (await app.dispatcher.call(Call(tool, {"path": path}, Caller("test")))).error
    return error["code"] if error is not None else None


async def test_no_script_writes_where_links_of_a_tools_folder_lead(
    app: App, write_tool: WriteTool, places: Path
) -> None:
    granted = [str(places / name) for name in GRANTED]
    write_tool("writer.py", asking('ctx.files.write_text(args["path"], "return 666")', write=granted))
    assert await refusal(app, "writer", f"{places}/open/new.py") is None
    assert await refusal(app, "writer", f"{places}/elsewhere/data/new.py") is None  # not searched by its name
    before = below(places)
    for place in (
        "elsewhere/a.py",
        "elsewhere/new/deeper/a.py",
        "elsewhere/deep/a.py",
        "helpers/h.py",
        "helpers/new/h.py",
        "inner/h.py",
        "data/request-state.key",
        "data/new/a.txt",
        "data/tools/shared/a.py",
        "data/tools/0123/a.py",
    ):
        assert (place, await refusal(app, "writer", f"{places}/{place}")) == (place, "permission_denied")
    assert below(places) == before


async def test_no_script_reads_what_is_the_servers_own(app: App, write_tool: WriteTool, places: Path) -> None:
    granted = [str(places / name) for name in GRANTED]
    write_tool("reader.py", asking("return ctx.files.read_text(args['path'])", read=granted))
    append = "ctx.files.append_bytes(args['path'], b'x')\nreturn ctx.files.read_text(args['path'])"
    write_tool("appender.py", asking(append, read=granted, write=granted))
    assert await refusal(app, "reader", f"{places}/helpers/h.py") is None
    for tool in ("reader", "appender"):
        for place in ("data/request-state.key", "open/hard.toml"):
            assert (place, await refusal(app, tool, f"{places}/{place}")) == (place, "permission_denied")
