"""Prompt text: a Markdown file as the messages of a conversation, with places for inputs, pictures and resources.

A block of TOML between two lines `+++` at its very beginning describes the prompt. `{input}` is replaced by a value,
`{{word}}` by `{word}`. A line `<!-- assistant -->` or `<!-- user -->` begins a message of that role. An image that has
a line to itself becomes what it names: a picture or sound of the folder, or a resource by its URI.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sandbox import Fault
from scriptool.definitions import tomltext
from scriptool.definitions.filling import Filling
from scriptool.definitions.judgement import problems_of
from scriptool.definitions.metadata import Block
from scriptool.fields import PromptDefinition
from scriptool.schema import Problem
from scriptool.tool import name_of, words_of

FENCE: Final = "+++"
MAX_PROMPT: Final = 1024 * 1024
"""Most bytes of a prompt's text."""

_PLACE: Final = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}", re.ASCII)
_ROLE: Final = re.compile(r"<!--\s*(user|assistant)\s*-->")
_IMAGE: Final = re.compile(r"!\[[^\]]*\]\(\s*<?([^()<>\s]+)>?\s*\)")
_ELSEWHERE: Final = ("http:", "https:", "data:")
"""Images of the web stay text: a prompt fetches nothing."""


@dataclass(frozen=True)
class Piece:
    """One message: the *role* that says it and its *text*, or what *target* names."""

    role: str
    text: str = ""
    target: str = ""


@dataclass(frozen=True)
class PromptText:
    """A prompt's file: the *block* that describes it, if it has one, its *pieces*, the line of each of its *places* for
    an input by its name, and whether it *says* anything."""

    block: Block | None
    pieces: tuple[Piece, ...]
    places: Mapping[str, int]
    says: bool

    def outline(self) -> "PromptText":
        """Give the same without the text, to be kept for long."""
        return replace(self, pieces=())

    def definition(self, stem: str) -> PromptDefinition | None:
        """Give the definition that the block of STEM.md makes, if it is a good one."""
        if self.block is None or self.block.fault is not None:
            return None
        return PromptDefinition.model_validate({**_assumed(stem), **self.block.fields})

    def filled(self, values: Mapping[str, Any]) -> Iterator[Piece]:
        """Give the messages with *values* in their places; an input without one leaves nothing.

        Raises: Fault `invalid_params`.
        """
        filling = Filling()

        def value(place: re.Match[str]) -> Any:
            return f"{{{place[1]}}}" if place[1] is not None else values.get(place[2])

        for piece in self.pieces:
            yield Piece(piece.role, filling.text(_PLACE, piece.text, value), filling.text(_PLACE, piece.target, value))


def read_prompt(data: bytes) -> PromptText:
    """Read a prompt's file. What is wrong with its block is the block's fault, a `definition_error` without `file`."""
    lines = data.decode("utf-8-sig", "replace").splitlines()
    block, end = _block(lines)
    places: dict[str, int] = {}
    for number, line in enumerate(lines[end:], end + 1):
        for found in _PLACE.finditer(line):
            if found[2] is not None:
                places.setdefault(found[2], number)
    pieces = tuple(_pieces(lines[end:]))
    return PromptText(block, pieces, places, bool(pieces))


def place_problems(text: PromptText, definition: PromptDefinition, shown: str) -> Iterator[Problem]:
    """Give what is wrong between the places of a text, whose file is *shown*, and the inputs of its definition."""
    declared = definition.inputs or {}
    for name, line in text.places.items():
        if name not in declared:
            hint = f"Declare it in `inputs`, or write {{{{{name}}}}} for the text {{{name}}}."
            problem = {"path": "", "message": f"{{{name}}} names no input", "file": shown, "line": line, "hint": hint}
            yield problem
    for name in declared:
        if name not in text.places:
            hint = f"Write {{{name}}} where its value belongs, or take it out."
            yield {"path": f"/inputs/{name}", "message": "has no place in the text", "hint": hint}
    if not text.says:
        yield {"path": "", "message": "the text is empty", "file": shown, "line": 1}


def _block(lines: list[str]) -> tuple[Block | None, int]:
    """Give the block a file begins with, and how many of its lines are no text."""
    if not lines or lines[0].rstrip() != FENCE:
        return None, 0
    ends = [number for number, line in enumerate(lines[1:], 2) if line.rstrip() == FENCE]
    if not ends:
        problem = {"message": "the block is not closed", "line": 1, "hint": f"End it with a line `{FENCE}`."}
        return Block(fault=_faulty([{"path": "", **problem}])), len(lines)
    body = lines[1 : ends[0] - 1]
    return _understood(body), ends[0]


def _understood(body: list[str]) -> Block:
    try:
        stated = tomltext.parse(body, 1)
    except tomltext.NotToml as error:
        return Block(fault=_faulty([error.problem]))
    hint = "A block describes the text it stands above, and that is a prompt."
    foreign = [name for name in ("file", "kind") if name in stated and (name, stated[name]) != ("kind", "prompt")]
    problems: list[Problem] = [{"path": f"/{one}", "message": "may not stand here", "hint": hint} for one in foreign]
    problems += problems_of({**_assumed("prompt"), **stated, "kind": "prompt"})
    lines = tomltext.Lines(body, 1)
    placed = [one | {"line": lines.of(one["path"])} for one in problems]
    return Block(stated, fault=_faulty(placed) if placed else None)


def _assumed(stem: str) -> dict[str, Any]:
    return {"name": name_of(stem), "description": words_of(stem), "kind": "prompt", "file": f"{stem}.md"}


def _faulty(problems: list[Problem]) -> Fault:
    said = "; ".join(f"line {one['line']}: {one['path'] or 'the block'}: {one['message']}" for one in problems)
    hints = " ".join(dict.fromkeys(one["hint"] for one in problems if one.get("hint")))
    return Fault("definition_error", f"The block of the prompt is not valid: {said}", hint=hints, problems=problems)


def _pieces(lines: list[str]) -> Iterator[Piece]:
    role, kept, fenced = "user", list[str](), False
    for line in lines:
        stripped = line.strip()
        fenced ^= stripped.startswith(("```", "~~~"))
        turn, image = _ROLE.fullmatch(stripped), _IMAGE.fullmatch(stripped)
        embeds = image is not None and not image[1].startswith(_ELSEWHERE)
        if fenced or (turn is None and not embeds):
            kept.append(line)
            continue
        yield from _said(role, kept)
        kept = []
        if turn is not None:
            role = turn[1]
        elif image is not None:
            yield Piece(role, target=image[1])
    yield from _said(role, kept)


def _said(role: str, lines: list[str]) -> Iterator[Piece]:
    text = "\n".join(lines).strip()
    if text:
        yield Piece(role, text)
