"""Field schema: JSON Schemas of the files authors write, made of the fields themselves, for editors and checkers."""

from typing import Any, Final

from scriptool.fields import MODELS, Described

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

BLOCKS: Final = {"tool-block": "script", "prompt-block": "prompt"}
"""What stands inside a script or a Markdown file, with the kind whose fields it has."""

_ASSUMED: Final = ("name", "description", "kind", "file")
"""What a block need not say, as the file it stands in does."""

KINDS: Final = (*MODELS, *BLOCKS)
"""What there is a schema of."""


def schema_of(kind: str) -> dict[str, Any]:
    """Give the JSON Schema of a definition of *kind*, or of a block."""
    return {"$schema": DIALECT, **_document(MODELS[BLOCKS.get(kind, kind)], block=kind in BLOCKS)}


def any_schema() -> dict[str, Any]:
    """Give the JSON Schema of a JSON definition of any kind."""
    shared: dict[str, Any] = {}
    for kind, model in MODELS.items():
        document = _document(model, block=False)
        shared |= document.pop("$defs", {})
        shared[kind] = document
    cases = [
        {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": {"$ref": f"#/$defs/{kind}"}}
        for kind in MODELS
    ]
    kinds = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": list(MODELS)}}}
    return {"$schema": DIALECT, "title": "A definition of scriptool", **kinds, "allOf": cases, "$defs": shared}


def _document(model: type[Described], *, block: bool) -> dict[str, Any]:
    document: dict[str, Any] = _untitled(model.model_json_schema(by_alias=True))
    if block:
        document["properties"] = {name: one for name, one in document["properties"].items() if name != "file"}
        document["required"] = [name for name in document["required"] if name not in _ASSUMED]
    return document


def _untitled(node: Any) -> Any:
    """Leave out the titles that are only the names of fields."""
    if isinstance(node, list):
        return [_untitled(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _untitled(item) for key, item in node.items() if key != "title" or not isinstance(item, str)}
