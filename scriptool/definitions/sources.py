"""Sources: the files of all searched folders as last read. Immutable; a refresh reads what changed."""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from sandbox import Fault
from scriptool.definitions.definition import kind_of, read_definition
from scriptool.definitions.metadata import Block, read_block
from scriptool.definitions.prompttext import MAX_PROMPT, PromptText, read_prompt
from scriptool.errors import with_file
from scriptool.fields import Described, PromptDefinition, ScriptDefinition
from scriptool.folder import MAX_DEFINITION, Look, look, read, scan, unreadable
from scriptool.standard import GROUPS

log = logging.getLogger("scriptool.sources")

Digest = Callable[[bytes], str]


@dataclass(frozen=True)
class Source:
    """One file as last read: its *digest*, or the *fault* that says why it could not be; what it says as a *definition*
    (of a JSON file), in its *block* (of a script), or as a *prompt* (of a Markdown file).

    *good* is the last definition of this path that was right: while its text is broken, the names and files of that
    one stay reserved; *kind* is the kind that a JSON file names even so.
    """

    path: Path
    root: Path
    shown: str
    look: Look | None
    digest: str | None = None
    fault: Fault | None = None
    definition: Described | None = None
    block: Block | None = None
    prompt: PromptText | None = None
    good: Described | None = None
    kind: str | None = None

    @cached_property
    def is_definition(self) -> bool:
        """Say whether this is a JSON file."""
        return self.path.suffix == ".json"

    @cached_property
    def is_text(self) -> bool:
        """Say whether this is a Markdown file: the text of a prompt, if it is anything here."""
        return self.path.suffix == ".md"

    @property
    def is_script(self) -> bool:
        """Say whether this is Python source."""
        return not self.is_definition and not self.is_text

    @property
    def said(self) -> Described | None:
        """Give what this file says as a definition or, while it is broken, what it said when it was last right."""
        return self.definition or self.good

    @property
    def script(self) -> Path | None:
        """Give the absolute path of the script that the definition in this file names, if it is of that kind."""
        return self.named if isinstance(self.said, ScriptDefinition) else None

    @cached_property
    def named(self) -> Path | None:
        """Give the absolute path of the script or prompt text that the definition in this file names, if any."""
        if not isinstance(self.said, ScriptDefinition | PromptDefinition):
            return None
        return Path(os.path.normpath(os.path.join(self.path.parent, self.said.file)))


@dataclass(frozen=True)
class Sources:
    """The files of all *roots*, by path in sorted order, the folders they lie in, and which of those cannot be read.

    *groups* are those a tool may be in, *elsewhere* the folders beside the roots that definitions may name scripts in.
    """

    roots: tuple[Path, ...]
    groups: tuple[str, ...] = GROUPS
    elsewhere: tuple[Path, ...] = ()
    files: Mapping[Path, Source] = field(default_factory=dict)
    folders: Mapping[Path, Look | None] = field(default_factory=dict)
    unreadable: Mapping[Path, str] = field(default_factory=dict)
    read: int = 0

    def under(self, root: Path) -> Sequence[Source]:
        """Give the files of one root, in sorted order."""
        return self._by_root.get(root, ())

    @cached_property
    def _by_root(self) -> Mapping[Path, Sequence[Source]]:
        found: dict[Path, list[Source]] = {root: [] for root in self.roots}
        for source in self.files.values():
            found[source.root].append(source)
        return found

    def same_files(self, other: "Sources") -> bool:
        """Say whether both hold the same files as read at the same time, and the same unreadable folders."""
        if self.unreadable != other.unreadable or len(self.files) != len(other.files):
            return False
        pairs = zip(self.files.values(), other.files.values(), strict=True)
        return all(mine is theirs for mine, theirs in pairs)

    @cached_property
    def _real(self) -> frozenset[str]:
        return frozenset(os.path.realpath(path) for path in (*self.files, *self.folders))

    @cached_property
    def real_folders(self) -> frozenset[str]:
        """Give, without links, the folders that were searched."""
        return frozenset(os.path.realpath(path) for path in self.folders)

    def has_real(self, path: str) -> bool:
        """Say whether *path*, without links, is one of the files, or lies in one of the searched folders. Blocks."""
        return path in self._real or os.path.dirname(path) in self._real

    def moved(self) -> bool:
        """Say whether something was made, renamed or deleted in a searched folder since. Blocks."""
        return any(not _still(path, before) for path, before in self.folders.items())

    def refreshed(self, digest: Digest, most: int, *, reread: bool = False, doubted: Path | None = None) -> "Sources":
        """Give the sources as they are now: files that may have changed are read again. Blocks; never raises.

        *digest* names a script's text, *most* bounds its bytes; *reread* trusts no look, *doubted* is one path not to
        trust. `read` of the answer counts the files that were read.
        """
        files: dict[Path, Source] = {}
        folders: dict[Path, Look | None] = {}
        unreadable: dict[Path, str] = {}
        count = 0
        for root in self.roots:
            seen = scan(root)
            folders |= seen.folders
            unreadable |= seen.unreadable
            found = {path: now for path, now in seen.files.items() if path not in files}
            while found:
                for path, now in found.items():
                    before = self.files.get(path)
                    trusted = before is not None and now is not None and now.same(before.look)
                    if before is not None and trusted and not reread and path != doubted:
                        files[path] = before
                    else:
                        files[path] = _read(path, root, now, before, digest, most, self.groups)
                        count += 1
                found = self._named_elsewhere(root, files)
        return Sources(self.roots, self.groups, self.elsewhere, files, folders, unreadable, count)

    def may_name(self, path: Path) -> bool:
        """Say whether a definition may name *path* as its script."""
        return any(path.is_relative_to(folder) for folder in (*self.roots, *self.elsewhere))

    def _named_elsewhere(self, root: Path, files: Mapping[Path, Source]) -> dict[Path, Look | None]:
        """Give the files that definitions of *root* name and that were not found by walking."""
        named = {source.named for source in files.values() if source.root is root and source.named is not None}
        return {path: look(path) for path in sorted(named) if path not in files and self.may_name(path)}


def _still(path: Path, before: Look | None) -> bool:
    now = look(path)
    return now is None and before is None or now is not None and now.same(before)


def shown_path(path: Path, root: Path) -> str:
    """Give *path* as users see it: relative to its tools folder, with `/`."""
    return Path(os.path.relpath(path, root)).as_posix().encode("utf-8", "replace").decode()


def _read(
    path: Path,
    root: Path,
    now: Look | None,
    before: Source | None,
    digest: Digest,
    most: int,
    groups: tuple[str, ...],
) -> Source:
    shown = shown_path(path, root)
    try:
        return _understood(path, root, shown, now, before, digest, most, groups)
    except Exception:
        return Source(path, root, shown, now, fault=own_fault(shown))


def own_fault(shown: str) -> Fault:
    """Log the exception at hand, a fault of ours about one file, and give what is said of that; others are served."""
    log.exception("reading %s failed inside the server", shown)
    return unreadable(shown, "the server failed at it; its log says why")


def _understood(
    path: Path,
    root: Path,
    shown: str,
    now: Look | None,
    before: Source | None,
    digest: Digest,
    most: int,
    groups: tuple[str, ...],
) -> Source:
    source = Source(path, root, shown, now, good=before.good if before is not None else None)
    try:
        data = read(path, shown, MAX_DEFINITION if source.is_definition else MAX_PROMPT if source.is_text else most)
    except Fault as fault:
        return replace(source, fault=fault)
    source = replace(source, digest=digest(data))
    if source.is_text:
        return replace(source, prompt=read_prompt(data).outline())
    if source.is_script:
        return replace(source, block=read_block(data, groups))
    try:
        definition = read_definition(data, groups)
    except Fault as fault:
        return replace(source, fault=with_file(fault, shown), kind=kind_of(data))
    return replace(source, definition=definition, good=definition)
