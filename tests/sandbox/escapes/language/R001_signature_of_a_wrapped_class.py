import contextlib
import dataclasses


class B:
    "B(a, x=sys.executable)\n--\n\n"


@dataclasses.dataclass(init=False)
class C:
    __init__ = contextlib.contextmanager(B)


return "PWNED " + C.__doc__ if "/" in C.__doc__ else "no"
