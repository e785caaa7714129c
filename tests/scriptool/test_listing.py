"""The tools as MCP lists them, for each era."""

from pathlib import Path

from scriptool.facades.listing import PAGE, Listing
from scriptool.folders.catalog import Catalog, Claim
from scriptool.schema import Schema
from scriptool.tool import Tool


def catalog(*tools: Tool) -> Catalog:
    return Catalog(1, {tool.name: Claim(tool, Path(tool.name), tool.name, tool.name) for tool in tools})


def test_an_output_schema_keeps_its_definitions_when_it_is_wrapped_for_older_clients() -> None:
    schema = {"type": "array", "items": {"$ref": "#/$defs/Row"}, "$defs": {"Row": {"type": "object"}}}
    listing, tools = Listing(), catalog(Tool("rows", "Rows.", "script", output=Schema(schema), output_written=True))
    (newer,) = listing.page(tools, modern=True, cursor=None)["tools"]
    (older,) = listing.page(tools, modern=False, cursor=None)["tools"]
    assert newer["outputSchema"] == schema
    assert older["outputSchema"] == {
        "type": "object",
        "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/Row"}}},
        "required": ["result"],
        "$defs": {"Row": {"type": "object"}},
    }


def test_ten_thousand_tools_come_in_pages_and_are_made_once() -> None:
    tools = catalog(*(Tool(f"t{number:05}", "One of many.", "script") for number in range(10_000)))
    listing, names, cursor, first = Listing(), list[str](), None, None
    while True:
        page = listing.page(tools, modern=True, cursor=cursor)
        first = first or page
        names += [tool["name"] for tool in page["tools"]]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert names == sorted(tools.tools)
    again = listing.page(tools, modern=True, cursor=None)
    assert all(one is other for one, other in zip(first["tools"], again["tools"], strict=True))
    assert len(again["tools"]) == PAGE
