import enum


class E(enum.Enum, _simple=True):
    pass


E._member_names_.append("x")
try:

    class Later(enum.Enum):
        A = 1

except TypeError:
    return "PWNED"
return "no"
