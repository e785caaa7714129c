"""The rules of ARCHITECTURE.md, read from its drawing and held against every import."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

import sandbox

ROOT = Path(__file__).parent.parent
PACKAGES = ("sandbox", "scriptool")

HOMES = {
    "RestrictedPython": {"sandbox.language"},
    "cachetools": {"sandbox.process.cache"},
    "httpcore": {"scriptool.capability"},
    "httpx": {"scriptool.commands.remote", "scriptool.capability"},
    "jsonschema": {"scriptool.schema", "scriptool.vocabulary"},
    "mcp": {"scriptool.facades"},
    "platformdirs": {"scriptool.settings"},
    "pydantic": {"scriptool.instance", "scriptool.definitions", "scriptool.fields", "scriptool.settings"},
    "pydantic_core": {"scriptool.definitions.judgement"},
    "referencing": {"scriptool.schema"},
    "starlette": {"scriptool.connection", "scriptool.facades", "scriptool.web"},
    "typer": {"scriptool.cli", "scriptool.commands"},
    "uvicorn": {"scriptool.connection", "scriptool.web"},
    "watchfiles": {"scriptool.folders.watch"},
}
"""Each third party has one home, so that it can be exchanged there; anyio is how we write async, at home anywhere."""

LAZY = {
    ("scriptool.cli", "scriptool.web"): "the web stack costs over a second that `scriptool call` does not need",
    ("scriptool.capability.broker", "scriptool.capability.network"): "the HTTP client costs a quarter of a second too",
    ("sandbox.process.zygote", "sandbox.runtime.additions"): "the same",
    ("sandbox.process.zygote", "sandbox.process.child"): "started by path, the zygote first says where `sandbox` is",
    ("sandbox.process.zygote", "sandbox.kernel.confine"): "the same",
    ("sandbox.process.zygote", "sandbox.runtime.namespace"): "the same",
}
"""The imports inside functions, with the reason for each."""

DOORS = {("scriptool.application.guest", "sandbox.here")}
"""Running a script in this very process: imported only to embed, so that no other server has the means at hand."""

MAX_FILE, MAX_FUNCTION = 400, 40


@dataclass(frozen=True)
class Import:
    """One import statement: of *target* (dotted, a module of ours where there is one), by *module*."""

    module: str
    target: str
    names: tuple[str, ...]
    lazy: bool

    @property
    def top(self) -> str:
        return self.target.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.module} imports {self.target}"


def modules() -> dict[str, Path]:
    """Give every module of the packages by its dotted name; a package goes by its own name."""
    found = {}
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(module: str) -> Iterator[Import]:
    """Give the imports of one module, those inside functions and `if TYPE_CHECKING` too."""
    tree = ast.parse(MODULES[module].read_bytes())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, alias.name, (), id(node) in inside)
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{module} line {node.lineno}: imports are absolute"
            for alias in node.names:
                deeper = f"{node.module}.{alias.name}"
                yield Import(module, deeper if deeper in MODULES else node.module, (alias.name,), id(node) in inside)


def room(module: str) -> str:
    """Give the room a module lies in: itself, or the package right below the top."""
    return ".".join(module.split(".")[:2])


def drawing() -> dict[str, int]:
    """Give the row of each room in the drawing of ARCHITECTURE.md, higher where it is drawn higher.

    Two spaces end the names of a line.
    """
    block = re.search(r"```layers\n(.*?)```", (ROOT / "ARCHITECTURE.md").read_text(), re.DOTALL)
    assert block, "ARCHITECTURE.md has no ```layers block"
    rows: dict[str, int] = {}
    for row, line in enumerate(reversed(block[1].splitlines())):
        names = re.split(r"\s{2,}", line.strip())[0].split(" · ")
        rows |= {name: row for name in names if name}
    return rows


MODULES = modules()
IMPORTS = [found for module in MODULES for found in imports(module)]
OURS = [found for found in IMPORTS if found.top in PACKAGES]


def test_every_room_is_in_the_drawing_and_the_other_way_round() -> None:
    assert set(drawing()) == {room(module) for module in MODULES}


def test_imports_between_rooms_go_down_never_sideways_or_up() -> None:
    rows = drawing()
    between = [found for found in OURS if room(found.module) != room(found.target)]
    assert [str(found) for found in between if rows[room(found.target)] >= rows[room(found.module)]] == []


def test_imports_inside_a_room_make_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for found in OURS:
        if room(found.module) == room(found.target) and found.module != found.target:
            graph.setdefault(found.module, set()).add(found.target)
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_the_sandbox_knows_nothing_of_scriptool() -> None:
    assert [str(found) for found in OURS if found.module.startswith("sandbox") and found.top == "scriptool"] == []


def test_scriptool_uses_only_what_the_sandbox_names() -> None:
    used = [found for found in OURS if found.module.startswith("scriptool") and found.top == "sandbox"]
    assert {(found.module, found.target) for found in used if found.target != "sandbox"} <= DOORS
    assert {name for found in used if found.target == "sandbox" for name in found.names} <= set(sandbox.__all__)
    assert list(sandbox.__all__) == sorted(sandbox.__all__)


def test_the_zygote_loads_nothing_but_the_standard_library_restrictedpython_and_what_lies_below_it() -> None:
    loaded, ahead = set(), ["sandbox.process.zygote"]
    while ahead:
        if (module := ahead.pop()) not in loaded:
            loaded.add(module)
            ahead += [found.target for found in OURS if found.module == module]
    foreign = {found.top for found in IMPORTS if found.module in loaded} - sys.stdlib_module_names - {"sandbox"}
    assert foreign <= {"RestrictedPython"}
    assert loaded.isdisjoint({"sandbox", "sandbox.pool", "sandbox.process.worker", "sandbox.process.cache"})


def test_each_third_party_is_imported_at_its_home_and_declared() -> None:
    foreign = [found for found in IMPORTS if found.top not in sys.stdlib_module_names | set(PACKAGES)]
    homes = {top: {found.module for found in foreign if found.top == top} for top in {found.top for found in foreign}}
    strangers = {
        top: away
        for top, users in homes.items()
        if top != "anyio" and (away := {user for user in users if not at_home(user, HOMES.get(top, set()))})
    }
    assert strangers == {}
    assert set(homes) == declared() - {"httptools"}  # only uvicorn imports it


def at_home(module: str, homes: set[str]) -> bool:
    return any(module == home or module.startswith(home + ".") for home in homes)


def declared() -> set[str]:
    """Give the distributions of pyproject.toml, each spelt as it is imported; pydantic brings its core along."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.split(r"[<>=\[ ]", requirement)[0] for requirement in project["dependencies"]} | {"pydantic_core"}


def test_imports_inside_functions_are_those_with_a_reason() -> None:
    assert {(found.module, found.target) for found in IMPORTS if found.lazy} == set(LAZY)


def test_files_and_functions_are_short_and_files_say_what_they_hold() -> None:
    wrong = []
    for path in own_files():
        text = path.read_text()
        tree = ast.parse(text)
        where = path.relative_to(ROOT)
        if (lines := text.count("\n")) > MAX_FILE:
            wrong.append(f"{where}: {lines} lines")
        if not ast.get_docstring(tree):
            wrong.append(f"{where}: no docstring")
        wrong += [f"{where}:{node.lineno}: {node.name} has {size} lines" for node, size in long_functions(tree)]
    assert wrong == []


def own_files() -> list[Path]:
    folders = [*PACKAGES, "tests", "bench"]
    # Scripts, written as their subjects would write them.
    apart = [ROOT / "tests/cases", ROOT / "tests/sandbox/escapes", ROOT / "tests/conformance"]
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if not any(path.is_relative_to(folder) for folder in apart))


def long_functions(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            if size > MAX_FUNCTION:
                yield node, size


def test_no_module_is_named_after_nothing() -> None:
    nothing = {"util", "utils", "helper", "helpers", "manager", "base", "common", "misc", "core"}
    assert [name for name in MODULES if name.split(".")[-1].lstrip("_") in nothing] == []
