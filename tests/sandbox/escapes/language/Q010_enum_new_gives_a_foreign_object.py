import enum
import json


class E(enum.Enum):
    def __new__(cls, *args):
        return json

    A = ("PWNED",)


return json.__name__
