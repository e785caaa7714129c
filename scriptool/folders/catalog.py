"""Catalog: all tools and all load problems at one moment; and who gets a name that several files claim."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from sandbox import Fault
from scriptool.kinds.offer import Offer, Prompt, Resource
from scriptool.tool import Run, Tool


@dataclass(frozen=True)
class Claim:
    """One file's claim to be the tool of a name.

    *path* is the file that claims, *script* the one that would run; tools that are no script bring their way to *run*
    and, if they are ever destructive, to *rehearse* a dry run.
    """

    tool: Tool
    path: Path
    shown: str
    stem: str
    definition: Path | None = None
    script: Path | None = None
    run: Run | None = None
    rehearse: Run | None = None

    @property
    def name(self) -> str:
        """Give the name that is claimed."""
        return self.tool.name

    @property
    def problems(self) -> tuple[Fault, ...]:
        """Give what is wrong with the tool."""
        return self.tool.problems

    def told(self, problems: Iterable[Fault]) -> "Claim":
        """Give the same claim with further problems."""
        return replace(self, tool=replace(self.tool, problems=(*self.tool.problems, *problems)))

    @property
    def rank(self) -> tuple[bool, bool, str]:
        """Order claimants of one name: the file called like it, then definitions, then by path."""
        return (self.stem != self.tool.name, self.definition is None, self.shown)


@dataclass(frozen=True)
class Shadowed:
    """A file whose tool is hidden by one of the same name in an earlier folder."""

    name: str
    path: Path
    by: Path


@dataclass(frozen=True)
class Catalog:
    """All tools, prompts and resources and all load problems at one moment. Immutable; *number* grows with each change.

    A prompt may have the name of a tool, and a resource too: nobody can take one for the other.
    """

    number: int
    claims: Mapping[str, Claim] = field(default_factory=dict)
    problems: tuple[Fault, ...] = ()
    shadowed: tuple[Shadowed, ...] = ()
    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    resources: Mapping[str, Resource] = field(default_factory=dict)

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Give the tools of files by name, in the order of their names."""
        return {name: claim.tool for name, claim in self.claims.items() if claim.tool.source != "builtin"}

    @cached_property
    def listed(self) -> tuple[Tool, ...]:
        """Give all tools, the built-in ones too, in the order of their names."""
        return tuple(claim.tool for claim in self.claims.values())

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Give former names that still work, each with the name it leads to."""
        former = {alias: name for name, tool in self.tools.items() for alias in tool.aliases}
        return {alias: name for alias, name in former.items() if alias not in self.tools}

    @property
    def offers(self) -> tuple[Offer, ...]:
        """Give all prompts, then all resources, each in the order of their names."""
        return (*self.prompts.values(), *self.resources.values())

    def same_tools(self, other: "Catalog") -> bool:
        """Say whether a list of tools looks the same in both; that one is being checked does not count."""
        if self.claims.keys() != other.claims.keys():
            return False
        pairs = ((claim.tool, other.claims[name].tool) for name, claim in self.claims.items())
        return all(mine is theirs or _looks(mine) == _looks(theirs) for mine, theirs in pairs)

    def same_news(self, other: "Catalog") -> bool:
        """Say whether both have tools that look the same and the same problems."""
        if not self.same_tools(other) or len(self.problems) != len(other.problems):
            return False
        pairs = zip(self.problems, other.problems, strict=True)
        return all(mine is theirs or mine.to_json() == theirs.to_json() for mine, theirs in pairs)

    def same_prompts(self, other: "Catalog") -> bool:
        """Say whether a list of prompts looks the same in both."""
        return self.prompts == other.prompts

    def same_resources(self, other: "Catalog") -> bool:
        """Say whether a list of resources, or of templates for them, looks the same in both."""
        return self.resources == other.resources


def _looks(tool: Tool) -> dict[str, Any]:
    return {key: value for key, value in tool.listing().items() if key != "checking"}


class Contender(Protocol):
    """One file's claim to a name."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def shown(self) -> str: ...
    @property
    def rank(self) -> tuple[bool, bool, str]: ...
    @property
    def problems(self) -> tuple[Fault, ...]: ...
    def told(self, problems: Iterable[Fault]) -> Self: ...


C = TypeVar("C", bound=Contender)


def arrange(folders: Sequence[Iterable[Claim]], problems: Iterable[Fault], builtins: Iterable[Claim] = ()) -> Catalog:
    """Give the catalog of the claims of each folder, in order of precedence; its number is still 0."""
    faults, shadowed = list(problems), list[Shadowed]()
    winners = contest(folders, {claim.name: claim for claim in builtins}, faults, shadowed)
    return Catalog(0, winners, tuple(faults), tuple(shadowed))


def contest(
    folders: Sequence[Iterable[C]], winners: Mapping[str, C], faults: list[Fault], shadowed: list[Shadowed]
) -> dict[str, C]:
    """Give who gets each name, beside *winners* who have theirs; add what is to be said to *faults* and *shadowed*.

    In one folder the file whose stem is the name wins, else a definition, else the first by path, and each claimant
    is told; between folders the earlier one wins and the later is shadowed. Nobody gets the name
    of a built-in tool.
    """
    winners = dict(winners)
    for claims in folders:
        by_name: dict[str, list[C]] = {}
        for claim in claims:
            by_name.setdefault(claim.name, []).append(claim)
        for name, claimants in by_name.items():
            claimants.sort(key=lambda claim: claim.rank)
            if name in winners and winners[name].path == Path():
                faults += [one for claim in claimants for one in claim.problems or (_reserved(name, claim),)]
                continue
            if name in winners:
                shadowed += [Shadowed(name, claim.path, winners[name].path) for claim in claimants]
                continue
            clashes = [_clash(name, claim, claimants) for claim in claimants] if len(claimants) > 1 else []
            faults += clashes
            winners[name] = claimants[0].told(clashes) if clashes else claimants[0]
    told_already = set(map(id, faults))
    faults += [one for claim in winners.values() for one in claim.problems if id(one) not in told_already]
    return dict(sorted(winners.items()))


def _reserved(name: str, claim: Contender) -> Fault:
    message = f"{name!r} is the name of a built-in tool; {claim.shown} does not run"
    problem = {"path": "/name", "message": message, "hint": "Rename the file."}
    return Fault("definition_error", message, hint=problem["hint"], file=claim.shown, problems=[problem])


def _clash(name: str, claim: Contender, claimants: Sequence[Contender]) -> Fault:
    files = [one.shown for one in claimants]
    verb, noun = ("runs", "tool") if isinstance(claim, Claim) else ("is used", type(claim).__name__.lower())
    runs = f"it {verb}" if claim is claimants[0] else f"{claimants[0].shown} {verb} instead"
    message = f"name clash: {', '.join(files)} all claim the name {name!r}; for {claim.shown}, {runs}"
    problem: dict[str, Any] = {"path": "/name", "rule": "name_clash", "message": message}
    hint = f"Give each {noun} a name of its own, in its definition or by renaming its file."
    return Fault("definition_error", message, hint=hint, file=claim.shown, problems=[problem | {"hint": hint}])
