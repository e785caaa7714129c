"""Offer: what a server has for its clients beside tools: a prompt or a resource, as it stands in a catalog."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

from sandbox import Fault
from scriptool.definitions.uritemplate import UriTemplate
from scriptool.fields import Input
from scriptool.schema import Schema


@dataclass(frozen=True)
class Offer:
    """A prompt or a resource. Immutable.

    *path* is the file that makes it, *shown* the same as users see it, *definition* whether that is a JSON file.
    *blocked* is the fault that asking for it answers with, if any.
    """

    name: str
    description: str
    path: Path
    shown: str
    definition: bool = True
    title: str | None = None
    problems: tuple[Fault, ...] = ()
    blocked: Fault | None = None

    @property
    def rank(self) -> tuple[bool, bool, str]:
        """Order claimants of one name: the file called like it, then definitions, then by path."""
        return (self.path.stem != self.name, not self.definition, self.shown)

    def told(self, problems: Iterable[Fault]) -> Self:
        """Give the same with further problems."""
        return replace(self, problems=(*self.problems, *problems))


@dataclass(frozen=True)
class Prompt(Offer):
    """A text for a conversation. *text* is its file, *inputs* are what goes into it, which *input* judges."""

    text: Path = field(default_factory=Path)
    inputs: Mapping[str, Input] = field(default_factory=dict)
    input: Schema = field(default_factory=lambda: Schema({"type": "object", "additionalProperties": False}))


@dataclass(frozen=True)
class Resource(Offer):
    """Something to read at a URI of *template*: the file *place* in *folder*, a file below the folder *place* in it, or
    what *tool* gives for *arguments*. *input* judges the variables of a URI."""

    kind: Literal["file", "folder", "tool"] = "file"
    template: UriTemplate = field(default_factory=lambda: UriTemplate("", ()))
    folder: Path = field(default_factory=Path)
    place: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    inputs: Mapping[str, Input] = field(default_factory=dict)
    input: Schema = field(default_factory=lambda: Schema({"type": "object"}))
    mime_type: str | None = None
