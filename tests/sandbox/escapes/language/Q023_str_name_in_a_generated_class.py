import collections
import typing


class Text(str):
    def __str__(self):
        return "a, b=__import__('os').getpid()"

    def isidentifier(self):
        return True

    def split(self, *args):
        return [self]

    def replace(self, *args):
        return self


for way in (
    lambda: collections.namedtuple(Text("X"), [Text("q")]),
    lambda: typing.NamedTuple(Text("X"), [(Text("q"), int)]),
    lambda: typing.NamedTuple("X", [("q", "__import__('os')")]),
):
    try:
        if way()._fields != ("q",):
            return "PWNED"
    except ValueError:
        pass
return "no"
