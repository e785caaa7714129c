"""Library: the searched folders, live. Lists are fresh when asked for; a call is judged by the text of its moment."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from sandbox import Fault, Outcome, Sandbox, Spent
from scriptool.application.attachment import Attachment
from scriptool.call import PATIENT, Context
from scriptool.definitions.metadata import Block, read_block
from scriptool.definitions.sources import Source, Sources
from scriptool.errors import tool_not_found, with_file
from scriptool.folder import MAX_DEFINITION, linked_places, look, read, unreadable
from scriptool.folders.catalog import Catalog, Claim
from scriptool.folders.closure import HELPERS, SETTLE_SECONDS, Closure, Closures
from scriptool.folders.shelf import Shelf
from scriptool.kinds.script import Known
from scriptool.permission import tool_place
from scriptool.settings import Settings
from scriptool.tool import Loaded, Tool, name_of

log = logging.getLogger("scriptool.folders.library")

CHECK_SECONDS: Final = 1.0
"""How long a list waits for changed scripts to be compiled before it shows them as `checking`."""

_TRIES: Final = 3


@dataclass(frozen=True)
class _Now:
    """What one look at a tool's files gave: whether anything around it *moved*, else the script's text or fault."""

    moved: bool = False
    text: bytes = b""
    digest: str = ""
    block: Block | None = None
    young: bool = False
    fault: Fault | None = None


class Library:
    """The searched folders, live. An async context manager; lives as long as the server."""

    def __init__(self, settings: Settings, sandbox: Sandbox, attachment: Attachment) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self._attachment = attachment
        self._sources = Sources(settings.folders, settings.standard.groups, settings.standard.scripts)
        self._shelf = Shelf(settings.standard, attachment, settings.folders)
        self._closures = Closures(sandbox)
        self._catalog = Catalog(0)
        self._refreshing = asyncio.Lock()
        self._published = asyncio.Event()
        self._looked = asyncio.Event()
        self._wanted = asyncio.Event()
        self._settled = asyncio.Event()
        self._checker: asyncio.Task[None] | None = None
        self.files_read = 0

    async def __aenter__(self) -> "Library":
        await self._refresh()
        self._checker = asyncio.create_task(self._check_forever())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._checker is not None:
            self._checker.cancel()
            await asyncio.gather(self._checker, return_exceptions=True)

    @property
    def catalog(self) -> Catalog:
        """Give the catalog as it stands, without looking."""
        return self._catalog

    def add_builtins(self, builtins: Sequence[Claim]) -> None:
        """Take tools that come from no file; their names win."""
        self._shelf.builtins = tuple(builtins)
        self._publish()

    async def fresh(self, *, reread: bool = False) -> Catalog:
        """Look the folders over (*reread*: read every file again) and give the catalog as it is now.

        Changed scripts are compiled first, for at most `CHECK_SECONDS`; the rest is listed as `checking`.
        """
        await self._refresh(reread=reread)
        await self._settle()
        return self._catalog

    async def looked_over(self) -> Catalog:
        """Look the folders over and give the catalog at once: for what needs no compiled script."""
        await self._refresh()
        return self._catalog

    async def looks(self) -> None:
        """Wait until the folders have been looked over once more, by whomever."""
        await self._looked.wait()

    async def _settle(self) -> None:
        """Wait until every script has been compiled, for a moment at most."""
        try:
            # Not wait_for: in Python 3.11 it can swallow a cancellation, and the watcher would never end.
            async with asyncio.timeout(CHECK_SECONDS):
                await self._settled.wait()
        except TimeoutError:
            log.info("a list does not wait longer for the check of changed scripts")

    async def published(self) -> Catalog:
        """Wait for the next catalog, whatever differs in it, and give it."""
        await self._published.wait()
        return self._catalog

    async def changes(self, same: Callable[[Catalog, Catalog], bool] = Catalog.same_tools) -> AsyncIterator[Catalog]:
        """Give each catalog that is not the *same* as the one before, once it is live; a slow reader skips some."""
        seen = self._catalog
        while True:
            published = self._published
            now, before = self._catalog, seen
            seen = now
            if same(now, before):
                await published.wait()
                await self._settle()
            else:
                yield now

    def tools_by_digest(self) -> Mapping[str, list[str]]:
        """Give the names of the tools that run each text, by its digest."""
        names: dict[str, list[str]] = {}
        for name, claim in self._catalog.claims.items():
            source = self._sources.files.get(claim.script) if claim.script is not None else None
            if source is not None and source.digest is not None:
                names.setdefault(source.digest, []).append(name)
        return names

    async def source_of(self, name: str) -> tuple[str, str | None]:
        """Give the full path of a tool's script (else of the file that claims its name) and its text, if it is text.

        Raises: Fault `tool_not_found`.
        """
        claim = self._find(name)
        if claim is None:
            raise tool_not_found(name, self._catalog.tools)
        path = claim.script or claim.path
        try:
            data = await asyncio.to_thread(read, path, claim.shown, self._most())
        except Fault:
            return str(path), None
        return str(path), data.decode("utf-8", "replace")

    def name(self, name: str) -> str:
        """Give the name that the tool goes by which *name* means, or *name* itself where there is none."""
        claim = self._find(name)
        return claim.tool.name if claim is not None else name

    def place(self, path: str) -> str | None:
        """Say in words what of this server's tools the real path *path* is, or None if nothing. Blocks."""
        folders = self._settings.folders
        roots = [*folders, *map(Path.resolve, folders), *map(Path, self._sources.real_folders)]
        if (reached := tool_place(path, roots)) is not None:
            return reached
        if self._sources.has_real(path):
            return "a searched folder"
        helpers = (place for root in folders for place in linked_places(root / HELPERS))
        return f"{HELPERS}/" if any(Path(path).is_relative_to(place) for place in helpers) else None

    async def load(self, name: str, *, nested: bool = False) -> Loaded:
        """Give the tool *name* by the text its files hold at this moment; *nested*: for a call that waits for it.

        Raises: Fault `tool_not_found`, `definition_error`, `script_unreadable`, `script_compile_error`, and what
        compiling may raise.
        """
        claim = self._find(name)
        looked_over = claim is None
        for _ in range(_TRIES):
            if claim is None:
                await self._refresh()
                claim = self._find(name)
            if claim is None:
                raise tool_not_found(name, self._catalog.tools)
            now = await asyncio.to_thread(self._look, claim, not looked_over)
            if not now.moved:
                break
            await self._refresh(doubted=claim.definition)
            looked_over, claim = True, self._find(name)
        if claim is None:
            raise tool_not_found(name, self._catalog.tools)
        return await self._loaded(claim, now, nested)

    def _find(self, name: str) -> Claim | None:
        """Find a claim by its name, or by its file's stem in any Unicode form."""
        claim = self._catalog.claims.get(name) or self._catalog.claims.get(self._catalog.aliases.get(name, ""))
        if claim is not None or name.isascii():
            return claim
        claim = self._catalog.claims.get(name_of(name))
        return claim if claim is not None and name_of(claim.stem) == name_of(name) else None

    def _most(self) -> int:
        return self._settings.standard.ceiling.source_kb * 1024

    def _look(self, claim: Claim, folders: bool) -> _Now:
        """Read what the call of a claim depends on; *folders*: look those over first. Blocks."""
        if folders and self._sources.moved():
            return _Now(moved=True)
        if claim.definition is not None and self._definition_changed(claim.definition):
            return _Now(moved=True)
        if claim.script is None:
            return _Now()
        seen = look(claim.script)
        shown = claim.tool.file or claim.shown
        try:
            text = read(claim.script, shown, claim.tool.limits.source_kb * 1024)
        except Fault as fault:
            return _Now(fault=fault)
        young = seen is None or seen.young
        block = read_block(text, self._sources.groups)
        return _Now(text=text, digest=self._sandbox.digest(text), block=block, young=young)

    def _definition_changed(self, path: Path) -> bool:
        source = self._sources.files.get(path)
        try:
            data = read(path, "", MAX_DEFINITION)
        except Fault:
            return source is None or source.digest is not None
        return source is None or source.digest != self._sandbox.digest(data)

    async def _loaded(self, claim: Claim, now: _Now, nested: bool) -> Loaded:
        if claim.script is None:
            if claim.tool.blocked is not None or claim.run is None:
                raise claim.tool.blocked or unreadable(claim.shown, "it is gone")
            return Loaded(claim.tool, claim.run, rehearse=claim.rehearse)
        if now.fault is not None:
            raise now.fault
        spent = Spent()
        now, closure = await self._compiled(claim, now, nested, spent)
        program = closure.program
        self._learn(claim, now, Known(program.outline, program.modules[""].warnings))
        tool = self._now(claim)
        shown = tool.file or claim.shown

        async def run(args: dict[str, Any], context: Context) -> Any:
            try:
                outcome = await self._run(tool, closure, args, context, spent)
            except Fault as fault:
                raise with_file(fault, shown) from None
            context.warnings += outcome.warnings
            return outcome.value

        return Loaded(tool, run, program.digest, folder=claim.path.parent)

    async def _run(self, tool: Tool, closure: Closure, args: dict[str, Any], context: Context, spent: Spent) -> Outcome:
        """Run a script in a process of its own or, where its definition asks for that, in the application's."""
        shown = tool.file or ""
        if tool.main_thread and self._attachment.application:
            return await self._attachment.run(closure.program, closure.files, shown, args, tool.limits, context)
        nested = context.depth > 0
        return await self._sandbox.run(
            closure.program,
            shown,
            args,
            tool.limits,
            tell=context.tell,
            ask=context.ask,
            patient=PATIENT,
            spent=spent.seconds,
            nested=nested,
        )

    def _now(self, claim: Claim) -> Tool:
        """Give the tool a claim stands for by what was just learned of its text."""
        name = claim.tool.name
        current = self._catalog.claims.get(name)
        if current is None or current.script != claim.script:
            raise tool_not_found(name, self._catalog.tools)
        if current.tool.blocked is not None:
            raise current.tool.blocked
        return current.tool

    async def _compiled(self, claim: Claim, now: _Now, nested: bool, spent: Spent) -> tuple[_Now, Closure]:
        """Compile what was read; a file that may be half written is read once more, and that text stands."""
        try:
            closure = await self._compile(claim, now, nested, spent)
            if now.text.strip() or not now.young:
                return now, closure
        except Fault as fault:
            if fault.code != "script_compile_error" or not now.young:
                raise
        await asyncio.sleep(SETTLE_SECONDS)
        now = await asyncio.to_thread(self._look, replace(claim, definition=None), False)
        if now.fault is not None:
            raise now.fault
        return now, await self._compile(claim, now, nested, spent)

    async def _compile(self, claim: Claim, now: _Now, nested: bool, spent: Spent) -> Closure:
        shown = claim.tool.file or claim.shown
        assert claim.script is not None
        source = self._sources.files.get(claim.script)
        root = source.root if source is not None else claim.script.parent
        try:
            limits = claim.tool.limits
            return await self._closures.compile(now.text, shown, root, limits, nested=nested, spent=spent)
        except Fault as fault:
            if fault.code == "script_compile_error":
                self._learn(claim, now, Known(fault=fault))
            raise

    def _learn(self, claim: Claim, now: _Now, known: Known) -> None:
        """Keep what a call found out about a text, so that the next list shows it."""
        assert claim.script is not None
        news = self._shelf.learn(now.digest, known)
        source = self._sources.files.get(claim.script)
        if source is not None and source.digest != now.digest:
            news = True
            read_now = replace(source, digest=now.digest, block=now.block, fault=None)
            self._sources = replace(self._sources, files={**self._sources.files, claim.script: read_now})
        listed = self._catalog.claims.get(claim.tool.name)
        if news or listed is not None and listed.tool.checking:
            # The check that runs beside calls may have learned the same a moment ago and not have published it yet.
            self._publish()

    async def _refresh(self, *, reread: bool = False, doubted: Path | None = None) -> None:
        """Look the folders over, one scan at a time, and publish what came of it."""
        async with self._refreshing:
            digest, most = self._sandbox.digest, self._most()
            now = await asyncio.to_thread(self._sources.refreshed, digest, most, reread=reread, doubted=doubted)
            moved = await asyncio.to_thread(self._closures.moved)
            # Compared with what is there only now: a call may have learned of an edit meanwhile.
            changed = bool(moved) or not now.same_files(self._sources)
            self._sources = now
            self.files_read += now.read
            for digest_of_importer in moved:
                self._shelf.forget(digest_of_importer)
            if changed:
                self._publish()
            self._looked.set()
            self._looked = asyncio.Event()

    def _publish(self) -> None:
        """Make a catalog of what is known now; tell those who wait if it differs."""
        catalog = self._shelf.catalog(self._sources)
        if self._shelf.unchecked(self._sources):
            self._settled.clear()
            self._wanted.set()
        else:
            self._settled.set()
        same = catalog.listed == self._catalog.listed and catalog.problems == self._catalog.problems
        same = same and catalog.same_prompts(self._catalog) and catalog.same_resources(self._catalog)
        if same and catalog.shadowed == self._catalog.shadowed:
            self._catalog = replace(catalog, number=self._catalog.number)
            return
        self._catalog = replace(catalog, number=self._catalog.number + 1)
        present = (one.digest for one in self._sources.files.values() if one.digest is not None)
        self._sandbox.keep(self._closures.keep(present))
        self._published.set()
        self._published = asyncio.Event()

    async def _check_forever(self) -> None:
        """Compile what has not been compiled, one file at a time, so that lists are whole and first calls warm."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                for source in self._shelf.unchecked(self._sources):
                    await self._check(source)
                self._publish()
            except Exception:
                # Our own bug: it must not end the checking of files that are saved later.
                log.exception("checking changed scripts failed inside the server")

    async def _check(self, source: Source) -> None:
        try:
            text = await asyncio.to_thread(read, source.path, source.shown, self._most())
            if self._sandbox.digest(text) != source.digest:
                await self._refresh(doubted=source.path)
                return
            closure = await self._closures.compile(text, source.shown, source.root, self._settings.standard.limits)
        except Fault as fault:
            self._shelf.learn(source.digest or "", Known(fault=fault))
        else:
            self._shelf.learn(source.digest or "", Known(closure.program.outline, closure.program.modules[""].warnings))
