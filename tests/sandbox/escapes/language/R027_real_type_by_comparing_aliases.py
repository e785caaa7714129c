import typing

alias = typing.Type[int]


class Origin:
    def __eq__(self, other):
        Origin.got = other
        return True


class Liar:
    def __getattribute__(self, name):
        if name == "__class__":
            return type(alias)
        if name == "__origin__":
            return Origin()
        return ()


alias == Liar()
real = Origin.got
if real("X", (), {}).__name__ != "X":
    return "no"


class Own:
    pass


class Names(dict):
    def __missing__(self, name):
        if name == "priv!":
            return lambda x: x
        raise KeyError(name)


Meta = real("Meta", (Own, real), {"__prepare__": classmethod(lambda cls, *a: Names())})
Base = Meta("Base", (Own,), {})


class Inside(Base):
    run = ctx._run


code, _ = Inside.run.modules[""]
return "PWNED " + repr(code)
