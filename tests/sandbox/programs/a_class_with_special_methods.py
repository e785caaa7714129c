"""A class with special methods."""

class Money:
    def __init__(self, cents): self._cents = cents
    def __repr__(self): return f"Money({self._cents})"
    def __add__(self, other): return Money(self._cents + other._cents)
    def __eq__(self, other): return self._cents == other._cents
    def __hash__(self): return hash(self._cents)
    def __len__(self): return self._cents
    def __iter__(self): return iter([self._cents])
    def __getitem__(self, key): return self._cents * key
    def __contains__(self, cents): return cents == self._cents
    def __call__(self, factor): return Money(self._cents * factor)
    def __enter__(self): return self
    def __exit__(self, *error): return True
    def __bool__(self): return self._cents > 0
    @property
    def euros(self): return self._cents / 100
    @euros.setter
    def euros(self, value): self._cents = int(value * 100)
    @classmethod
    def of(cls, euros): return cls(euros * 100)
    @staticmethod
    def name(): return "money"
m = Money.of(2)
m.euros = 3
with m as n:
    raise ValueError("swallowed")
result = [repr(m + n), m == n, len(m), list(m), m[2], 300 in m, repr(m(2)), bool(Money(0)), Money.name(), m.euros]
