from typing import Protocol


class P(Protocol):
    _is_runtime_protocol = True
    upper: int = 1


return "PWNED" if isinstance("x", P) else "no"
