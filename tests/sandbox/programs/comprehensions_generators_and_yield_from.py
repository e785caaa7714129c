"""Comprehensions, generators and yield from."""

def count(n):
    got = yield from range(n)
    received = yield "asked"
    yield received
g = count(2)
values = [next(g), next(g), next(g), g.send("sent")]
result = [values, [x * y for x in range(3) for y in range(3) if x != y], {k: v for k, v in zip("ab", [1, 2])},
          sorted({x % 3 for x in range(9)}), sum(x for x in range(5)), list(map(lambda x: x + 1, [1, 2]))]
