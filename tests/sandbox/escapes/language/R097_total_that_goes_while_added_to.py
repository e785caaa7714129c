import itertools

kept = []
totals = None


class Stranger:
    __slots__ = ("armed", "b")


class Goes:
    __slots__ = ("armed", "b")

    def __init__(self, armed):
        self.armed = armed

    def __add__(self, other):
        if self.armed:
            self.armed = False
            self = other = None
            next(totals)
            kept.extend(Stranger() for _ in range(500))
            return NotImplemented
        return Goes(False)


for turn in range(50):
    totals = itertools.accumulate(Goes(True) for _ in range(5))
    next(totals)
    try:
        next(totals)
    except TypeError as error:
        if "Stranger" in str(error):
            return "PWNED " + str(error)
return "no"
