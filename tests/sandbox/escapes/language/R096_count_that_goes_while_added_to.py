import collections

kept = []


class Stranger:
    __slots__ = ("a", "b")

    def __radd__(self, other):
        return other


class Goes:
    __slots__ = ("counter", "b")

    def __add__(self, other):
        counter = self.counter
        self = None
        counter["x"] = 0
        kept.extend(Stranger() for _ in range(500))
        return NotImplemented


for turn in range(50):
    counter = collections.Counter()
    goes = Goes()
    goes.counter = counter
    counter["x"] = goes
    del goes
    try:
        counter.update("x")
    except TypeError as error:
        if "Stranger" in str(error):
            return "PWNED " + str(error)
return "no"
