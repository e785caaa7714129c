kept = []
numbered = None


class Stranger(int):
    pass


class Start(int):
    armed = True

    def __add__(self, other):
        if self.armed:
            self.armed = False
            self = None
            next(numbered)
            kept.extend(Stranger(1 << 70) for _ in range(500))
        return 1 << 70


for turn in range(50):
    numbered = enumerate([1, 2, 3, 4, 5], Start(1 << 70))
    got = next(numbered)[0]
    if type(got) is not Start:
        return "PWNED " + type(got).__name__
    kept.append(got)
return "no"
