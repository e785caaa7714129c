"""Which files are seen, and how reading one cannot be fooled."""

import os
from pathlib import Path

import pytest

from sandbox import Fault
from scriptool.folder import read, scan


def test_scan_finds_tools_in_sorted_order_and_leaves_litter_out(tmp_path: Path) -> None:
    for name in (
        "b.py",
        "a.json",
        "sub/c.py",
        ".hidden.py",
        "_private.py",
        "#draft#.py",
        "b.py~",
        "notes.txt",
        "lib/helper.py",
        "tests/t.py",
        "data/d.json",
        "node_modules/x.json",
        "__pycache__/b.py",
        ".git/x.py",
        "_later/x.py",
        "folder.py/keep.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = scan(tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in found.files] == ["a.json", "b.py", "sub/c.py"]


def test_a_file_whose_name_cannot_be_shown_is_named_with_escapes(tmp_path: Path) -> None:
    for name in (b"caf\xe9.py", b"new\nline.json", b"notes\n.md"):
        (tmp_path / os.fsdecode(name)).write_text("")
    reason = "its name holds characters that cannot be shown"
    found = scan(tmp_path)
    assert not found.files
    assert found.unreadable == {tmp_path / r"caf\xe9.py": reason, tmp_path / r"new\nline.json": reason}


def test_links_are_followed_also_out_of_the_folder_and_circles_end(tmp_path: Path) -> None:
    tools, store = tmp_path / "tools", tmp_path / "store"
    (tools / "sub").mkdir(parents=True)
    store.mkdir()
    (store / "far.py").write_text("return 1")
    (tools / "near.py").symlink_to(store / "far.py")
    (tools / "more").symlink_to(store)
    (tools / "sub" / "up").symlink_to(tools)
    (tools / "gone.py").symlink_to("/nowhere/gone.py")
    found = scan(tools)
    assert [path.relative_to(tools).as_posix() for path in found.files] == ["gone.py", "more/far.py", "near.py"]
    assert found.files[tools / "gone.py"] is None


def test_missing_folder_is_an_empty_scan(tmp_path: Path) -> None:
    assert dict(scan(tmp_path / "none").files) == {}


def test_reading_a_pipe_a_folder_or_a_dangling_link_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "gone.py").symlink_to("/nowhere/gone.py")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    reasons = {}
    for name in ("pipe.py", "folder.py", "gone.py", "loop.py", "big.py"):
        if name == "big.py":
            (tmp_path / name).write_bytes(b"#" * 5000)
        with pytest.raises(Fault) as caught:
            read(tmp_path / name, name, 4096)
        assert caught.value.code == "script_unreadable"
        assert caught.value.details["file"] == name
        reasons[name] = caught.value.details["reason"]
    assert reasons == {
        "pipe.py": "it is not a regular file",
        "folder.py": "it is not a regular file",
        "gone.py": "it is gone",
        "loop.py": "its links lead in a circle",
        "big.py": "it is too large: over 4 kB",
    }


def test_file_of_exactly_the_most_bytes_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"#" * 4096)
    assert read(tmp_path / "a.py", "a.py", 4096) == b"#" * 4096
