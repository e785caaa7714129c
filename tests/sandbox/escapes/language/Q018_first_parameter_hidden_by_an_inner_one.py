import json


class A:
    def m(self):
        self.a = 1
        self.b = 2

        def inner(self=json):
            self.loads = 1

        inner()
        return "PWNED"

    def n(self):
        self.a = 1
        [self for self in [json]]
        for self.b in [1, 2]:
            (lambda self: setattr(self, "loads", 1))(json)
        return "PWNED"


for method in (A().m, A().n, lambda: A.m(json), lambda: A.n(json)):
    try:
        return method()
    except TypeError:
        pass
return "no"
