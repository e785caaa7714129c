"""Content: a script's value as the blocks that clients show, read from what its process sent, which may be anything."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

Block = Mapping[str, Any]


def blocks_of(value: Any) -> tuple[Block, ...] | None:
    """Give the blocks that *value* is made of, texts and other JSON among them as text; None where one is broken."""
    items = value if isinstance(value, list) else [value]
    blocks = tuple(item if isinstance(item, dict) and "type" in item else _text(item) for item in items)
    return blocks if all(map(_is_block, blocks)) else None


def _text(item: Any) -> Block:
    return {"type": "text", "text": item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)}


def _is_block(block: Block) -> bool:
    match block:
        case {"type": "text", "text": str()}:
            return True
        case {"type": "image" | "audio", "data": str(data), "mimeType": str()}:
            return _is_base64(data)
        case {"type": "resource", "resource": {"uri": str(), "mimeType": str(), "text": str()}}:
            return True
        case {"type": "resource", "resource": {"uri": str(), "mimeType": str(), "blob": str(data)}}:
            return _is_base64(data)
        case {"type": "resource_link", "uri": str(), "name": str()}:
            return True
    return False


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
