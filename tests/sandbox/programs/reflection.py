"""Reflection."""

class Thing:
    size = 3
    def __init__(self): self.a = 1
t = Thing()
setattr(t, "b", 2)
delattr(t, "a")
result = [getattr(t, "b"), getattr(t, "a", "gone"), hasattr(t, "size"), hasattr(t, "a"), vars(t), isinstance(t, type(t)),
          type(5) is int, isinstance(int, type), type(t).__name__, callable(t), issubclass(Thing, object), hasattr([], "__len__")]
