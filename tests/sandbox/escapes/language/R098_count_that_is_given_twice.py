import itertools

kept = []
counts = None


class Stranger:
    __slots__ = ("armed", "b")


class Start:
    __slots__ = ("armed", "b")

    def __index__(self):
        return 1

    def __add__(self, other):
        if self.armed:
            self.armed = False
            self = None
            next(counts)
            kept.extend(Stranger() for _ in range(500))
        return 5


for turn in range(50):
    start = Start()
    start.armed = True
    counts = itertools.count(start, 2)
    del start
    got = next(counts)
    if type(got) is not Start:
        return "PWNED " + type(got).__name__
    kept.append(got)
return "no"
