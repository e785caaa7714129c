import typing


class Same:
    def __hash__(self):
        return hash(int)

    def __eq__(self, other):
        return True

    def __call__(self):
        pass

    def __repr__(self):
        return "PWNED"


typing.Deque[Same()]
return "PWNED" if "PWNED" in repr(typing.Deque[int]) else "no"
