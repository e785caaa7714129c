import dataclasses
import re


class Taker:
    def __ror__(self, other):
        Taker.got = other
        return 0

    def __eq__(self, other):
        Taker.got = other
        return True


Taker.got = {}
re.compile("(?P<a>x)(?P<b>y)").groupindex | Taker()
Taker.got["a"] = 2
first = re.match("(?P<a>x)(?P<b>y)", "xy").group("a")
dataclasses.field().metadata == Taker()
Taker.got["more"] = 1
return "PWNED" if first == "y" or dataclasses.field().metadata else "no"
