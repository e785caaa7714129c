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
            next(part, None)
            kept.extend(Stranger() for _ in range(500))
            return 0
        raise StopIteration


for turn in range(50):
    goes = Goes()
    goes.turn = 0
    part = itertools.islice(goes, 5, None)
    del goes
    next(part, None)
    if met:
        return met[0]
return "no"
