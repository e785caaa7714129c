from typing import NamedTuple

N = NamedTuple("N", [("gi_frame", int)])


class Own(N):
    pass


waiting = (x for x in [1])
match waiting:
    case Own(frame):
        return "PWNED"
    case N(frame):
        return "PWNED"
return "no"
