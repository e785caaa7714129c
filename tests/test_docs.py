"""What the pages claim, run: the walk in README.md, the blocks of scripts.md, every code, command, version and link."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

import scriptool
from scriptool.errors import STATUS
from scriptool.fields import MODELS, Fields, Input, LimitFields, PromptDefinition, ResourceDefinition
from tests.server import Server, port_of, running, serving

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Give each fenced block of a page as its first line and its text."""
    return BLOCK.findall(page.read_text())


def prose(page: Path) -> str:
    return BLOCK.sub("", page.read_text())


def test_every_error_code_is_on_its_page_with_its_status_and_no_other() -> None:
    headings = re.findall(r"^### `(\w+)` \((\d+)\)$", (ROOT / "docs/errors.md").read_text(), re.MULTILINE)
    assert {code: int(status) for code, status in headings} == dict(STATUS)
    assert len(headings) == len(STATUS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file) if file else page
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(target)
    assert broken == []


def anchors(page: Path) -> set[str]:
    """Give the anchors of a page's headings, made as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_make_commands_on_the_pages_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    code = re.compile(r"`make (\w+)|^(?: {4}|\$ )make (\w+)", re.MULTILINE)
    named = {name for page in PAGES for pair in code.findall(page.read_text()) for name in pair if name}
    assert named - targets == set()


def test_the_changelog_and_the_package_name_the_same_version() -> None:
    sections = re.findall(r"^## (?:\[?(\d[\w.]*)\]?.*|Unreleased)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    released = [version for version in sections if version]
    assert scriptool.__version__ == (released[0] if released else "0.1.0")


def test_constraints_pin_every_requirement_and_name_no_address() -> None:
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    names = {plain_name(re.split(r"[<>=\[ ]", requirement)[0]) for requirement in wanted}
    assert names - {plain_name(pin.partition("==")[0]) for pin in pins} == set()


def plain_name(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


WITH_TOOLS = [ROOT / "docs/scripts.md", ROOT / "docs/definitions.md"]
"""Pages that show files of a tools folder and calls of them."""


@pytest.fixture(scope="module")
def docs_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the files that a page shows."""
    folder = tmp_path_factory.mktemp("docs")
    for head, text in blocks(getattr(request, "param", WITH_TOOLS[0])):
        if match := re.fullmatch(r"\w+ (tool|file|definition)=(\S+)", head):
            kind, name = match.groups()
            path = folder / {"tool": f"{name}.py", "file": name, "definition": f"{name}.json"}[kind]
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    with serving(folder) as server:
        yield server


CALLS = [(page, text.strip()) for page in WITH_TOOLS for head, text in blocks(page) if head == "call"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("docs_server", "call"), CALLS, indirect=["docs_server"])
def test_a_call_gives_what_its_page_says(docs_server: Server, call: str) -> None:
    """A block is `TOOL ARGUMENTS`, then the result, or an error's code and words of it."""
    request, expected = call.split("\n")
    tool, arguments = request.split(" ", 1)
    answer = docs_server.call(tool, **json.loads(arguments))
    code, *rest = expected.split(" ", 1)
    if code in STATUS:
        assert answer["error"]["code"] == code
        error = json.dumps(answer["error"])
        assert [word for word in rest[0].split() if word not in error] == []
    else:
        assert answer["result"] == json.loads(expected)


def test_every_field_of_a_definition_is_on_its_page() -> None:
    text = (ROOT / "docs/definitions.md").read_text()
    tools = [model for model in MODELS.values() if model not in (PromptDefinition, ResourceDefinition)]
    models: list[type[Fields]] = [*tools, Input, LimitFields]
    names = {field.alias or name for model in models for name, field in model.model_fields.items()}
    assert {name for name in names if f"`{name}`" not in text} == set()


WALK = [text for head, text in blocks(ROOT / "README.md") if head == "console"]


@pytest.mark.timeout(120)
def test_the_walk_in_the_readme_goes_as_it_says(tmp_path: Path) -> None:
    """Run each `$ command` and compare what it prints; `...` stands for anything, 8750 for a free port."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy2(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    steps = [step for text in WALK for step in commands(text)]
    serve, expected = steps[0]
    assert serve == "make serve"
    command = ["make", "--no-print-directory", "-o", ".venv/ready", "serve", "ARGS=--port 0"]
    with running(command, cwd=tmp_path) as printed:
        port = str(port_of(printed))
        assert_printed(serve, printed, expected.replace("8750", port))
        for step, expected in steps[1:]:
            assert_printed(step, shell(step.replace("8750", port), tmp_path), expected.replace("8750", port))


@pytest.mark.timeout(60)
async def test_mcp_clients_connect_as_the_readme_says(docs_server: Server) -> None:
    for head, text in blocks(ROOT / "README.md"):
        if head == "json mcp":
            entry = json.loads(text.replace("/path/to/scriptool", str(ROOT)))["mcpServers"]["scriptool"]
            async with connected(entry, docs_server) as client:
                assert "definitions_list" in {tool.name for tool in (await client.list_tools()).tools}


def connected(entry: dict[str, Any], server: Server) -> Client:
    if "url" in entry:
        assert entry["url"] == "http://127.0.0.1:8750/mcp"
        return Client(f"{server.url}/mcp")
    return Client(StdioServerParameters(command=entry["command"], args=entry["args"]))


def commands(text: str) -> list[tuple[str, str]]:
    """Give the commands of a console block, each with the text below it."""
    return re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)


def shell(command: str, folder: Path) -> str:
    """Give what a terminal would show: both outputs as they come."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONUNBUFFERED": "1"}
    argv = ["bash", "-c", command]
    run = subprocess.run(
        argv, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
    )
    return run.stdout


def assert_printed(command: str, got: str, expected: str) -> None:
    pattern = re.escape(expected.strip()).replace(re.escape("..."), ".*?")
    assert re.fullmatch(pattern, got.strip(), re.DOTALL), f"$ {command}\n{got}\n--- the page says\n{expected}"


def test_json_on_the_pages_is_json() -> None:
    wrong: list[Any] = []
    for page in PAGES:
        for head, text in blocks(page):
            if head.split(" ")[0] == "json":
                try:
                    json.loads(text)
                except ValueError as error:
                    wrong.append((page.name, str(error)))
    assert wrong == []
