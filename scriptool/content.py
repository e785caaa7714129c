"""Content: a script's value as the blocks that clients show, read from what its process sent, which may be anything."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

Block = Mapping[str, Any]


def blocks_of(value: Any) -> tuple[Block, ...] | None:
    """Give the blocks that *value* is made of, texts and other JSON among them as text; None where one is broken.

    Of each block only what clients know of its type is kept: one odd member makes some of them lose the whole result.
    """
    items = value if isinstance(value, list) else [value]
    blocks = [_block(item) if isinstance(item, dict) and "type" in item else _text(item) for item in items]
    whole = tuple(block for block in blocks if block is not None)
    return whole if len(whole) == len(blocks) else None


def _text(item: Any) -> Block:
    return {"type": "text", "text": item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)}


def _block(given: dict[str, Any]) -> Block | None:
    match given:
        case {"type": "text", "text": str(text)}:
            block: dict[str, Any] = {"type": "text", "text": text}
        case {"type": "image" | "audio" as kind, "data": str(data), "mimeType": str(mime)} if _is_base64(data):
            block = {"type": kind, "data": data, "mimeType": mime}
        case {"type": "resource", "resource": {"uri": str(), "mimeType": str(), "text": str()} as inner}:
            block = {"type": "resource", "resource": {name: inner[name] for name in ("uri", "mimeType", "text")}}
        case {"type": "resource", "resource": {"uri": str(), "mimeType": str(), "blob": str(data)} as inner} if (
            _is_base64(data)
        ):
            block = {"type": "resource", "resource": {name: inner[name] for name in ("uri", "mimeType", "blob")}}
        case {"type": "resource_link", "uri": str(), "name": str()}:
            known = ("uri", "name", "title", "description", "mimeType")
            block = {"type": "resource_link"} | {
                name: given[name] for name in known if isinstance(given.get(name), str)
            }
        case _:
            return None
    if _are_annotations(given.get("annotations")):
        block["annotations"] = given["annotations"]
    return block


def _are_annotations(given: Any) -> bool:
    """Say whether *given* is what MCP lets a block say of itself: for whom it is and how much it matters."""
    if not isinstance(given, dict) or not given.keys() <= {"audience", "priority"}:
        return False
    audience, priority = given.get("audience", []), given.get("priority", 0)
    return (
        isinstance(audience, list)
        and all(one in ("user", "assistant") for one in audience)
        and isinstance(priority, int | float)
        and not isinstance(priority, bool)
        and 0 <= priority <= 1
    )


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
