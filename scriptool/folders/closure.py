"""Closure: a script and the helpers of `lib/` it imports, each read now; only texts that changed are compiled."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from sandbox import Fault, Limits, Program, Sandbox, Spent
from scriptool.errors import did_you_mean
from scriptool.folder import Look, look, read

HELPERS: Final = "lib"
MAX_HELPERS: Final = 200
"""Most helper files of one script."""

SETTLE_SECONDS: Final = 0.05
"""How long a call waits for a writer that is in the middle of a file."""

Compiling = Callable[[bytes, str, Mapping[str, bytes]], Awaitable[Program]]
"""Compiles a text, shown as a file, with its helpers, for one call."""


@dataclass(frozen=True)
class Closure:
    """A *program* and the texts it was made of: "" is the script, helpers go by dotted name."""

    program: Program
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class _Read:
    """What one look into `lib/` gave."""

    texts: Mapping[str, bytes]
    looks: Mapping[Path, Look | None]


class Closures:
    """Compiles scripts with their helpers, and knows which helpers each text last depended on."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._looks: dict[str, Mapping[Path, Look | None]] = {}
        self._programs: dict[str, str] = {}

    async def compile(
        self, text: bytes, shown: str, root: Path, limits: Limits, *, nested: bool = False, spent: Spent | None = None
    ) -> Closure:
        """Compile the script *text* with the helpers it imports from `lib/` in *root*; *spent* grows by the time taken.

        A helper that is refused and may be half written is read once more, and that text stands.

        Raises: Fault `script_compile_error`, also for a helper that is not there, and what compiling may raise.
        """
        looks: dict[Path, Look | None] = {}
        compiling = partial(self._sandbox.compile, limits=limits, nested=nested, spent=spent or Spent())
        try:
            return await self._compile(text, shown, root, limits, compiling, looks)
        except Fault as fault:
            young = any(seen is not None and seen.young for seen in looks.values())
            if fault.code != "script_compile_error" or not young:
                raise
        await asyncio.sleep(SETTLE_SECONDS)
        return await self._compile(text, shown, root, limits, compiling, looks)

    def keep(self, digests: Iterable[str]) -> list[str]:
        """Give the digests of the programs that the scripts of *digests* were last part of; forget all others."""
        kept = set(digests)
        self._looks = {digest: looks for digest, looks in self._looks.items() if digest in kept}
        self._programs = {digest: program for digest, program in self._programs.items() if digest in kept}
        return [*kept, *self._programs.values()]

    def moved(self) -> list[str]:
        """Give the digests of scripts whose helpers may have changed since they were compiled. Blocks."""
        paths = {path for looks in self._looks.values() for path in looks}
        now = {path: look(path) for path in paths}
        return [
            digest
            for digest, looks in self._looks.items()
            if any(not _still(before, now[path]) for path, before in looks.items())
        ]

    async def _compile(
        self, text: bytes, shown: str, root: Path, limits: Limits, compiling: Compiling, looks: dict[Path, Look | None]
    ) -> Closure:
        looks.clear()
        helpers: dict[str, bytes] = {}
        tried: set[str] = set()
        digest = self._sandbox.digest(text)
        while True:
            program = await compiling(text, shown, helpers)
            wanted = _wanted(program) - tried
            if not wanted:
                break
            tried |= wanted
            found = await asyncio.to_thread(_read, root, sorted(wanted), limits.source_kb * 1024)
            looks |= found.looks
            self._looks[digest] = looks
            helpers |= found.texts
            if len(helpers) > MAX_HELPERS:
                raise _too_many(shown)
        if program.missing:
            missing = await asyncio.to_thread(_not_there, root, program.missing)
            if missing:
                raise await asyncio.to_thread(_missing, program, missing, {"": text, **helpers}, shown, root)
        if helpers:
            self._programs[digest] = program.digest
        elif not tried:
            self._looks.pop(digest, None)
        return Closure(program, {"": text, **helpers})


def _wanted(program: Program) -> set[str]:
    """Give the helpers that a module of *program* imports, or may: `from lib.a import b` can mean `lib/a/b.py`."""
    wanted: set[str] = set()
    for module in program.modules.values():
        wanted |= {*module.imports, *module.outline.get("optional_imports", ())}
    return wanted


def _read(root: Path, names: Iterable[str], most: int) -> _Read:
    texts: dict[str, bytes] = {}
    looks: dict[Path, Look | None] = {}
    for name in names:
        path = _path(root, name)
        looks[path] = look(path)
        if looks[path] is not None:
            texts[name] = read(path, _shown(name), most)
    return _Read(texts, looks)


def _still(before: Look | None, now: Look | None) -> bool:
    return now is None and before is None or now is not None and now.same(before)


def _path(root: Path, name: str) -> Path:
    return root.joinpath(*name.split(".")).with_suffix(".py")


def _shown(name: str) -> str:
    return name.replace(".", "/") + ".py"


def _too_many(shown: str) -> Fault:
    message = f"{shown} needs more than {MAX_HELPERS} files of {HELPERS}/."
    return Fault("script_compile_error", message, hint="Put what belongs together into one file.", file=shown)


def _not_there(root: Path, names: Iterable[str]) -> list[str]:
    """Give those of *names* that are no folder of helpers either. Blocks."""
    return [name for name in names if not root.joinpath(*name.split(".")).is_dir()]


def _missing(program: Program, missing: Collection[str], files: Mapping[str, bytes], shown: str, root: Path) -> Fault:
    """Say which helpers are not there, each at the line that imports it. Blocks."""
    present = [_dotted(path, root) for path in (root / HELPERS).rglob("*.py")] if (root / HELPERS).is_dir() else []
    diagnostics: list[dict[str, Any]] = []
    for importer, module in program.modules.items():
        for name in module.imports:
            if name in missing:
                hint = did_you_mean(name, present) or f"Make the file, next to the tools: {_shown(name)}."
                place = _place(files[importer], name)
                message = f"there is no {_shown(name)} in the tools folder"
                file = shown if not importer else _shown(importer)
                diagnostics.append(
                    {"file": file, "rule": "import-helper", "severity": "error", "message": message, **place}
                    | {"hint": hint}
                )
    first = diagnostics[0]
    message = f"{first['file']}:{first['line']}:{first['column']}: {first['message']}"
    hint = str(first["hint"])
    return Fault("script_compile_error", message, hint=hint, digest=program.digest, diagnostics=diagnostics)


def _dotted(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts)


def _place(text: bytes, name: str) -> dict[str, Any]:
    """Give the place where *text* imports the helper *name*: by its words, for the text is not parsed here."""
    package, _, last = name.rpartition(".")
    says = re.compile(
        rf"\s*(?:from\s+{re.escape(name)}\s+import|import\b.*\b{re.escape(name)}\b|from\s+{re.escape(package)}\s+import\b"
        rf".*\b{re.escape(last)}\b)"
    )
    for number, line in enumerate(text.decode("utf-8-sig", "replace").splitlines(), 1):
        if says.match(line):
            column = len(line) - len(line.lstrip()) + 1
            end = len(line.rstrip()) + 1
            return {"line": number, "column": column, "end_line": number, "end_column": end, "source": line}
    return {"line": 1, "column": 1, "end_line": 1, "end_column": 1, "source": ""}
