from dataclasses import dataclass
from typing import Any, Protocol


@dataclass
class P(Protocol):
    format: Any


setattr(P, "_is_runtime" + "_protocol", True)
match "{0.__class__.__base__}":
    case P(f):
        return "PWNED " + f(3)
return "no"
