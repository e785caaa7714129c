"""Shelf: what compiling told of each text, and the claims that definitions and scripts make with it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from sandbox import Fault
from scriptool.application.attachment import Attachment
from scriptool.definitions.definition import faulty
from scriptool.definitions.sources import Source, Sources, own_fault, shown_path
from scriptool.errors import with_file
from scriptool.fields import Definition, ProbeDefinition, ScriptDefinition, SequenceDefinition
from scriptool.folder import unreadable
from scriptool.folders.catalog import Catalog, Claim, arrange, contest
from scriptool.kinds.offering import Offering, joined, makes_offer
from scriptool.kinds.probe import Probes, probe_tool
from scriptool.kinds.script import Known, script_tool
from scriptool.kinds.sequence import Sequence, linked, sequence_tool
from scriptool.permission import problems_of
from scriptool.standard import Standard
from scriptool.tool import Tool, name_of, words_of

D = TypeVar("D", bound=Definition)

_OUTSIDE: Final = {
    "path": "/file",
    "message": "lies outside the tools folders",
    "hint": "Move the script there, or have the operator name its folder under `scripts` in scriptool.toml.",
}


class Shelf:
    """What is known of each text by its digest, the last good tool of each file, and the tools made so far."""

    def __init__(self, standard: Standard, attachment: Attachment, roots: tuple[Path, ...]) -> None:
        self._standard = standard
        self._roots = roots
        self._probes = Probes(attachment)
        self._undo = attachment.undo
        self._in_application = attachment.application
        self._known: dict[str, Known] = {}
        self._good: dict[Path, Tool] = {}
        self._made: dict[Path, tuple[tuple[object, ...], Tool]] = {}
        self._claimed: dict[Path, tuple[tuple[object, ...], Claim]] = {}
        self._offering = Offering()
        self._may_name: Callable[[Path], bool] = lambda _path: True
        self.builtins: tuple[Claim, ...] = ()

    def known(self, digest: str) -> Known | None:
        """Give what compiling the text of this digest told, or None when it has not been compiled."""
        return self._known.get(digest)

    def learn(self, digest: str, known: Known) -> bool:
        """Keep what compiling a text told; say whether that is news."""
        before = self._known.get(digest)
        if before is not None and _tells(before) == _tells(known):
            return False
        self._known[digest] = known
        return True

    def forget(self, digest: str) -> None:
        """Have the text of this digest compiled again, as helpers of it changed."""
        self._known.pop(digest, None)

    def unchecked(self, sources: Sources) -> list[Source]:
        """Give the scripts whose text has not been compiled, in sorted order."""
        scripts = (one for one in sources.files.values() if one.is_script and one.digest is not None)
        return [one for one in scripts if one.digest not in self._known]

    def catalog(self, sources: Sources) -> Catalog:
        """Give the catalog of *sources*, numbered 0, and forget texts and files that are no longer there."""
        self._may_name = sources.may_name
        present = {source.digest for source in sources.files.values()}
        self._known = {digest: known for digest, known in self._known.items() if digest in present}
        self._good = {path: tool for path, tool in self._good.items() if path in sources.files}
        self._made = {path: made for path, made in self._made.items() if path in sources.files}
        self._claimed = {path: claimed for path, claimed in self._claimed.items() if path in sources.files}
        problems = [_closed(path, reason, sources) for path, reason in sources.unreadable.items()]
        claims = [list(self._claims(sources, root)) for root in sources.roots]
        return self._with_offers(_linked(arrange(claims, problems, self.builtins), sources), sources)

    def _with_offers(self, catalog: Catalog, sources: Sources) -> Catalog:
        """Give a catalog with the prompts and resources of *sources* beside its tools."""
        self._offering.forget(sources)
        faults, shadowed = list(catalog.problems), list(catalog.shadowed)
        prompts = contest([list(self._offering.prompts(sources, root)) for root in sources.roots], {}, faults, shadowed)
        resources = contest(
            [list(self._offering.resources(sources, root)) for root in sources.roots], {}, faults, shadowed
        )
        tools = {tool.name: tool for tool in catalog.listed}
        together = joined(resources, tools)
        faults += [one for name, offer in together.items() for one in offer.problems[:1] if offer != resources[name]]
        return replace(catalog, prompts=prompts, resources=together, problems=tuple(faults), shadowed=tuple(shadowed))

    def _claims(self, sources: Sources, root: Path) -> Iterator[Claim]:
        """Give the claims of one root. A script that a definition names, or a broken one reserves, makes none."""
        named: set[Path | None] = set()
        for source in sources.under(root):
            if not source.is_definition:
                continue
            definition = source.said
            named.add(source.script)
            if source.definition is None:
                named.add(source.path.with_suffix(".py"))
            if not makes_offer(source) and (definition is None or definition.enabled):
                yield self._guarded(source, partial(self._defined, source, sources))
        for source in sources.under(root):
            if not source.is_script or source.path in named or not _inside(source) or _switched_off(source):
                continue
            yield self._guarded(source, partial(self._plain, source))

    def _guarded(self, source: Source, make: Callable[[], Claim]) -> Claim:
        """Make the claim of one file; whatever is wrong with it, or with us, is wrong with that claim alone."""
        try:
            return make()
        except Exception:
            tool = _blocked(_unnamed(source), own_fault(source.shown))
            return Claim(tool, source.path, source.shown, source.path.stem)

    def _plain(self, source: Source) -> Claim:
        """Give the claim of a script that no definition names."""
        tool = self._tool(source.path, source, None, source)
        return Claim(tool, source.path, source.shown, source.path.stem, script=source.path)

    def _defined(self, source: Source, sources: Sources) -> Claim:
        """Give the claim of a JSON file, or the one made before of the same texts."""
        script = sources.files.get(source.script) if source.script is not None else None
        known = self._known.get(script.digest) if script is not None and script.digest is not None else None
        made_of = (source, script, known)
        before = self._claimed.get(source.path)
        if before is None or any(one is not other for one, other in zip(before[0], made_of, strict=True)):
            before = self._claimed[source.path] = (made_of, self._claim(source, script))
        return before[1]

    def _claim(self, source: Source, script: Source | None) -> Claim:
        """Make the claim of a JSON file; while its text is broken, that of its last good one, blocked."""
        claim = Claim(_unnamed(source), source.path, source.shown, source.path.stem, definition=source.path)
        match definition := source.said:
            case ScriptDefinition():
                tool = self._tool(source.path, script, definition, source)
                may = source.script is None or self._may_name(source.script)
                fault = None if may else with_file(faulty([_OUTSIDE]), source.shown)
                claim = replace(claim, tool=_blocked(tool, fault), script=source.script if may else None)
            case ProbeDefinition():
                tool = self._judged_alone(source, definition, probe_tool)
                claim = replace(claim, tool=tool, run=self._probes.runner(definition, tool))
            case SequenceDefinition():
                tool = self._judged_alone(source, definition, sequence_tool)
                sequence = Sequence(definition, tool.limits, self._undo)
                claim = replace(claim, tool=tool, run=sequence.run, rehearse=sequence.rehearse)
        if source.fault is None:
            return claim
        return replace(claim, tool=_blocked(claim.tool, source.fault), script=None, run=None)

    def _judged_alone(self, source: Source, definition: D, make: Callable[[D, str, Standard], Tool]) -> Tool:
        """Make the tool of a definition that needs no script, or give the one made before of the same one."""
        made = self._made.get(source.path)
        if made is None or made[0] != (definition,):
            made = self._made[source.path] = ((definition,), make(definition, source.shown, self._standard))
        return made[1]

    def _tool(self, path: Path, script: Source | None, definition: ScriptDefinition | None, claimant: Source) -> Tool:
        """Make the tool that *path* claims, or give the one made before of the same texts."""
        known = self._known.get(script.digest) if script is not None and script.digest is not None else None
        key = (definition, script and script.digest, script and script.fault, known)
        made = self._made.get(path)
        if made is not None and made[0] == key:
            return made[1]
        tool = self._made_of(script, definition, claimant, known)
        if tool.blocked is None and not tool.checking:
            self._good[path] = tool
        elif path in self._good:
            good = self._good[path]
            tool = replace(tool, input=good.input, output=good.output, description=good.description)
            if definition is not None:
                tool = replace(tool, description=definition.description)
        self._made[path] = (key, tool)
        return tool

    def _made_of(
        self, script: Source | None, definition: ScriptDefinition | None, claimant: Source, known: Known | None
    ) -> Tool:
        shown = script.shown if script is not None else claimant.shown
        if script is None and definition is not None:
            shown = shown_path(claimant.script or claimant.path, claimant.root)
            known = Known(fault=unreadable(shown, "it is gone"))
        elif script is not None and script.fault is not None:
            known = Known(fault=script.fault)
        elif known is not None and known.fault is not None:
            known = replace(known, fault=with_file(known.fault, shown))
        tool = script_tool(
            shown=shown,
            stem=claimant.path.stem,
            definition=definition,
            block=script.block if script is not None else None,
            known=known,
            standard=self._standard,
        )
        tool = replace(tool, sandboxed=False) if tool.main_thread and self._in_application else tool
        problems = list(problems_of(tool.permissions, claimant.path.parent, self._roots))
        return _blocked(tool, with_file(faulty(problems), claimant.shown)) if problems else tool


def _linked(catalog: Catalog, sources: Sources) -> Catalog:
    """Judge the sequences of a catalog beside its other tools."""
    sequences = {}
    for name, claim in catalog.claims.items():
        source = sources.files.get(claim.definition) if claim.definition is not None else None
        if source is not None and isinstance(source.definition, SequenceDefinition):
            sequences[name] = source.definition
    if not sequences:
        return catalog
    tools = linked(sequences, catalog.tools)
    claims = {name: replace(one, tool=tools.get(name, one.tool)) for name, one in catalog.claims.items()}
    told_already = set(map(id, catalog.problems))
    news = (fault for tool in tools.values() for fault in tool.problems if id(fault) not in told_already)
    return replace(catalog, claims=claims, problems=(*catalog.problems, *news))


def _inside(source: Source) -> bool:
    """Say whether a file lies in its root: one outside is only there because a definition names it."""
    return source.path.is_relative_to(source.root)


def _switched_off(source: Source) -> bool:
    return source.block is not None and source.block.fields.get("enabled") is False


def _unnamed(source: Source) -> Tool:
    """Give the tool of a JSON file that never was right: it has the name of its file."""
    stem = source.path.stem
    return Tool(name_of(stem), words_of(stem), "script", file=source.shown)


def _blocked(tool: Tool, fault: Fault | None) -> Tool:
    return tool if fault is None else replace(tool, blocked=fault, problems=(fault, *tool.problems), checking=False)


def _closed(path: Path, reason: str, sources: Sources) -> Fault:
    root = next((root for root in sources.roots if path.is_relative_to(root)), path)
    return unreadable(shown_path(path, root), reason.lower())


def _tells(known: Known) -> object:
    """Give what tells two findings of one text apart: a fault by its words, else the outline."""
    return (known.fault.code, known.fault.message) if known.fault is not None else known.outline
