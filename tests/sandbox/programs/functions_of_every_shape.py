"""Functions of every shape."""

import functools
def all_kinds(a, b=2, /, c=3, *rest, d, e=5, **named): return [a, b, c, rest, d, e, named]
def loud(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs): return str(function(*args, **kwargs)).upper()
    return wrapper
@loud
def greet(name: "str" = "you") -> str:
    "Say hello."
    return f"hello {name}"
def counted(): counted.calls += 1; return counted.calls
counted.calls = 0
counted()
result = [all_kinds(1, d=4), all_kinds(1, 2, 3, 4, *[5], d=6, **{"f": 7}), greet(), greet.__name__, greet.__doc__,
          counted(), (lambda *a, k=1: (a, k))(1, 2)]
