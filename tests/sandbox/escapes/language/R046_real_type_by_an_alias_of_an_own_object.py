import typing


class Origin:
    def __eq__(self, other):
        Origin.got = other
        return True


Origin.got = None
Alias = type(typing.List[int])
typing.Type[int] == Alias(Origin(), (int,))
real = Origin.got
return "PWNED " + repr(real("Made", (), {})) if real is not None else "no"
