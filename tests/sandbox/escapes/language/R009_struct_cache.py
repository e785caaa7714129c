import struct


class Format(str):
    def __hash__(self):
        return hash("<HHx")

    def __eq__(self, other):
        return True


struct.calcsize(Format("<I"))
return "PWNED" if struct.calcsize("<HHx") == 4 else "no"
