import struct
import zlib

WIDTH, BAR, GAP, BACKGROUND, COLOUR = 320, 14, 6, (255, 255, 255), (52, 101, 164)


def main(values: dict[str, float]):
    """Draw a bar for each value, the largest as wide as the picture, and say which is which.

    Args:
        values: What to draw, by name; nothing below zero.
    """
    if not values or min(values.values()) < 0 or max(values.values()) == 0:
        raise ToolError("needs at least one value above zero and none below")
    most = max(values.values())
    rows = [row(0)] * GAP
    for value in values.values():
        rows += [row(round(value / most * (WIDTH - 2 * GAP)))] * BAR + [row(0)] * GAP
    legend = "\n".join(f"{number}. {name}: {value:g}" for number, (name, value) in enumerate(values.items(), 1))
    return [ctx.content.image(png(rows)), f"From top to bottom:\n{legend}"]


def row(length: int) -> bytes:
    pixels = [BACKGROUND] * GAP + [COLOUR] * length + [BACKGROUND] * (WIDTH - GAP - length)
    return b"".join(map(bytes, pixels))


def png(rows: list[bytes]) -> bytes:
    header = struct.pack(">IIBBBBB", WIDTH, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + pixels for pixels in rows))
    parts = (b"IHDR", header), (b"IDAT", data), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
