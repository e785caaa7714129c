import json
from collections import UserList


class Liar:
    def __new__(cls, *args):
        return json


class U(UserList):
    def __getattribute__(self, name):
        if name == "__class__":
            return Liar
        if name == "__dict__":
            return {"loads": lambda text: "PWNED", "data": []}
        return super().__getattribute__(name)


try:
    UserList.__copy__(U())
except AttributeError:
    pass
return json.loads('"clean"')
