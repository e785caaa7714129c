"""Dataclasses."""

import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar
@dataclass(order=True)
class Item:
    price: float
    name: str = "thing"
    tags: list = field(default_factory=list, compare=False)
    made: ClassVar[int] = 0
    total: float = field(init=False, default=0)
    def __post_init__(self): self.total = self.price * 2
@dataclass(frozen=True, slots=True)
class Fixed:
    x: int
    inner: Item
a, b = Item(1.5), Item(2, tags=["x"])
fixed = Fixed(1, b)
try: fixed.x = 2
except dataclasses.FrozenInstanceError: frozen = True
Point = dataclasses.make_dataclass("Point", ["x", ("y", int, 5)])
result = [a < b, repr(a), dataclasses.asdict(fixed), dataclasses.astuple(b), dataclasses.replace(a, name="n").name,
          [f.name for f in dataclasses.fields(Item)], frozen, repr(Point(1)), a.tags is not Item(1).tags]
