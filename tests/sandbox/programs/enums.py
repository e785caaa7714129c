"""Enums."""

import enum, http
class Colour(enum.Enum):
    RED = 1
    GREEN = enum.auto()
    def lower(self): return self.name.lower()
class Size(enum.IntEnum): S = 1; L = 2
class Word(enum.StrEnum): HI = enum.auto()
class Right(enum.Flag): READ = enum.auto(); WRITE = enum.auto()
Made = enum.Enum("Made", "A B")
class Planet(enum.Enum):
    MARS = (6.4e23, 3.4e6)
    EARTH = (6.0e24, 6.4e6)
    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius
        self.note = self._noted()
    def _noted(self): return f"{self._value_[0]:.0e}"
class Code(enum.IntEnum):
    OK = 200
    def __init__(self, number): setattr(self, "kind", number // 100)
class Based(str, enum.Enum):
    def __init__(self, text): self.length = len(text)
class Low(Based): A = "abc"
result = [Colour.RED.lower(), Colour(2).name, Colour["RED"].value, [c.name for c in Colour], Size.L + 1,
          f"{Word.HI}", (Right.READ | Right.WRITE).value, Made.B.value, isinstance(http.HTTPStatus.OK, enum.Enum),
          repr(Colour.RED), list(Colour.__members__), Size.S < Size.L, Colour.RED in Colour,
          Planet.EARTH.mass, Planet.MARS.note, Code.OK.kind, Low.A.length, Low("abc").name]
