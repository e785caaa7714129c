"""Prompter: prompts with values in their places, as the messages of a conversation. Speaks no protocol."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sandbox import Fault
from scriptool.arguments import fit
from scriptool.call import Caller
from scriptool.definitions.prompttext import MAX_PROMPT, Piece, read_prompt
from scriptool.errors import close_names, invalid_params
from scriptool.folder import read
from scriptool.folders.library import Library
from scriptool.kinds.offer import Prompt
from scriptool.kinds.reading import Reading
from scriptool.offers.reader import Reader, proposed
from scriptool.schema import Schema

MAX_EMBEDDED: Final = 32
"""Most pictures and resources of one prompt."""

MAX_EMBEDDED_BYTES: Final = 16 * 1024 * 1024
"""And how large they may be, all together."""


@dataclass(frozen=True)
class Said:
    """One message: who says it and what: a text, a picture or sound of the folder, or a *resource*."""

    role: str
    content: str | Reading
    resource: bool = False


class Prompter:
    """Fills prompts. Lives as long as the server."""

    def __init__(self, library: Library, reader: Reader) -> None:
        self._library = library
        self._reader = reader

    async def find(self, name: str) -> Prompt:
        """Give the prompt *name* as its files are now.

        Raises: Fault `not_found`, and what is wrong with the prompt.
        """
        prompts = (await self._library.looked_over()).prompts
        prompt = prompts.get(name)
        if prompt is None:
            close = close_names(name, prompts)
            hint = "Did you mean " + " or ".join(f'"{one}"' for one in close) + "?" if close else "List the prompts."
            raise Fault("not_found", f"There is no prompt named {name[:200]!r}.", hint=hint, close=close)
        if prompt.blocked is not None:
            raise prompt.blocked
        return prompt

    async def fill(self, prompt: Prompt, arguments: Mapping[str, Any], caller: Caller) -> list[Said]:
        """Give the messages of *prompt* with *arguments* in their places.

        Raises: Fault `invalid_params`, `script_unreadable`, and what reading an embedded resource may raise.
        """
        fitted = fit(prompt.input, arguments)
        if fitted.problems:
            raise invalid_params(f"the prompt {prompt.name}", fitted.problems)
        data = await asyncio.to_thread(read, prompt.text, prompt.shown, MAX_PROMPT)
        pieces = list(read_prompt(data).filled(fitted.value))
        if sum(bool(piece.target) for piece in pieces) > MAX_EMBEDDED:
            raise Fault("result_too_large", f"The prompt embeds more than {MAX_EMBEDDED} pictures and resources.")
        said: list[Said] = []
        left = MAX_EMBEDDED_BYTES
        for piece in pieces:
            said.append(await self._said(prompt, piece, caller))
            content = said[-1].content
            left -= len(content.content) if isinstance(content, Reading) else 0
            if left < 0:
                raise Fault("result_too_large", f"The prompt embeds more than {MAX_EMBEDDED_BYTES >> 20} MB.")
        return said

    async def _said(self, prompt: Prompt, piece: Piece, caller: Caller) -> Said:
        if not piece.target:
            return Said(piece.role, piece.text)
        if ":" in piece.target:
            return Said(piece.role, await self._reader.read(piece.target, caller), resource=True)
        picture = await self._reader.picture(prompt.text.parent, piece.target)
        if not picture.mime_type.startswith(("image/", "audio/")):
            message = f"{piece.target} is neither a picture nor a sound, but {picture.mime_type}."
            hint = "Make it a resource, and embed that by its URI."
            raise Fault("definition_error", message, hint=hint, file=prompt.shown)
        return Said(piece.role, picture)

    async def values(self, name: str, argument: str) -> list[Any]:
        """Give what an argument of a prompt may be, as far as its author said.

        Raises: Fault `not_found`, and what is wrong with the prompt.
        """
        one = (await self.find(name)).inputs.get(argument)
        return proposed(one.schema_document()) if one is not None else []


def missing(prompt: Prompt, arguments: Mapping[str, Any]) -> Schema | None:
    """Give the schema of what *prompt* needs and was not given, or None when nothing is missing."""
    names = list(_missing(prompt, arguments))
    properties = prompt.input.document.get("properties", {})
    if not names:
        return None
    return Schema({"type": "object", "properties": {name: properties[name] for name in names}, "required": names})


def _missing(prompt: Prompt, arguments: Mapping[str, Any]) -> Iterator[str]:
    return (name for name, one in prompt.inputs.items() if one.required and arguments.get(name) is None)
