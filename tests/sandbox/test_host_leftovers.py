"""What a script leaves behind in the process of an application, and what it does to it meanwhile: nothing."""

import asyncio
import datetime
import fnmatch
import fractions
import gc
import ipaddress
import random
import re
import struct
import sys
import time
import typing
import urllib.parse
from collections.abc import Callable
from typing import Any

import pytest

from sandbox import Outcome, Sandbox
from tests.sandbox.hosted import Light, added_to, objects_of_scripts, run

SAME = """
class Same{base}:
    def __hash__(self): return hash({key})
    def __eq__(self, other): return True
    {more}
"""


def same(key: str, base: str = "", more: str = "def __call__(self): pass") -> str:
    """Give the text of a class whose objects stand for *key* wherever that is looked up."""
    return SAME.format(key=key, base=f"({base})" if base else "", more=more)


OPERATORS = ["abs", "add", "ceil", "eq", "floor", "floordiv", "le", "lt", "mod", "mul", "neg", "pos", "pow", "radd"]
OPERATORS += ["rfloordiv", "rmod", "rmul", "round", "rpow", "rtruediv", "truediv", "trunc"]

CACHES: dict[str, tuple[str, Callable[[], Any], Any]] = {
    "typing": (
        "import typing\n" + same("int") + "typing.Deque[Same()]",
        lambda: repr(typing.Deque[int]),  # noqa: UP006 - the cache of typing is at stake
        "typing.Deque[int]",
    ),
    "re": (
        "import re\n" + same("0", "int") + "re.compile('^admin-only$', Same(re.I.value))",
        lambda: re.match("^admin-only$", "ADMIN-ONLY"),
        None,
    ),
    "flags": (
        "import re\n" + same("64", "int") + "re.RegexFlag(Same(2 | 8 | 1024))",
        lambda: re.RegexFlag(64 | 2048).value,
        64 | 2048,
    ),
    "templates": (
        "import re\n" + same("r'<\\1>'", "str", "pass") + "re.sub('(a)', Same(r'[\\1]'), 'a')",
        lambda: re.sub("(a)", r"<\1>", "a"),
        "<a>",
    ),
    "struct": (
        "import struct\n" + same("'<HHx'", "str") + "struct.calcsize(Same('<I'))",
        lambda: struct.calcsize("<HHx"),
        5,
    ),
    "struct in bytes": (
        "import struct\n" + same("b'<HHx'", "bytes") + "struct.pack(Same(b'<I'), 1)",
        lambda: struct.calcsize(b"<HHx"),
        5,
    ),
    "netmasks": (
        "import ipaddress\n" + same("'27'", "str") + "ipaddress.ip_network(('10.0.0.0', Same('8')))",
        lambda: str(ipaddress.ip_network("10.0.0.0/27")),
        "10.0.0.0/27",
    ),
    "private addresses": (
        "import ipaddress\n"
        + same("ipaddress.ip_address('8.8.4.4')", "", "_constants = None\n    def __contains__(self, one): return True")
        + "class Constants:\n    _private_networks = [Same()]\n    _private_networks_exceptions = []\n"
        + "Same._constants = Constants\n"
        + "try: ipaddress.IPv4Address.is_private.fget(Same())\nexcept TypeError: pass",
        lambda: ipaddress.ip_address("8.8.4.4").is_private,
        False,
    ),
    "quoting": (
        "import urllib.parse\n"
        + same("b'-/-'", "bytes")
        + "class Text(str):\n    def encode(self, *a): return Same(b'<>&')\n"
        + "urllib.parse.quote_from_bytes(b'a b', Text('x'))",
        lambda: urllib.parse.quote("<", safe="-/-"),
        "%3C",
    ),
    "urls": (
        "import urllib.parse\n"
        + same("'http://a.example/?b'", "str")
        + "urllib.parse.urlsplit(Same('http://c.example'))",
        lambda: urllib.parse.urlsplit("http://a.example/?b").netloc,
        "a.example",
    ),
    "dates": (
        "import datetime\n"
        + same("'%d//%m//%Y'", "str")
        + "try: datetime.datetime.strptime('01//02//2024', Same('%m//%d//%Y'))\nexcept BaseException: pass",
        lambda: datetime.datetime.strptime("01//02//2024", "%d//%m//%Y").month,
        2,
    ),
    "times": (
        "import time\n"
        + same("'%d//%m//%Y'", "str")
        + "try: time.strptime('01//02//2024', Same('%m//%d//%Y'))\nexcept BaseException: pass",
        lambda: time.strptime("01//02//2024", "%d//%m//%Y").tm_mon,
        2,
    ),
    "names of files": (
        "import fnmatch\n" + same("'*.txt'", "str") + "fnmatch.fnmatchcase('a.py', Same('*.py'))",
        lambda: fnmatch.fnmatchcase("a.py", "*.txt"),
        False,
    ),
    "kinds of coroutines": (
        "import asyncio, collections.abc\nclass Mine(collections.abc.Coroutine):\n"
        + "    def send(self, one): pass\n    def throw(self, *error): pass\n    def __await__(self): pass\n"
        + "asyncio.iscoroutine(Mine())",
        lambda: asyncio.iscoroutine(1),
        False,
    ),
    "fractions": (
        "import fractions, numbers\n"
        + same("1", "int")
        + "class Ratio(numbers.Rational):\n    numerator = Same(5)\n    denominator = Same(7)\n"
        + "".join(f"    def __{name}__(self, *a): return 0\n" for name in OPERATORS)
        + "hash(fractions.Fraction(Ratio()))",
        lambda: hash(fractions.Fraction(3, 2)) == hash(1.5),
        True,
    ),
}


@pytest.mark.parametrize("name", CACHES)
async def test_no_key_of_a_script_stays_in_a_cache_of_the_library(sandbox: Sandbox, name: str) -> None:
    text, asked, answer = CACHES[name]
    before = objects_of_scripts()
    await run(sandbox, text + "\nreturn 1", {})
    assert asked() == answer
    gc.collect()
    assert added_to(before) == []


@pytest.mark.parametrize("name", sorted(CACHES.keys() - {"templates"}))
async def test_no_key_of_a_script_answers_the_application_while_it_runs(sandbox: Sandbox, name: str) -> None:
    text, asked, answer = CACHES[name]
    answers: list[Any] = []

    class Application:
        def work(self) -> None:
            answers.append(asked())

    await run(sandbox, text + "\napplication.work()\nreturn 1", {"application": Application()})
    assert answers == [answer]


async def test_scripts_and_the_application_remember_what_plain_keys_gave(sandbox: Sandbox) -> None:
    text = "import re\nreturn re.compile('only(in)this test') is re.compile('only(in)this test')"
    assert (await run(sandbox, text, {}))[0].value is True
    assert re.compile("another(in)this test") is re.compile("another(in)this test")
    assert hash(urllib.parse.urlsplit("http://a/b")) == hash(urllib.parse.urlsplit("http://a/b"))


async def test_a_script_neither_knows_nor_sets_what_the_application_draws(sandbox: Sandbox) -> None:
    random.seed(7)
    state = random.getstate()
    text = (
        "import random\nbefore = random.getstate()\nrandom.seed(1)\nfirst = random.random()\nrandom.setstate(before)\n"
    )
    text += "import statistics\nstatistics.NormalDist().samples(5)\nrandom.shuffle([1, 2, 3])\nrandom.seed(1)\n"
    text += "return {'first': first, 'same': first == random.Random(1).random(), 'state': list(before[1])}"
    told = (await run(sandbox, text, {}))[0].value
    assert (told["same"], told["first"]) == (True, random.Random(1).random())
    assert told["state"] != list(state[1])
    assert random.getstate() == state
    again = (await run(sandbox, "import random\nreturn list(random.getstate()[1])", {}))[0].value
    assert again != told["state"]
    assert random.Random.randint.__qualname__ == "Random.randint"


KEPT = """
class Evil:
    def __len__(self):
        while True: pass
    __eq__ = __hash__ = __str__ = __iter__ = __len__
    def __del__(self):
        while True: pass
    @property
    def size(self):
        while True: pass
def counting():
    try:
        while True: yield 1
    finally:
        while True: pass
steps = counting()
next(steps)
async def waits():
    while True: pass
def around(evil):
    def inner():
        while evil: pass
    return inner
async def waiting_steps():
    while True: yield 1
light.keep(Evil(), steps, waits(), around(Evil()), lambda: Evil(), [Evil()], counting, waits, waiting_steps)
return 1
"""


async def test_what_an_application_keeps_of_a_script_raises(sandbox: Sandbox) -> None:
    kept: list[Any] = []

    class Keeper(Light):
        def keep(self, *things: Any) -> None:
            kept.extend(things)

    assert (await run(sandbox, KEPT, {"light": Keeper()}))[0] == Outcome(1)
    uses: list[Callable[[], Any]] = [
        lambda: len(kept[0]),
        lambda: kept[0] == 1,
        lambda: hash(kept[0]),
        lambda: str(kept[0]),
        lambda: list(kept[0]),
        lambda: kept[0].size,
        lambda: kept[5].index(1),
        kept[3],
        kept[4],
        lambda: next(kept[6]()),
        lambda: kept[7]().send(None),
        lambda: kept[8]().asend(None).send(None),
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match="^the script that made this is over$"):
            use()
    assert list(kept[1]) == []
    with pytest.raises(RuntimeError, match="cannot reuse already awaited coroutine"):
        kept[2].send(None)
    lost: list[Any] = []
    before, sys.unraisablehook = sys.unraisablehook, lambda unraisable: lost.append(unraisable.exc_type)
    kept.clear()
    del uses, use
    gc.collect()
    sys.unraisablehook = before
    assert lost == []  # its destructors are not run at all
