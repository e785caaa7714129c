from dataclasses import dataclass, make_dataclass


class B:
    """B(x=sys.executable)
--

"""


@dataclass(init=False)
class C(B):
    pass


D = make_dataclass("D", [], bases=(B,), init=False)
told = C.__doc__ + D.__doc__
return "PWNED " + told if "/" in told else told
