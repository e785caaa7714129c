import re


class Number(int):
    def __hash__(self):
        return hash(90)

    def __eq__(self, other):
        return True


re.RegexFlag(Number(1 | 4))
return "PWNED" if not re.RegexFlag(90) & re.DOTALL else "no"
