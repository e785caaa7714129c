import json
from collections import UserDict


class U(UserDict):
    foreign = None

    def __new__(cls, *args):
        return U.foreign if U.foreign is not None else super().__new__(cls)


u = U()
u.__dict__["loads"] = lambda text: "PWNED"
U.foreign = json
for copier in (UserDict.__copy__, UserDict.copy):
    try:
        copier(u)
    except AttributeError:
        pass
return json.loads('"clean"')
