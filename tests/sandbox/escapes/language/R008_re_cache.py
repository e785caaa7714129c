import re


class Flags(int):
    def __hash__(self):
        return hash(0)

    def __eq__(self, other):
        return True


re.compile("^admin-only$", Flags(re.IGNORECASE.value))
return "PWNED" if re.match("^admin-only$", "ADMIN-ONLY") else "no"
