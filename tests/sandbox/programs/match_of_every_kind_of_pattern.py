"""Match of every kind of pattern."""

from dataclasses import dataclass
@dataclass
class Point:
    x: int
    y: int
class Kind:
    RED = 1
def tell(value):
    match value:
        case None | True: return "constant"
        case Kind.RED: return "value"
        case int(n) if n > 100: return f"big {n}"
        case Point(0, y): return f"on axis {y}"
        case Point(x=px, y=py): return f"point {px} {py}"
        case [first, *rest]: return ["list", first, rest]
        case {"kind": "a", **others}: return ["map", others]
        case str() as text: return text.upper()
        case _: return "other"
result = [tell(v) for v in (None, 1, 200, Point(0, 5), Point(1, 2), [1, 2, 3], {"kind": "a", "b": 1}, "hi", 2.5)]
