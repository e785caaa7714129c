import collections.abc
import dataclasses
from typing import Any


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Liar:
    __getattribute__: Any


class Key:
    def __hash__(self):
        return Key.hash

    def __eq__(self, other):
        Key.got = other
        return False


Key.got = None
key = Key()
liar = Liar(lambda name: key if name == "__class__" else None)
isinstance(int, collections.abc.Callable)
middle = hash(object)
for step in range(40_000):
    for Key.hash in (middle + step, middle - step):
        try:
            isinstance(liar, collections.abc.Callable)
        except TypeError:
            pass
        if repr(Key.got) == "<class 'type'>":
            return "PWNED " + repr(Key.got("Made", (), {}))
return "no"
