"""Completion: values that authors declared complete arguments of prompts and variables of resources, in both eras."""

import json

import mcp
import pytest
from mcp import types

from scriptool.offers.completion import complete
from tests.conftest import WriteTool

PROMPT = """\
+++
[inputs.tone]
type = "string"
enum = ["formal", "friendly", "firm"]
[inputs.city]
type = "string"
suggest = ["Berlin", "Bonn", "Bern"]
[inputs.short]
type = "boolean"
default = false
[inputs.anything]
type = "string"
+++
{tone} {city} {short} {anything}
"""


WEATHER = """\
from typing import Literal
def main(city: Literal['Rome', 'Riga']) -> str:
    "Weather."
    return city
"""


def prompt(name: str = "letter") -> types.PromptReference:
    return types.PromptReference(type="ref/prompt", name=name)


def template(uri: str) -> types.ResourceTemplateReference:
    return types.ResourceTemplateReference(type="ref/resource", uri=uri)


async def values(
    agent: mcp.Client, ref: types.PromptReference | types.ResourceTemplateReference, name: str, typed: str = ""
) -> list[str]:
    return (await agent.complete(ref, {"name": name, "value": typed})).completion.values


async def test_what_is_declared_of_a_prompt_completes_it(agent: mcp.Client, era: str, write_tool: WriteTool) -> None:
    write_tool("letter.md", PROMPT)
    assert era != "legacy" or agent.server_capabilities.completions is not None
    assert await values(agent, prompt(), "tone", "f") == ["formal", "friendly", "firm"]
    assert await values(agent, prompt(), "tone", "RM") == ["formal", "firm"]
    assert await values(agent, prompt(), "city", "be") == ["Berlin", "Bern"]
    assert await values(agent, prompt(), "short") == ["true", "false"]
    assert await values(agent, prompt(), "anything", "x") == []
    assert await values(agent, prompt(), "unknown", "x") == []


async def test_resources_are_completed_by_files_inputs_tools_and_names(
    agent: mcp.Client, write_tool: WriteTool
) -> None:
    def define(name: str, **fields: object) -> None:
        value = {"name": name, "kind": "resource", "description": "."} | fields
        write_tool(f"{name}.json", json.dumps(value))

    write_tool("weather.py", WEATHER)
    define("docs", folder="data", uri="docs://{+path}")
    define("city", tool="weather", uri="city://{city}")
    define("trip", tool="weather", uri="trip://{to}", arguments={"city": "{to}"})
    own = {"at": {"type": "string", "suggest": ["home", "work"]}}
    define("mine", tool="weather", uri="mine://{at}", inputs=own, arguments={"city": "{at}"})
    write_tool("data/a.txt", "")
    write_tool("data/deep/b.txt", "")
    write_tool("data/.hidden", "")
    await agent.list_tools()
    assert await values(agent, template("docs://{+path}"), "path") == ["a.txt", "deep/b.txt"]
    assert await values(agent, template("city://{city}"), "city", "ri") == ["Riga"]
    assert await values(agent, template("trip://{to}"), "to") == ["Rome", "Riga"]
    assert await values(agent, template("mine://{at}"), "at", "w") == ["work"]
    assert await values(agent, template("scriptool://tools/{name}/source"), "name", "w") == ["weather"]


async def test_an_unknown_reference_is_refused(agent: mcp.Client, write_tool: WriteTool) -> None:
    for ref in (prompt("nothing"), template("nothing://{x}")):
        with pytest.raises(mcp.MCPError) as raised:
            await values(agent, ref, "x")
        assert raised.value.error.code == -32602


def test_a_hundred_values_are_proposed_at_most_those_that_begin_first() -> None:
    found = complete([*range(150), "x1", 1.5, None], "1")
    assert (len(found.values), found.values[0], found.values[-1]) == (71, "1", "x1")
    assert complete(range(500), "") == ([str(number) for number in range(100)], 500)
