import dataclasses


class Doc:
    asked = 0

    def __get__(self, instance, owner=None):
        Doc.asked += 1
        return "yes" if Doc.asked == 1 else ""


class B:
    "B(a, x=sys.executable)\n--\n\n"


class C(B):
    __doc__ = Doc()


made = dataclasses.dataclass(init=False)(C)
return "PWNED " + made.__doc__ if "/" in made.__doc__ else "no"
