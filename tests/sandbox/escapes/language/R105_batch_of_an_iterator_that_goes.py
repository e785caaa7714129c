import itertools

kept = []
met = []


class Base:
    __slots__ = ("turn", "b")

    def __iter__(self):
        return self


class Stranger(Base):
    __slots__ = ()

    def __next__(self):
        met.append("PWNED")
        raise StopIteration


class Goes(Base):
    __slots__ = ()

    def __next__(self):
        turn, self.turn = self.turn, self.turn + 1
        if turn == 0:
            self = None
            next(parts, None)
            kept.extend(Stranger() for _ in range(500))
            return 0
        raise StopIteration


for turn in range(50):
    goes = Goes()
    goes.turn = 0
    parts = itertools.batched(goes, 5)
    del goes
    next(parts, None)
    if met:
        return met[0]
return "no"
