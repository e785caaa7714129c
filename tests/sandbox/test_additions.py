"""Modules that an operator adds: scripts import their public functions and classes, and nothing that was not added."""

from collections.abc import AsyncIterator
from concurrent.futures import Future
from typing import Any

import pytest

from sandbox import Fault, Limits, Sandbox
from sandbox.here import run_here
from sandbox.runtime.additions import check_additions
from tests.sandbox.forked import in_child

ADDED = ("tomllib", "xml.etree.ElementTree", "docstring_parser")


@pytest.fixture(scope="module")
async def extended() -> AsyncIterator[Sandbox]:
    """Give a sandbox whose operator added modules: of the library, in packages, and installed."""
    async with Sandbox(modules=ADDED) as sandbox:
        yield sandbox


async def value_of(sandbox: Sandbox, text: str) -> Any:
    return (await sandbox.run(await sandbox.compile(text.encode(), "x.py"), "x.py", {})).value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("import tomllib\nreturn tomllib.loads('a = 1')", {"a": 1}),
        ("from tomllib import loads as read\nreturn read('a = [1]')", {"a": [1]}),
        ("import xml.etree.ElementTree as tree\nreturn tree.fromstring('<a><b/></a>')[0].tag", "b"),
        ("import xml.etree.ElementTree\nreturn xml.etree.ElementTree.fromstring('<a/>').tag", "a"),
        ("from xml.etree import ElementTree\nreturn ElementTree.fromstring('<a/>').tag", "a"),
        ("from docstring_parser import parse\nreturn parse('Area.').short_description", "Area."),
    ],
)
async def test_a_script_imports_what_was_added(extended: Sandbox, text: str, value: Any) -> None:
    assert await value_of(extended, text) == value


@pytest.mark.parametrize(
    "text",
    [
        "import xml.dom",
        "from docstring_parser import parser",
        "from docstring_parser import _nothing",
        "import subprocess",
        "from xml.etree import ElementPath",
    ],
)
async def test_a_script_imports_nothing_beside_it(extended: Sandbox, text: str) -> None:
    with pytest.raises(Fault) as caught:
        await extended.compile(text.encode(), "x.py")

    assert caught.value.code == "script_compile_error"


@pytest.mark.parametrize(
    "text",
    [
        "import docstring_parser\nreturn docstring_parser.parser",
        "import xml.etree.ElementTree as tree\nreturn tree.sys",
        "import xml.etree.ElementTree as tree\ntree.fromstring = 1\nreturn 1",
        "import xml.etree.ElementTree as tree\nclass Own(tree.Element): pass\nreturn 1",
    ],
)
async def test_a_face_of_it_is_closed_like_any_other(extended: Sandbox, text: str) -> None:
    with pytest.raises(Fault) as caught:
        await value_of(extended, text)

    assert caught.value.code == "script_runtime_error"


async def test_without_it_the_module_is_refused_and_the_program_has_another_name(
    extended: Sandbox, sandbox: Sandbox
) -> None:
    text = b"import tomllib\nreturn 1"
    with pytest.raises(Fault):
        await sandbox.compile(text, "x.py")

    assert sandbox.digest(text) != extended.digest(text)
    assert (await extended.compile(text, "x.py")).digest == extended.digest(text)
    assert (sandbox.report()["modules"], extended.report()["modules"]) == ([], sorted(ADDED))


async def test_a_script_in_the_application_itself_imports_it_too(extended: Sandbox) -> None:
    text = b"import tomllib\nreturn tomllib.loads('a = 1')"
    accepted = await extended.compile(text, "x.py")

    def work() -> Any:
        return run_here(
            accepted, {"": text}, "x.py", {}, {}, limits=Limits(), tell=lambda *_: None, ask=lambda *_: Future()
        ).value

    assert in_child(work).value == {"a": 1}


@pytest.mark.parametrize("name", ["json", "lib.x", "_thread", "a b", "", "xml._x", "../x"])
def test_what_is_no_further_public_module_cannot_be_added(name: str) -> None:
    with pytest.raises(ValueError, match="module"):
        check_additions([name])


async def test_a_module_that_is_not_there_is_named() -> None:
    async with Sandbox(modules=["no_such_module"]) as sandbox:
        with pytest.raises(Fault) as caught:
            await sandbox.compile(b"return 1", "x.py")

    assert caught.value.code == "sandbox_unavailable"
    assert "no module no_such_module" in caught.value.message
