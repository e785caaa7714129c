import itertools

kept = []


class Stranger:
    __slots__ = ("inner", "b")


class Goes:
    __slots__ = ("inner", "b")

    def __iter__(self):
        return self

    def __next__(self):
        if self.inner:
            self.inner = False
            next(rows, None)
        raise StopIteration


for turn in range(50):
    goes = Goes()
    goes.inner = True
    rows = itertools.zip_longest(goes, itertools.count(), itertools.count())
    next(rows, None)
    rows = None
    kept.extend(Stranger() for _ in range(500))
    if type(goes) is not Goes:
        return "PWNED " + type(goes).__name__
    kept.append(goes)
return "no"
