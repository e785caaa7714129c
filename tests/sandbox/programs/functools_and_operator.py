"""Functools and operator."""

import functools, operator
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
@functools.total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
    @functools.cached_property
    def double(self): return self.n * 2
@functools.singledispatch
def show(x): return "any"
@show.register(int)
def _(x): return "int"
@show.register(list)
def _(x): return f"list of {[show(i) for i in x]}"
result = [fib(50), V(2) >= V(1), V(4).double, show([1, "a"]), functools.reduce(operator.mul, [1, 2, 3]),
          sorted([V(2), V(1)], key=operator.attrgetter("n"))[0].n, operator.methodcaller("upper")("a"),
          functools.partial(int, base=2)("101"), operator.itemgetter(1, 0)("ab"), fib.cache_info().misses]
