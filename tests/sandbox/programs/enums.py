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
result = [Colour.RED.lower(), Colour(2).name, Colour["RED"].value, [c.name for c in Colour], Size.L + 1,
          f"{Word.HI}", (Right.READ | Right.WRITE).value, Made.B.value, isinstance(http.HTTPStatus.OK, enum.Enum),
          repr(Colour.RED), list(Colour.__members__), Size.S < Size.L, Colour.RED in Colour]
