"""Provider: the tools as each provider of language models wants them written in a request."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from scriptool.tool import Tool

Shape = dict[str, Any]


def _openai(tools: Iterable[Tool]) -> list[Shape]:
    """Chat Completions: each tool is a function with `parameters`."""
    return [
        {"type": "function", "function": {**_named(tool), "parameters": dict(tool.input.document)}} for tool in tools
    ]


def _anthropic(tools: Iterable[Tool]) -> list[Shape]:
    """Messages: each tool has an `input_schema`."""
    return [{**_named(tool), "input_schema": dict(tool.input.document)} for tool in tools]


def _gemini(tools: Iterable[Tool]) -> list[Shape]:
    """GenerateContent: one tool declares all functions. Its older `parameters` knows only a part of JSON Schema."""
    declared = [{**_named(tool), "parametersJsonSchema": dict(tool.input.document)} for tool in tools]
    return [{"functionDeclarations": declared}]


def _named(tool: Tool) -> Shape:
    return {"name": tool.name, "description": tool.description}


FORMATS: Final[Mapping[str, Callable[[Iterable[Tool]], list[Shape]]]] = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai": _openai,
}
"""What `?format=` may be: how each provider's request wants its `tools`."""
