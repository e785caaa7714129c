import typing

alias = typing.Type[int]


class Origin:
    def __eq__(self, other):
        Origin.got = other
        return True


Origin.got = None


class Liar:
    __slots__ = ("__class__",)

    def __getattr__(self, name):
        return {"__class__": type(alias), "__origin__": Origin()}.get(name, ())


alias == Liar()
return "PWNED " + repr(Origin.got) if Origin.got is not None else "no"
