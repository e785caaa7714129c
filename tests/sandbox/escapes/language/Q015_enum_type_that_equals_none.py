import enum


class Same:
    __mro__ = ()

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


return "PWNED " + repr(enum.Enum("X", "A", type=Same()))
