kept = []
met = []


class Stranger:
    __slots__ = ("armed", "b")


class Sentinel:
    __slots__ = ("armed", "b")

    def __eq__(self, other):
        if self.armed:
            self.armed = False
            self = other = None
            next(calls, None)
            kept.extend(Stranger() for _ in range(500))
            return NotImplemented
        return True


class Result:
    def __eq__(self, other):
        if type(other) is not Sentinel:
            met.append("PWNED " + type(other).__name__)
        return False


for turn in range(50):
    sentinel = Sentinel()
    sentinel.armed = True
    calls = iter(Result, sentinel)
    del sentinel
    next(calls, None)
    if met:
        return met[0]
return "no"
