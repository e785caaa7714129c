"""Files of scripts: what is granted works, and every way out of a granted folder is shut."""

import asyncio
import base64
import ctypes
import os
import socket
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox import Fault
from scriptool.capability.files import MAX_DEPTH, MAX_FILE, MAX_PATH, Files
from scriptool.permission import Grant, Permissions

SECRET = "the file outside"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Give a folder with `data/` and `out/` that are granted, and a file beside them that is not."""
    (tmp_path / "data" / "inner").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "data" / "a.txt").write_text("hello")
    (tmp_path / "data" / "inner" / "b.txt").write_text("deep")
    (tmp_path / "outside.txt").write_text(SECRET)
    return tmp_path


def granted(folder: Path, read: str = "data/", write: str = "out/", allow: str = "") -> Grant:
    asked = Permissions(read=(read,), write=(write,))
    allowed = Permissions(read=(allow or read,), write=(allow or write,))
    return Grant("tool", asked, allowed, folder)


def nowhere(_path: str) -> None:
    """No place holds tools."""


async def do(grant: Grant, deed: str, path: str, data: bytes | None = None, **how: Any) -> Any:
    payload = {"do": deed, "path": path, **how}
    if data is not None:
        payload["data"] = base64.b64encode(data).decode()
    answer = await Files(nowhere).answer(grant, payload)
    if "error" in answer:
        raise OSError(answer["error"]["errno"], answer["error"]["message"])
    return answer["value"]


async def content(grant: Grant, path: str) -> str:
    return base64.b64decode(await do(grant, "read", path)).decode()


async def refused(grant: Grant, deed: str, path: str, data: bytes | None = None) -> Fault:
    with pytest.raises(Fault) as caught:
        await do(grant, deed, path, data)
    assert caught.value.code == "permission_denied"
    return caught.value


async def test_granted_files_are_read_listed_and_seen(place: Path) -> None:
    grant = granted(place)
    assert await content(grant, "data/a.txt") == "hello"
    assert await content(grant, "./data/inner//b.txt") == "deep"
    assert await content(grant, str(place / "data" / "a.txt")) == "hello"
    assert await do(grant, "list", "data") == ["a.txt", "inner/"]
    assert await do(grant, "list", "data/inner") == ["b.txt"]
    assert [await do(grant, "exists", f"data/{name}") for name in ("a.txt", "inner", "c", "c/d", "a.txt/d")] == [
        True,
        True,
        False,
        False,
        False,
    ]


async def test_a_write_makes_folders_and_replaces_at_once(place: Path) -> None:
    grant = granted(place)
    await do(grant, "write", "out/new/report.txt", b"one")
    before = os.stat(place / "out/new/report.txt").st_ino
    await do(grant, "write", "out/new/report.txt", b"two")
    assert (place / "out/new/report.txt").read_bytes() == b"two"
    assert os.stat(place / "out/new/report.txt").st_ino != before
    await do(grant, "write", "out/new/report.txt", b" and more", append=True)
    assert (place / "out/new/report.txt").read_bytes() == b"two and more"
    assert os.listdir(place / "out/new") == ["report.txt"]


async def test_who_may_read_a_file_stays_as_it_was(place: Path) -> None:
    (place / "out/x").write_text("1")
    (place / "out/x").chmod(0o640)
    await do(granted(place), "write", "out/x", b"2")
    assert os.stat(place / "out/x").st_mode & 0o777 == 0o640


async def test_appending_at_the_same_time_loses_nothing(place: Path) -> None:
    files, grant = Files(nowhere), granted(place)
    data = base64.b64encode(b"line\n").decode()
    wish = {"do": "write", "path": "out/log", "data": data, "append": True}
    await asyncio.gather(*(files.answer(grant, wish) for _ in range(40)))
    assert (place / "out/log").read_text() == "line\n" * 40


@pytest.mark.parametrize("path", ["out/" + "a/" * MAX_DEPTH + "f", "out/" + "a" * MAX_PATH], ids=["deep", "long"])
async def test_a_path_out_of_bounds_makes_no_folder(place: Path, path: str) -> None:
    with pytest.raises(OSError, match="a name that is too long"):
        await do(granted(place), "write", path, b"x")
    assert list((place / "out").iterdir()) == []


async def test_a_granted_folder_that_is_not_there_is_made(place: Path) -> None:
    await do(granted(place, write="made/deep/"), "write", "made/deep/x.txt", b"1")
    assert (place / "made/deep/x.txt").read_bytes() == b"1"


async def test_exclusive_writes_find_what_is_there(place: Path) -> None:
    grant = granted(place)
    await do(grant, "write", "out/x", b"1", exclusive=True)
    with pytest.raises(FileExistsError):
        await do(grant, "write", "out/x", b"2", exclusive=True)
    assert (place / "out/x").read_bytes() == b"1"
    assert os.listdir(place / "out") == ["x"]


async def test_files_are_deleted_and_folders_are_not(place: Path) -> None:
    grant = granted(place)
    (place / "out/x").write_text("1")
    (place / "out/folder").mkdir()
    await do(grant, "delete", "out/x")
    with pytest.raises(IsADirectoryError):
        await do(grant, "delete", "out/folder")
    with pytest.raises(FileNotFoundError):
        await do(grant, "delete", "out/x")
    assert os.listdir(place / "out") == ["folder"]


async def test_a_grant_may_be_one_file(place: Path) -> None:
    grant = granted(place, read="data/a.txt", write="out/log.txt")
    assert await content(grant, "data/a.txt") == "hello"
    await do(grant, "write", "out/log.txt", b"x")
    await refused(grant, "read", "data/inner/b.txt")
    await refused(grant, "write", "out/log.txt2", b"x")


@pytest.mark.parametrize(
    "path",
    [
        "outside.txt",
        "data",
        "",
        "data/../outside.txt",
        "data/inner/../../outside.txt",
        "..",
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "~/x",
        "database/x",
        "DATA/a.txt",
        "data\0/a.txt",
        "da\u200bta/a.txt",
    ],
)
async def test_what_is_not_below_a_granted_folder_is_refused(place: Path, path: str) -> None:
    if path == "data":
        await refused(granted(place, read="data/inner/"), "read", path)
        return
    fault = await refused(granted(place), "read", path)
    assert fault.details["permission"] == "read"


async def test_a_refusal_has_the_lines_to_add(place: Path) -> None:
    fault = await refused(granted(place), "read", "more/x.csv")
    assert fault.message == (
        "tool may not read 'more/x.csv': its definition does not ask for that and the operator does not allow it."
    )
    assert fault.details["grant"] == (
        '# /// tool\n# permissions = {read = ["data/", "more/"], write = ["out/"]}\n# ///'
    )
    assert fault.details["allow"] == "--allow read=more/"


async def test_both_sides_must_grant(place: Path) -> None:
    await refused(granted(place, read=".", allow="data/"), "read", "outside.txt")
    await refused(granted(place, read="data/inner/", allow="data/"), "read", "data/a.txt")
    assert await content(granted(place, read="data/", allow="data/inner/"), "data/inner/b.txt") == "deep"
    assert await content(granted(place, read="data/", allow="*"), "data/a.txt") == "hello"


LINKS: list[Callable[[Path], str]] = []


def link(make: Callable[[Path], str]) -> Callable[[Path], str]:
    LINKS.append(make)
    return make


@link
def to_a_file_outside(place: Path) -> str:
    (place / "data/link").symlink_to(place / "outside.txt")
    return "data/link"


@link
def by_a_relative_way(place: Path) -> str:
    (place / "data/link").symlink_to("../outside.txt")
    return "data/link"


@link
def of_a_folder(place: Path) -> str:
    (place / "data/link").symlink_to(place)
    return "data/link/outside.txt"


@link
def of_a_link(place: Path) -> str:
    (place / "data/one").symlink_to(place / "data/two")
    (place / "data/two").symlink_to(place / "outside.txt")
    return "data/one"


@link
def through_proc(place: Path) -> str:
    (place / "data/link").symlink_to("/proc/self/cwd")
    return "data/link/pyproject.toml"


@link
def to_itself(place: Path) -> str:
    (place / "data/link").symlink_to("link")
    return "data/link"


@link
def that_dangles(place: Path) -> str:
    (place / "data/link").symlink_to(place / "not_there")
    return "data/link"


@pytest.mark.parametrize("make", LINKS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("deed", ["read", "write", "list", "delete", "writable"])
async def test_no_link_is_followed(place: Path, make: Callable[[Path], str], deed: str) -> None:
    path = make(place)
    before = sorted(os.listdir(place / "data"))
    with pytest.raises(OSError):
        await do(granted(place, write="data/"), deed, path, b"changed" if deed == "write" else None)
    assert (place / "outside.txt").read_text() == SECRET
    assert sorted(os.listdir(place / "data")) == before
    assert not (place / "not_there").exists()


@pytest.fixture
def oddities(place: Path) -> Path:
    """Put pipes and a socket into the folders."""
    os.mkfifo(place / "data/pipe")
    os.mkfifo(place / "out/pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(place / "data/socket"))
    return place


@pytest.mark.usefixtures("oddities")
async def test_what_is_no_file_is_not_opened(place: Path) -> None:
    grant = granted(place)
    for path in ("data/pipe", "data/socket"):
        with pytest.raises(OSError):
            await do(grant, "read", path)
    with pytest.raises(OSError):
        await do(grant, "write", "out/pipe", b"x")
    with pytest.raises(IsADirectoryError):
        await do(grant, "read", "data/inner")


@pytest.mark.parametrize("root", ["/proc", "/sys", "/dev"])
async def test_the_kernels_own_folders_are_never_granted(place: Path, root: str) -> None:
    path = {"/proc": "/proc/self/environ", "/sys": "/sys/kernel/mm", "/dev": "/dev/null"}[root]
    with pytest.raises(OSError):
        await do(granted(place, read=root), "read", path)


async def test_names_may_be_anything_a_folder_takes(place: Path) -> None:
    grant = granted(place, read=".", write="out/")
    for name in ("ü.txt", unicodedata.normalize("NFD", "ü.txt"), " spaced ", "-rf", "a\nb", "x" * 255):
        await do(grant, "write", f"out/{name}", name.encode())
        assert await content(grant, f"out/{name}") == name
    assert len(os.listdir(place / "out")) == 6
    for name in ("x" * 256, "y" * 4096):
        with pytest.raises(OSError):
            await do(grant, "write", f"out/{name}", b"x")


async def test_files_over_the_bound_are_not_read_or_written(place: Path) -> None:
    grant = granted(place)
    (place / "data/big").write_bytes(bytes(MAX_FILE + 1))
    (place / "data/just").write_bytes(bytes(MAX_FILE))
    with pytest.raises(OSError, match="larger than the 5 MB"):
        await do(grant, "read", "data/big")
    assert len(base64.b64decode(await do(grant, "read", "data/just"))) == MAX_FILE
    with pytest.raises(OSError, match="larger than the 5 MB"):
        await do(grant, "write", "out/big", bytes(MAX_FILE + 1))
    await do(grant, "write", "out/just", bytes(MAX_FILE))
    with pytest.raises(OSError, match="larger than the 5 MB"):
        await do(grant, "write", "out/just", b"x", append=True)


async def test_nothing_is_written_where_tools_lie(place: Path) -> None:
    def tools(path: str) -> str | None:
        return "a searched folder" if path.startswith(str(place / "out/tools")) else None

    (place / "out/tools").mkdir()
    files = Files(tools)
    for deed in ("write", "delete", "writable"):
        with pytest.raises(Fault) as caught:
            await files.answer(granted(place), {"do": deed, "path": "out/tools/x.py", "data": ""})
        assert caught.value.message == "tool may not write 'out/tools/x.py': it lies in a searched folder."


async def test_files_with_secrets_are_not_read(place: Path) -> None:
    (place / "data/secrets.toml").write_text('KEY = "x"')
    os.link(place / "data/secrets.toml", place / "data/twin")
    files = Files(nowhere, [place / "data/secrets.toml"])
    for name in ("secrets.toml", "twin"):
        with pytest.raises(Fault):
            await files.answer(granted(place), {"do": "read", "path": f"data/{name}"})


@pytest.mark.parametrize("payload", [None, {}, {"do": "run", "path": "x"}, {"do": "read"}, {"do": "read", "path": 1}])
async def test_what_is_no_request_is_refused(place: Path, payload: Any) -> None:
    with pytest.raises(Fault) as caught:
        await Files(nowhere).answer(granted(place), payload)
    assert caught.value.code == "bad_request"


def exchange(one: Path, other: Path) -> None:
    """Let two names mean what the other meant, at once, so that neither is ever missing."""
    here, at_once = -100, 2
    assert ctypes.CDLL(None).renameat2(here, os.fsencode(one), here, os.fsencode(other), at_once) == 0


@pytest.mark.timeout(60)
async def test_a_link_that_comes_and_goes_never_leads_out(place: Path) -> None:
    """Another program swaps a folder for a link to the outside, all the time."""
    (place / "elsewhere").mkdir()
    (place / "elsewhere/b.txt").write_text(SECRET)
    (place / "out/inner").mkdir()
    (place / "swap").symlink_to(place / "elsewhere")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for folder in ("data", "out"):
                exchange(place / folder / "inner", place / "swap")
                exchange(place / folder / "inner", place / "swap")

    thread = threading.Thread(target=swap)
    thread.start()
    grant, seen = granted(place), set()
    try:
        for _ in range(300):
            try:
                seen.add(await content(grant, "data/inner/b.txt"))
            except OSError as error:
                seen.add(type(error).__name__)
            try:
                await do(grant, "write", "out/inner/made.txt", b"1")
            except OSError:
                continue
    finally:
        over.set()
        thread.join()
    assert "deep" in seen
    assert seen <= {"deep", "NotADirectoryError", "OSError"}
    assert os.listdir(place / "elsewhere") == ["b.txt"]


async def test_readers_never_see_half_a_file(place: Path) -> None:
    grant = granted(place)
    texts = [bytes([65 + number]) * 100_000 for number in range(4)]
    await do(grant, "write", "out/x", texts[0])
    over = threading.Event()
    seen: set[bytes] = set()

    def watch() -> None:
        while not over.is_set():
            seen.add((place / "out/x").read_bytes())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        for number in range(60):
            await do(grant, "write", "out/x", texts[number % 4])
    finally:
        over.set()
        thread.join()
    assert seen <= set(texts)
