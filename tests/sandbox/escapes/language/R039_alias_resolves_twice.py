import copy
import typing


class Error(Exception):
    def __new__(cls, *args):
        return target if target is not None else super().__new__(cls)


asked = []


def entries(bases):
    asked.append(bases)
    return (object,) if len(asked) == 1 else (type(ctx),)


target = None
error = Error()
error.__dict__["__mro_entries__"] = entries
target = alias = typing.List[int]
copy.copy(error)


class X(alias):
    pass


return "PWNED" if issubclass(X, type(ctx)) else "no"
