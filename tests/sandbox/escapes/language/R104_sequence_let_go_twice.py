kept = []


class Stranger:
    __slots__ = ("inner", "b")


class Goes:
    __slots__ = ("inner", "b")

    def __getitem__(self, index):
        if self.inner:
            self.inner = False
            next(items, None)
        raise IndexError


for turn in range(50):
    goes = Goes()
    goes.inner = True
    items = iter(goes)
    next(items, None)
    items = None
    kept.extend(Stranger() for _ in range(500))
    if type(goes) is not Goes:
        return "PWNED " + type(goes).__name__
    kept.append(goes)
return "no"
