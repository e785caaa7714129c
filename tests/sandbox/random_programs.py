"""Random programs that run: every kind of statement over few names, so that each meets what the others left behind."""

import textwrap
from collections.abc import Callable
from random import Random

PRELUDE = """\
import asyncio, dataclasses, enum, functools, itertools
log = []
def show(x, depth=0):
    if type(x) in (int, float, str, bool, type(None), complex, bytes, range, slice): return repr(x)
    if depth > 3: return '...'
    if type(x) in (list, tuple, set, frozenset, dict): return type(x).__name__ + str([show(y, depth + 1) for y in x])
    if isinstance(x, (Box, Colour, Point)): return repr(x)
    return class_of(x)
def class_of(x):
    # a script is told of no metaclass
    if isinstance(x, type): return 'type'
    # a file with a return is the body of a function, whose names are locals
    return 'NameError' if isinstance(x, UnboundLocalError) else type(x).__name__
class Box:
    made = 0
    def __init__(self, a=0, *more, b=None, **named):
        self.a, self._b, self.more, self.named = a, b, more, named
        Box.made += 1
    def __repr__(self): return f'{type(self).__name__}({show(self.a)}, {show(self._b)})'
    def __add__(self, other): return Box(self.a, other, b=self._b)
    def __iadd__(self, other):
        self.a = other
        return self
    def __radd__(self, other): return Box(other)
    def __getitem__(self, index): return (self.a, self._b)[index]
    def __setitem__(self, index, value): self._b = (index, value)
    def __delitem__(self, index): self._b = None
    def __contains__(self, item): return item is self.a
    def __bool__(self): return self.a != 0
    def __len__(self): return 2
    def __eq__(self, other): return type(other) is type(self) and self.a == other.a
    def __hash__(self): return 7
    def __call__(self, *more): return self.a, more
    def __enter__(self): return self
    def __exit__(self, kind, error, trace):
        log.append(kind and kind.__name__)
        return kind is ValueError
    def __iter__(self): yield self.a; yield self._b
    def swap(self): self.a, self._b = self._b, self.a; return self
    @property
    def both(self): return [self.a, self._b]
    @both.setter
    def both(self, value): self.a, self._b = value
    @classmethod
    def of(cls, *more): return cls(*more)
    @staticmethod
    def plain(x): return x
    __match_args__ = ('a', 'both')
class Deep(Box):
    __made = 5
    def __init__(self, *more, **named):
        super().__init__(*more, **named)
        self.__hidden = self.__made
    def hidden(self): self.__hidden += 1; return self.__hidden
    def swap(self): self._b = super().swap(); return self.__hidden
class Slim:
    __slots__ = ('a', '_b')
    def __init__(self, a=1): self.a = a; self._b = a
    def __repr__(self): return 'Slim()'
class Colour(enum.Enum): RED = 1; BLUE = 'b'
@dataclasses.dataclass(order=True)
class Point:
    a: int = 0
    b: list = dataclasses.field(default_factory=list)
    _c: object = None
def twice(f):
    @functools.wraps(f)
    def inner(*more, **named): return f(*more, **named), f(*more, **named)
    return inner
def counter(start=0):
    def up(by=1):
        nonlocal start
        start += by
        return start
    return up
def numbers(n, *more):
    got = []
    try:
        for i in range(n if type(n) is int and n < 9 else 3): got.append((yield i))
        yield from more
    finally:
        log.append(len(got))
async def later(x):
    await asyncio.sleep(0)
    return x
x, y, z, w = 1, 'ab', [1, 2, 3], Box(1, b=2)
"""
"""What the statements of a program use; names are few, so that they take each other's values."""

NAMES = ("x", "y", "z", "w")
ATOMS = ("0", "1", "2", "-3", "0.5", "'a'", "'xyz'", "''", "b'q'", "None", "True", "...", "[]", "{}", "()", "1j")
BINARY = ("+", "-", "%", "//", "/", "&", "|", "^", "+", "-")
COMPARE = ("<", "<=", "==", "!=", "in", "not in", "is", "is not", ">", ">=")
ATTRIBUTES = ("a", "_b", "both", "a", "_b", "more", "real", "made", "_c", "RED")
ERRORS = ("ValueError", "TypeError", "KeyError", "ZeroDivisionError", "(TypeError, AttributeError)", "Exception")
METHODS = (
    "upper()", "split('a')", "append(1)", "pop()", "get(1, 2)", "items()", "swap()", "hidden()", "of(1, 2)", "plain(3)",
    "count(1)", "format(1, a=2)", "strip()", "copy()", "index(1)", "__len__()", "__add__(1)", "__repr__().__len__()",
)  # fmt: skip
CALLS = (
    "len({})", "sorted({})", "list({})", "sum({})", "max({}, 1)", "class_of({})", "isinstance({}, (int, Box))",
    "tuple({})", "bool({})", "abs({})", "next(iter({}))", "dict({})", "hash({})", "getattr({}, 'a', 9)", "show({})",
    "hasattr({}, '_b')", "setattr({}, 'a', 5)", "list(zip({}, 'ab'))", "[*map(str, {})]", "callable({})", "Box(*{})",
    "list(numbers(2, *{}))", "dataclasses.replace(Point(), a={})", "counter({})(1)", "twice(lambda q: q)({})",
    "Deep({}, 2, b=3, c=4)", "list(itertools.islice({}, 2))", "functools.reduce(lambda p, q: [p, q], {})", "Point({})",
    "int({})", "isinstance({}, type)", "vars({})", "list(reversed({}))", "divmod({}, 2)", "Slim({})",
    "enum.Enum('E', {})", "Colour({})", "frozenset({})", "list(enumerate({}))", "round({})", "repr({}) and 1",
)  # fmt: skip
FORMATS = ("{0!r}", "{0:>4}", "{0.a}", "{0[0]}", "{0:{0}}", "{1}", "{a}", "{0.a[1]}", "{{{0}}}")


class Author:
    """Writes a program, choosing by *choice*; two authors that choose alike write the same."""

    def __init__(self, choice: Random) -> None:
        self._random = choice
        self._made = 0

    def program(self) -> str:
        """Give the text of a module that leaves its `log`, which tells of all that happened."""
        statements = "".join(self._watched(self._block(0, 1)) for _ in range(self._between(2, 7)))
        last = "log.append([show(x), show(y), show(z), show(w), Box.made])\n"
        return PRELUDE + statements + self._sometimes(self._block(0, 1)) + last

    def _one(self, options: tuple[str, ...]) -> str:
        return options[self._random.randrange(len(options))]

    def _between(self, least: int, most: int) -> int:
        return self._random.randint(least, most)

    def _sometimes(self, text: str) -> str:
        return text if self._between(0, 3) == 0 else ""

    def _watched(self, block: str) -> str:
        """Give *block* in a form in which what it raises is noted, and the program goes on."""
        handler = "except Exception as error: log.append(class_of(error))\n"
        return f"try:\n{textwrap.indent(block, '  ')}{handler}"

    # expressions

    def _value(self, depth: int) -> str:
        if depth > 2:
            return self._one(NAMES + ATOMS)
        kinds: tuple[Callable[[int], str], ...] = (
            self._atom, self._atom, self._binary, self._compared, self._chosen, self._item, self._attribute,
            self._attribute, self._called, self._called, self._display, self._comprehension, self._text, self._bound,
            self._anonymous,
        )  # fmt: skip
        return kinds[self._random.randrange(len(kinds))](depth + 1)

    def _atom(self, _depth: int) -> str:
        return self._one(NAMES + NAMES + ATOMS)

    def _binary(self, depth: int) -> str:
        if self._between(0, 4) == 0:
            return f"({self._one(('-', 'not ', '~', '+'))}{self._value(depth)})"
        return f"({self._value(depth)} {self._one(BINARY)} {self._value(depth)})"

    def _compared(self, depth: int) -> str:
        first = f"{self._value(depth)} {self._one(COMPARE)} {self._value(depth)}"
        return f"({first}{self._sometimes(f' {self._one(COMPARE)} {self._value(depth)}')})"

    def _chosen(self, depth: int) -> str:
        if self._between(0, 1):
            return f"({self._value(depth)} {self._one(('and', 'or'))} {self._value(depth)})"
        return f"({self._value(depth)} if {self._value(depth)} else {self._value(depth)})"

    def _item(self, depth: int) -> str:
        index = self._one(("0", "-1", "1:", "::2", ":1", self._value(depth)))
        return f"{self._value(depth)}[{index}]"

    def _attribute(self, depth: int) -> str:
        return f"({self._value(depth)}).{self._one(ATTRIBUTES)}"

    def _called(self, depth: int) -> str:
        if self._between(0, 1):
            return f"({self._value(depth)}).{self._one(METHODS)}"
        return self._one(CALLS).replace("{}", self._value(depth))

    def _display(self, depth: int) -> str:
        first, second = self._value(depth), self._value(depth)
        shapes = (f"[{first}, *{second}]", f"({first}, {second})", f"{{{first}: {second}}}", f"{{{first}, {second}}}")
        return self._one((*shapes, f"[{first}, {second}]", f"{{'k': {first}, **{second}}}"))

    def _comprehension(self, depth: int) -> str:
        name = self._one(("i", "x"))
        condition = self._sometimes(f" if {name}") + self._sometimes(" for j in 'ab'")
        element, iterated = self._value(2), self._value(depth).replace(":=", "==")
        return self._one(
            (
                f"[{element} for {name} in {iterated}{condition}]",
                f"{{{name}: {element} for {name} in {iterated}{condition}}}",
                f"list(({name}, {element}) for {name} in {iterated}{condition})",
                f"[{element} for {name}, *j in {iterated}{condition}]",
            )
        ).replace(f"({name} := ", "(k := ")

    def _text(self, depth: int) -> str:
        if self._between(0, 1):
            spec = self._one(("", "!r", ":>5", "!s:^{1 + 3}", ":{y}"))
            return f"f'<{{ {self._value(3).replace(chr(39), chr(34))}{spec}}}>'"
        return f"{self._one(FORMATS)!r}.format({self._value(depth)}, 2, a=3)"

    def _bound(self, depth: int) -> str:
        return f"({self._one(NAMES)} := {self._value(depth)})"

    def _anonymous(self, depth: int) -> str:
        return f"(lambda x, *y, z=1, **w: {self._value(depth)})({self._value(depth)}, 2)"

    # statements

    def _block(self, depth: int, least: int) -> str:
        return "".join(self._statement(depth) for _ in range(self._between(least, 3)))

    def _inner(self, depth: int) -> str:
        return textwrap.indent(self._block(depth + 1, 1), "  ")

    def _statement(self, depth: int) -> str:
        simple: tuple[Callable[[int], str], ...] = (self._assigned, self._changed, self._told, self._assigned)
        if depth > 2:
            return simple[self._random.randrange(len(simple))](depth)
        kinds = (
            *simple, self._written, self._written, self._if, self._for, self._while, self._try, self._with,
            self._function, self._class, self._match, self._removed, self._generator, self._waited,
        )  # fmt: skip
        return kinds[self._random.randrange(len(kinds))](depth)

    def _target(self) -> str:
        name = self._one(NAMES)
        return self._one((name, name, f"{name}.a", f"{name}._b", f"{name}[0]", f"{name}['k']", f"{name}.both"))

    def _assigned(self, _depth: int) -> str:
        first, second = self._target(), self._target()
        shapes = (first, first, f"{first} = {second}", f"{first}, {second}", f"{first}, *{second}", f"[{first}, z]")
        return f"{self._one(shapes)} = {self._value(1)}\n"

    def _written(self, _depth: int) -> str:
        name = self._one(NAMES)
        made = self._one(("Box(1)", "Deep(2)", "Slim()", "Point()", "Box", self._value(1)))
        return f"{name} = {made}\n{name}.a = {self._value(1)}\n{self._sometimes(f'{name}._b = {name}.a')}\n"

    def _changed(self, _depth: int) -> str:
        return f"{self._target()} {self._one(('+', '-', '|', '&', '%', '//'))}= {self._value(1)}\n"

    def _told(self, _depth: int) -> str:
        return f"log.append(show({self._value(0)}))\n"

    def _removed(self, _depth: int) -> str:
        return f"{self._one(('del', 'assert', 'global_or_not ='))} {self._target()}\n"

    def _if(self, depth: int) -> str:
        last = self._one(("", f"else:\n{self._inner(depth)}"))
        middle = self._sometimes(f"elif {self._value(1)}:\n{self._inner(depth)}")
        return f"if {self._value(1)}:\n{self._inner(depth)}{middle}{last}"

    def _for(self, depth: int) -> str:
        leave = self._sometimes(f"  if {self._value(2)}: {self._one(('break', 'continue'))}\n")
        rest = self._sometimes("else: log.append('else')\n")
        iterated = f"list({self._value(1)})[:3]"
        return f"for {self._one((self._target(), 'i', 'i, *x'))} in {iterated}:\n{self._inner(depth)}{leave}{rest}"

    def _while(self, depth: int) -> str:
        self._made += 1
        turns = f"n{self._made}"
        return f"{turns} = 0\nwhile ({turns} := {turns} + 1) < 4 and {self._value(2)}:\n{self._inner(depth)}"

    def _try(self, depth: int) -> str:
        handler = (
            f"except {self._one(ERRORS)} as {self._one(('e', 'x'))}:\n  log.append('caught')\n{self._inner(depth)}"
        )
        final = self._sometimes(f"finally:\n{self._inner(depth)}")
        raised = self._sometimes(f"  raise {self._one(('ValueError(1)', 'KeyError from None', 'w', 'Box'))}\n")
        rest = self._sometimes(f"else:\n{self._inner(depth)}")
        return f"try:\n{self._inner(depth)}{raised}{handler}{rest}{final}"

    def _with(self, depth: int) -> str:
        raised = self._sometimes(f"  raise {self._one(('ValueError', 'KeyError'))}\n")
        return f"with {self._one(('Box(3)', 'w'))} as {self._target()}, Deep(4):\n{self._inner(depth)}{raised}"

    def _function(self, depth: int) -> str:
        self._made += 1
        name = f"f{self._made}"
        decorator = self._sometimes("@twice\n")
        given = self._one(("", "p, q=2, *r, s=3, **t", "x, /, y=Box(1), *, z=1", "self, w=w"))
        scopes = ("", "  x = y = z = w = Box(5)\n", "  x = Deep(1)\n", "" if "x" in given else "  global x, y\n")
        scope = self._one(scopes)
        passed = self._one(("", "1", f"{self._value(2)}, {self._value(2)}", "*z", "w", "Box(2), z=3"))
        body = f"{scope}{self._inner(depth)}  return {self._value(1)}\n"
        return f"{decorator}def {name}({given}):\n{body}log.append(show({name}({passed})))\n"

    def _class(self, depth: int) -> str:
        self._made += 1
        name = f"C{self._made}"
        base = self._one(("", "(Box)", "(Deep)", "(list)", "(Exception)", "(dict)", "(str)"))
        rebound = self._one(("", "", f"    self = {self._value(2)}\n", "    for self in [self, w]: self.a = 1\n"))
        method = f"  def g(self, x=1):\n    self.a = x\n    self._b = self.a\n{rebound}"
        method += f"{textwrap.indent(self._inner(depth), '  ')}    return self.a\n"
        body = self._one(("  x = x\n", "  a: int = 4\n", f"{self._inner(depth)}", "  _b = property(lambda self: 3)\n"))
        return f"class {name}{base}:\n{body}{method}w = {name}()\nlog.append(show(w.g({self._value(2)})))\n"

    def _match(self, depth: int) -> str:
        patterns = (
            "1 | 'a'", "[a, *x]", "{'k': x, **y}", "Box(a=1)", "Box(x, y)", "int() as x", "None", "Point(a, b)",
            "Colour.RED", "(x, y)", "[Box(), *_]", "-3 | 0.5", "Deep() | Slim()", "str(x)",
        )  # fmt: skip
        cases = "".join(f"  case {self._one(patterns)}:\n{textwrap.indent(self._inner(depth), '  ')}" for _ in "ab")
        guarded = f"  case x if {self._value(2)}: log.append('guarded')\n  case _: log.append('other')\n"
        return f"match {self._value(1)}:\n{cases}{guarded}"

    def _generator(self, _depth: int) -> str:
        turns = self._one(("next(g)", "g.send(1)", "g.throw(ValueError)", "g.close()"))
        return (
            f"g = numbers({self._value(2)}, {self._value(2)})\nlog.append(show(next(g)))\nlog.append(show({turns}))\n"
        )

    def _waited(self, depth: int) -> str:
        self._made += 1
        name = f"a{self._made}"
        body = f"{self._inner(depth)}  return await later(x), [i async for i in {name}b()]\n"
        steps = f"async def {name}b():\n  yield {self._value(2)}\n  yield await later(2)\n"
        together = f"asyncio.gather({name}(1), later({self._value(2)}), return_exceptions=True)"
        whole = f"async def {name}c(): return await {together}\nlog.append(show(asyncio.run({name}c())))\n"
        return f"{steps}async def {name}(x):\n{body}{whole}"
