"""The tools as an OpenAPI document: what it refers to is there, and no definition is lost."""

import json
from collections.abc import Iterator
from typing import Any

from scriptool.facades.openapi import openapi
from scriptool.schema import Schema
from scriptool.tool import Tool

TREE = {
    "type": "object",
    "properties": {
        "root": {"$ref": "#/$defs/Node"},
        "again": {"$ref": "#"},
        "part": {"$ref": "#/properties/root"},
        "odd": {"$ref": "#/$defs/a~1b c"},
        "word": {"const": {"$ref": "#/nowhere"}},
        "default": {"$ref": "#/$defs/Node"},
    },
    "$defs": {
        "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
        "a/b c": {"type": "string"},
        "a_b_c": {"type": "integer"},
    },
}


def test_definitions_stand_under_components_and_every_reference_leads_somewhere() -> None:
    tool = Tool(
        "walk", "Walk a tree.", "script", input=Schema(TREE), output=Schema({"$ref": "#/$defs/N", "$defs": {"N": {}}})
    )
    document = openapi([tool], "1")
    assert "$defs" not in json.dumps(document)
    assert sorted(document["components"]["schemas"]) == [
        "Failure",
        "Job",
        "walk_arguments",
        "walk_arguments.Node",
        "walk_arguments.a_b_c",
        "walk_arguments.a_b_c_",
        "walk_result",
        "walk_result.N",
    ]
    found = list(references(document))
    assert len(found) > 6
    assert [reference for reference in found if resolved(document, reference) is None] == []


def test_a_reference_keeps_its_meaning_when_it_is_moved() -> None:
    schemas = openapi([Tool("walk", "Walk.", "script", input=Schema(TREE))], "1")["components"]["schemas"]
    properties = schemas["walk_arguments"]["properties"]
    prefix = "#/components/schemas/walk_arguments"
    assert properties == {
        "root": {"$ref": f"{prefix}.Node"},
        "again": {"$ref": prefix},
        "part": {"$ref": f"{prefix}/properties/root"},
        "odd": {"$ref": f"{prefix}.a_b_c"},
        "word": {"const": {"$ref": "#/nowhere"}},
        "default": {"$ref": f"{prefix}.Node"},
    }
    assert schemas["walk_arguments.Node"]["properties"] == {"next": {"$ref": f"{prefix}.Node"}}


def references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for child in node:
            yield from references(child)
    elif isinstance(node, dict):
        for key, child in node.items():
            if key == "$ref":
                yield child
            elif key != "const":
                yield from references(child)


def resolved(document: Any, reference: str) -> Any:
    for part in reference.removeprefix("#/").split("/"):
        document = document.get(part) if isinstance(document, dict) else None
    return document
