"""`ctx.content` for scripts: blocks that clients show as what they are, instead of reading them as JSON."""

import base64
import re
from typing import Any

_MIME_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(;.*)?", re.ASCII)
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"ID3": "audio/mpeg",
    b"OggS": "audio/ogg",
    b"fLaC": "audio/flac",
}
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp"}


class Block(dict[str, Any]):
    """One piece of content; as JSON it is the block of the Model Context Protocol."""


class ContentBlocks:
    """`ctx.content`: makes blocks. A script returns one, or a list of blocks, texts and JSON values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<ctx.content>"

    def text(self, text: Any) -> Block:
        """Give a block of text."""
        return Block(type="text", text=str(text))

    def image(self, data: Any, mime_type: str | None = None) -> Block:
        """Give an image; without *mime_type*, which PNG, JPEG, GIF and WebP tell of themselves."""
        return _media("image", data, mime_type)

    def audio(self, data: Any, mime_type: str | None = None) -> Block:
        """Give a sound; without *mime_type*, which WAV, MP3, Ogg and FLAC tell of themselves."""
        return _media("audio", data, mime_type)

    def resource(self, uri: Any, content: Any, mime_type: str | None = None) -> Block:
        """Give a document that goes by *uri*; its *content* is a text or bytes."""
        inner: dict[str, Any] = {"uri": str(uri)}
        if isinstance(content, str):
            inner |= {"mimeType": _checked(mime_type or "text/plain"), "text": str.__str__(content)}
        else:
            data = bytes(memoryview(content))
            inner |= {"mimeType": _checked(mime_type or _told_by(data) or "application/octet-stream")}
            inner["blob"] = base64.b64encode(data).decode()
        return Block(type="resource", resource=inner)

    def link(self, uri: Any, name: Any, *, description: Any = None, mime_type: str | None = None) -> Block:
        """Give a link to a resource, which the client may read if it wants to."""
        block = Block(type="resource_link", uri=str(uri), name=str(name))
        if description is not None:
            block["description"] = str(description)
        if mime_type is not None:
            block["mimeType"] = _checked(mime_type)
        return block


def is_content(value: Any) -> bool:
    """Say whether a script returned content: a block, or a list with a block in it."""
    if type(value) is Block:
        return True
    return type(value) in (list, tuple) and any(type(item) is Block for item in value)


def _media(kind: str, data: Any, mime_type: str | None) -> Block:
    content = bytes(memoryview(data))
    told = mime_type if mime_type is not None else _told_by(content)
    if told is None:
        raise ValueError(f"ctx.content.{kind}() cannot tell what these bytes are; name their mime_type")
    if not _checked(told).startswith(f"{kind}/"):
        raise ValueError(f"ctx.content.{kind}() takes {kind}/... as mime_type, not {told!r}")
    return Block(type=kind, data=base64.b64encode(content).decode(), mimeType=told)


def _told_by(data: bytes) -> str | None:
    if data[:4] == b"RIFF":
        return _RIFF.get(data[8:12])
    return next((mime_type for start, mime_type in _SIGNATURES.items() if data.startswith(start)), None)


def _checked(mime_type: Any) -> str:
    if not isinstance(mime_type, str) or not _MIME_TYPE.fullmatch(mime_type):
        raise ValueError(f"{mime_type!r} is no mime type, such as 'image/png'")
    return str.__str__(mime_type)
