import itertools

groups = None
armed = False
kept = []
met = []


class Stranger:
    __slots__ = ("a", "b")

    def __eq__(self, other):
        met.append("PWNED")
        return True


class Key:
    __slots__ = ("a", "b")

    def __eq__(self, other):
        global armed
        if armed:
            armed = False
            self = other = None
            next(groups, None)
            next(groups, None)
            kept.extend(Stranger() for _ in range(500))
        return NotImplemented


for turn in range(100):
    armed = False
    groups = itertools.groupby(range(20), key=lambda n: Key())
    next(groups)
    armed = True
    next(groups, None)
    if met:
        return met[0]
return "no"
