import json
from collections import UserDict


class Liar:
    def __new__(cls, *args):
        return json


class U(UserDict):
    __slots__ = ("__class__",)

    def __getattr__(self, name):
        if name == "__class__":
            return Liar
        raise AttributeError(name)


u = U()
u.__dict__["loads"] = lambda text: "PWNED"
try:
    super(U, u).__copy__()
except AttributeError:
    pass
return json.loads('"clean"')
