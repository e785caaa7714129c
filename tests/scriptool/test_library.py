"""The searched folders, live: who gets a name, what is listed, and that nothing is ever stale."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.settings import Settings, choose_folders

WriteTool = Callable[[str, str], Path]


def definition(name: str, file: str, **more: Any) -> str:
    """Give the text of a definition."""
    return json.dumps({"name": name, "description": f"{name}.", "kind": "script", "file": file} | more)


async def names(app: App) -> list[str]:
    """Give the names of a fresh list."""
    return list((await app.library.fresh()).tools)


async def test_new_changed_and_deleted_files_show_in_the_next_call_and_list(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    assert await names(app) == []
    path = write_tool("rate.py", '"""First."""\nreturn 1')
    assert (await call("rate")).value == 1
    write_tool("rate.py", '"""Second."""\nreturn 2')
    assert (await app.library.fresh()).tools["rate"].description == "Second."
    assert (await call("rate")).value == 2
    path.unlink()
    assert (await call("rate")).error["code"] == "tool_not_found"
    assert await names(app) == []


async def test_edit_that_keeps_size_and_times_is_seen(app: App, call: Any, write_tool: WriteTool) -> None:
    path = write_tool("price.py", "return 1")
    before = path.stat()
    assert (await call("price")).value == 1
    write_tool("price.py", "return 2")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (await call("price")).value == 2


async def test_broken_definition_is_listed_and_never_frees_its_script(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("work.py", "return 1")
    write_tool("work.json", definition("job", "work.py"))
    assert (await call("job")).value == 1
    write_tool("work.json", '{"name": "job",')
    assert await names(app) == ["job"]
    assert (await call("job")).error["code"] == "definition_error"
    assert (await call("work")).error["code"] == "tool_not_found"
    write_tool("work.json", definition("job", "work.py"))
    assert (await call("job")).value == 1


async def test_definition_that_never_was_right_reserves_its_stem(app: App, call: Any, write_tool: WriteTool) -> None:
    write_tool("good.py", "return 1")
    write_tool("bad.py", "return 1")
    write_tool("bad.json", '{"description": "x",\n  "inputSchema": {"type": "object",}\n}')
    assert await names(app) == ["bad", "good"]
    error = (await call("bad")).error
    assert (error["code"], error["file"], error["diagnostics"][0]["line"]) == ("definition_error", "bad.json", 2)
    assert (await call("good")).value == 1


async def test_definition_that_names_a_missing_file_says_so(app: App, call: Any, write_tool: WriteTool) -> None:
    write_tool("far.json", definition("far", "gone.py"))
    assert await names(app) == ["far"]
    error = (await call("far")).error
    assert (error["code"], error["file"], error["reason"]) == ("script_unreadable", "gone.py", "it is gone")
    write_tool("gone.py", "return 7")
    assert (await call("far")).value == 7


async def test_dangling_link_stays_listed_and_says_why(app: App, call: Any, folder: Path) -> None:
    (folder / "lost.py").symlink_to("/nowhere/gone.py")
    assert await names(app) == ["lost"]
    assert (await call("lost")).error["code"] == "script_unreadable"


async def test_name_clash_is_told_to_every_claimant_and_the_winner_runs(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("send mail.py", 'return "blank"')
    write_tool("send_mail.py", 'return "underscore"')
    write_tool("other.py", 'return "other"')
    write_tool("other.json", definition("send_mail", "other.py"))
    catalog = await app.library.fresh()
    assert list(catalog.tools) == ["send_mail"]
    assert [fault.details["file"] for fault in catalog.problems] == ["send_mail.py", "other.json", "send mail.py"]
    assert {one["rule"] for fault in catalog.problems for one in fault.details["problems"]} == {"name_clash"}
    assert (await call("send_mail")).value == "underscore"


async def test_a_file_named_like_a_built_in_tool_is_told_that_it_does_not_run(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("definitions_list.py", "return 1")
    catalog = await app.library.fresh()
    assert not catalog.shadowed
    assert [fault.message for fault in catalog.problems] == [
        "'definitions_list' is the name of a built-in tool; definitions_list.py does not run"
    ]
    assert (await call("definitions_list")).value["problems"][0]["file"] == "definitions_list.py"


async def test_earlier_folder_wins_and_the_later_file_is_shown_as_shadowed(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for path in (first, second):
        path.mkdir()
        (path / "who.py").write_text(f"return {path.name!r}")
    (second / "only.py").write_text("return 'only'")
    settings = choose_folders([first, second], project=tmp_path, data=tmp_path / "data", shared=False)
    async with App(settings) as app:
        catalog = await app.library.fresh()
        assert [(one.name, one.path, one.by) for one in catalog.shadowed] == [
            ("who", second / "who.py", first / "who.py")
        ]
        found = [(await app.dispatcher.call(Call(name, {}, Caller("test")))).value for name in ("who", "only")]
        assert found == ["first", "only"]


async def test_inline_block_names_and_describes_the_tool_and_an_edit_of_it_counts_at_once(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool(
        "area.py", '# /// tool\n# name = "surface"\n# [inputs.w]\n# type = "integer"\n# ///\nreturn args["w"] * 2'
    )
    assert await names(app) == ["surface"]
    assert (await call("surface", w="4")).value == 8
    write_tool("area.py", '# /// tool\n# name = "plane"\n# ///\nreturn 1')
    assert (await call("surface")).error["code"] == "tool_not_found"
    assert (await call("plane")).value == 1


async def test_inputs_that_contradict_the_signature_block_the_tool_with_both_places(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("f.py", "def main(w: int = 2):\n    return w\n")
    write_tool(
        "f.json", definition("f", "f.py", inputs={"w": {"type": "string", "default": "3"}, "h": {"type": "integer"}})
    )
    error = (await call("f")).error
    assert error["code"] == "definition_error"
    assert [(one["path"], one["message"]) for one in error["problems"]] == [
        ("/inputs/w/type", "is string in the definition and integer in line 1 of the script"),
        ("/inputs/w/default", 'is "3" in the definition and 2 in line 1 of the script'),
        ("/inputs/h", "stands in the definition; main has no such parameter"),
    ]


async def test_a_warning_says_what_to_write_instead(app: App, call: Any, write_tool: WriteTool) -> None:
    write_tool("old.py", '"""Old."""\nreturn _input.get("x")')
    assert (await call("old")).error["type"] == "NameError"
    assert (await app.library.fresh()).tools["old"].warnings == (
        "line 2: _input is not defined here. Arguments are in `args`, a dict (or are the parameters of `main`).",
    )


async def test_contradiction_inside_one_file_is_told_with_both_lines(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("f.py", "# /// tool\n# [inputs.w]\n# type = 'string'\n# ///\ndef main(w: int = 2):\n    return w\n")
    assert [(one["message"], one["line"]) for one in (await call("f")).error["problems"]] == [
        ("is string in line 3 and integer in line 5 of the script", 5)
    ]


async def test_alias_is_callable_unlisted_and_answered_with_a_warning(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("new.py", '# /// tool\n# aliases = ["old"]\n# ///\nreturn 1')
    assert await names(app) == ["new"]
    result = await call("old")
    assert (result.value, result.warnings) == (1, ("old is a former name of new; use that",))


async def test_tool_switched_off_is_neither_listed_nor_callable(app: App, call: Any, write_tool: WriteTool) -> None:
    write_tool("off.py", "# /// tool\n# enabled = false\n# ///\nreturn 1")
    write_tool("also.py", "return 1")
    write_tool("also.json", definition("also", "also.py", enabled=False))
    assert await names(app) == []
    assert (await call("also")).error["code"] == "tool_not_found"


async def test_compile_error_is_a_problem_of_the_tool_until_it_is_mended(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    write_tool("tax.py", 'def main(net: float):\n    """Tax."""\n    return net * 1.2\n')
    good = (await app.library.fresh()).tools["tax"]
    write_tool("tax.py", "def main(net: float:\n    return net\n")
    broken = (await app.library.fresh()).tools["tax"]
    assert broken.blocked is not None and broken.blocked.code == "script_compile_error"
    assert (broken.input.document, broken.description) == (good.input.document, "Tax.")
    assert (await call("tax", net=1)).error["code"] == "script_compile_error"
    write_tool("tax.py", "def main(net: float):\n    return net\n")
    assert (await call("tax", net=1)).value == 1
    assert app.library.catalog.tools["tax"].problems == ()


async def test_file_that_is_being_written_is_read_once_more(app: App, call: Any, write_tool: WriteTool) -> None:
    path = write_tool("slow.py", "return 'old'")
    assert (await call("slow")).value == "old"

    async def finish() -> None:
        await anyio.sleep(0.01)
        path.write_text("return 'whole'")

    path.write_text("")
    async with anyio.create_task_group() as group:
        group.start_soon(finish)
        assert (await call("slow")).value == "whole"


async def test_only_what_changed_is_read_again(app: App, write_tool: WriteTool) -> None:
    for number in range(30):
        write_tool(f"t{number}.py", f"return {number}")
        os.utime(write_tool(f"d{number}.json", definition(f"d{number}", f"t{number}.py")))
    await app.library.fresh()
    await anyio.sleep(0.15)  # until no file is young any more: the clock of the file system is what is waited for
    await app.library.fresh()
    before = app.library.files_read
    write_tool("t7.py", "return 700")
    await app.library.fresh()
    assert app.library.files_read - before == 1


async def test_changes_gives_a_catalog_only_when_the_list_really_differs(app: App, write_tool: WriteTool) -> None:
    write_tool("a.py", '"""A."""\nreturn 1')
    await app.library.fresh()
    seen: list[list[str]] = []
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:

            async def follow() -> None:
                async for catalog in app.library.changes():
                    seen.append([tool.description for tool in catalog.tools.values()])
                    if len(seen) == 2:
                        return

            group.start_soon(follow)
            await anyio.lowlevel.checkpoint()
            write_tool("a.py", '"""A."""\nreturn 2')
            await app.library.fresh()
            write_tool("a.py", '"""Other."""\nreturn 2')
            await app.library.fresh()
            await anyio.lowlevel.checkpoint()
            write_tool("b.py", '"""B."""\nreturn 2')
            await app.library.fresh()
    assert seen == [["Other."], ["Other.", "B."]]


async def test_folder_that_appears_later_is_found_without_the_watcher(settings: Settings, tmp_path: Path) -> None:
    late = tmp_path / "late"
    async with App(settings.model_copy(update={"folders": (late,), "watch": False})) as app:
        assert await names(app) == []
        late.mkdir()
        (late / "new.py").write_text("return 1")
        assert (await app.dispatcher.call(Call("new", {}, Caller("test")))).value == 1
        assert await names(app) == ["new"]


WORST: list[dict[str, Any]] = [
    {"kind": "sequence", "steps": [{"id": "a", "tool": "good"}, {"id": "b", "tool": "good", "arguments": {"x": text}}]}
    for text in ('{{a["\\q"]}}', '{{a["\t"]}}', f"{{{{a[{'9' * 5000}]}}}}")
]
WORST += [{"kind": "script", "file": "x\0y.py"}]
WORST += [
    {"kind": "script", "file": "good.py", "inputSchema": {"type": "object", "$anchor": "x", "allOf": [{"$ref": "#x"}]}}
]


@pytest.mark.parametrize("fields", WORST)
async def test_no_definition_spoils_the_tools_beside_it(
    app: App, call: Any, write_tool: WriteTool, fields: dict[str, Any]
) -> None:
    write_tool("good.py", "return 1")
    write_tool("odd.json", json.dumps({"name": "odd", "description": "Odd.", **fields}))
    catalog = await app.library.fresh(reread=True)
    assert {"good", "odd"} <= catalog.tools.keys() or {"odd"} <= catalog.tools.keys()
    assert (await call("odd")).error["code"] in ("definition_error", "script_unreadable", "invalid_params")
    write_tool("new.py", "return 2")
    assert (await call("new")).value == 2
