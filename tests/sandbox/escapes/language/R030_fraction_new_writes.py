import fractions

shared = fractions.Fraction(1, 3)


class Y:
    def __new__(cls, *args):
        return shared


class X(fractions.Fraction, Y):
    pass


X(5, 7)
return "PWNED" if shared != fractions.Fraction("1/3") else "no"
