kept = []
met = []


class Stranger:
    __slots__ = ("lists", "b")


class Goes:
    __slots__ = ("lists", "b")

    def __eq__(self, other):
        return False

    def __lt__(self, other):
        lists = self.lists
        self = other = None
        for one in lists:
            one.clear()
        kept.extend(Stranger() for _ in range(500))
        return NotImplemented


class Stays:
    def __eq__(self, other):
        return False

    def __gt__(self, other):
        if type(other) is not Goes:
            met.append("PWNED " + type(other).__name__)
        return False


for turn in range(50):
    goes = Goes()
    left, right = [goes], [Stays()]
    kept.append(right[0])
    goes.lists = [left]
    del goes
    left < right
    if met:
        return met[0]
return "no"
