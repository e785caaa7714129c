"""A script in this very process: among objects shown to it, under the policy, ended in time where it can be."""

import asyncio
import dataclasses
import enum
import html.parser
import random
import threading
import typing
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

import pytest

from sandbox import Fault, Limits, Outcome, Sandbox
from sandbox.here import run_here
from tests.sandbox.hosted import STANDARD, Light, nobody, run


async def test_a_script_finds_the_objects_and_calls_their_methods(sandbox: Sandbox) -> None:
    light = Light()
    text = "def main(factor: float = 1.5) -> float:\n    print('was', light.intensity)\n"
    text += "    return light.set_intensity(light.intensity * factor)\n"
    assert await run(sandbox, text, {"light": light}, factor=3.0) == (Outcome(6.0), [("print", "was 2.0\n")])
    assert light.intensity == 6.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("light.intensity = 9", "TypeError: a Light object is read-only in a script"),
        ("setattr(light, 'intensity', 9)", "TypeError: a Light object is read-only in a script"),
        ("return light._secret", "AttributeError: names that begin with _ are not accessible on a Light object"),
        ("return light.fov", "AttributeError: 'Light' object has no attribute 'fov'"),
    ],
)
async def test_the_policy_holds_for_the_objects_of_others(sandbox: Sandbox, text: str, message: str) -> None:
    light = Light()
    with pytest.raises(Fault) as caught:
        await run(sandbox, text, {"light": light})
    assert (caught.value.code, caught.value.message) == ("script_runtime_error", message)
    assert light.intensity == 2.0


async def test_nothing_is_compiled_that_no_child_accepted(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"return 1", "x.py")
    with pytest.raises(ValueError, match="these texts are not the ones a child accepted"):
        run_here(program, {"": b"return 2"}, "x.py", {}, {}, limits=Limits(), tell=lambda *_: None, ask=nobody)


@pytest.mark.parametrize(
    "text",
    [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except Exception: pass",
        "try:\n    while True: pass\nexcept BaseException:\n    return 'caught'",
        "import asyncio\nawait asyncio.sleep(60)",
    ],
)
async def test_a_script_that_takes_too_long_is_ended(sandbox: Sandbox, text: str) -> None:
    with pytest.raises(Fault) as caught:
        await run(sandbox, text, {}, Limits(seconds=0.1))
    assert caught.value.to_json() == {
        "code": "timeout",
        "message": "The script ran longer than 0.1 seconds on the application's main thread and was ended.",
        "hint": "Let it do less in one call, or raise `limits.seconds` in its definition.",
        "limit": "seconds",
        "allowed": 0.1,
    }


async def test_after_a_script_was_ended_nothing_of_it_is_left_behind(sandbox: Sandbox) -> None:
    threads = set(threading.enumerate())
    for _ in range(20):
        with pytest.raises(Fault):
            await run(sandbox, "while True: pass", {}, Limits(seconds=0.01))
        assert sum(range(1000)) == 499500  # a late end would hit here
    assert set(threading.enumerate()) == threads
    assert (await run(sandbox, "return 5", {}))[0] == Outcome(5)


async def test_a_script_may_await_in_the_middle_of_the_applications_own_loop(sandbox: Sandbox) -> None:
    loop = asyncio.get_running_loop()
    text = "import asyncio\nasync def one():\n    await asyncio.sleep(0)\n    return 1\n"
    text += "async def main():\n    return sum(await asyncio.gather(one(), one()))\n"
    assert (await run(sandbox, text, {}))[0] == Outcome(2)
    assert asyncio.get_running_loop() is loop


async def test_limits_of_output_and_result_hold(sandbox: Sandbox) -> None:
    outcome, told = await run(sandbox, "print('x' * 3000)\nreturn 1", {}, Limits(output_kb=1))
    assert (outcome.value, "".join(text for _, text in told).count("x")) == (1, 1024)
    with pytest.raises(Fault) as caught:
        await run(sandbox, "return 'x' * 3000", {}, Limits(result_kb=1))
    assert (caught.value.code, caught.value.details["limit"]) == ("result_too_large", "result_kb")


async def test_what_is_asked_is_answered_or_refused(sandbox: Sandbox) -> None:
    with pytest.raises(Fault) as caught:
        await run(sandbox, "return open('x').read()", {})
    assert caught.value.code == "permission_denied"


FETCH = """
import httpx

async with httpx.AsyncClient() as web:
    return await web.get("https://example.org")
"""


@pytest.mark.parametrize("text", ["return open('x').read()", FETCH])
async def test_while_a_script_waits_for_an_answer_its_thread_does_other_work(sandbox: Sandbox, text: str) -> None:
    program = await sandbox.compile(text.encode(), "x.py")
    answer: Future[Any] = Future()
    turns: list[str] = []

    def idle() -> None:
        turns.append(threading.current_thread().name)
        if len(turns) == 3:
            answer.set_exception(Fault("permission_denied", "no", permission="read"))

    with pytest.raises(Fault):
        run_here(
            program,
            {"": text.encode()},
            "x.py",
            {},
            {},
            limits=STANDARD,
            tell=lambda *_: None,
            ask=lambda *_: answer,
            idle=idle,
        )
    assert turns == [threading.current_thread().name] * 3


async def test_a_script_that_nobody_waits_for_any_more_is_ended(sandbox: Sandbox) -> None:
    program = await sandbox.compile(b"while True: pass", "x.py")
    gone = threading.Event()
    gone.set()
    with pytest.raises(Fault) as caught:
        run_here(
            program,
            {"": b"while True: pass"},
            "x.py",
            {},
            {},
            limits=STANDARD,
            tell=lambda *_: None,
            ask=nobody,
            stopped=gone.is_set,
        )
    assert caught.value.code == "timeout"


async def test_errors_name_the_line_of_the_file(sandbox: Sandbox) -> None:
    with pytest.raises(Fault) as caught:
        await run(sandbox, "def f():\n    return light.gone\n\nreturn f()\n", {"light": Light()})
    frames = [(frame["file"], frame["line"]) for frame in caught.value.details["frames"]]
    assert frames == [("light.py", 4), ("light.py", 2)]


HIDDEN: ContextVar[str] = ContextVar("HIDDEN")


async def test_what_the_application_keeps_in_its_context_is_not_there(sandbox: Sandbox) -> None:
    text = "import asyncio\nseen = []\nclass Loop:\n    def call_soon(self, step, *, context=None):\n"
    text += "        seen.extend(str(value) for value in context.values())\n"
    text += "    def get_debug(self):\n        return False\n"
    text += "async def nothing(): pass\nasync def main():\n"
    text += "    await asyncio.Task(nothing(), loop=Loop())\n    return seen\n"
    token = HIDDEN.set("secret")
    try:
        assert (await run(sandbox, text, {}))[0] == Outcome([])  # its loop is not asked
    finally:
        HIDDEN.reset(token)


async def test_a_text_of_a_scripts_own_class_reaches_nobody_outside(sandbox: Sandbox) -> None:
    asked: list[Any] = []

    def answering(name: str, payload: Any) -> "Future[Any]":
        asked.append(payload["url"])
        return nobody(name, payload)

    text = "class Text(str):\n    pass\n"
    text += "class Address:\n    def __str__(self):\n        return Text('http://granted.example/')\n"
    text += "class Mine(Exception):\n    __str__ = Address.__str__\n"
    text += "import httpx\ntry:\n    httpx.get(Address())\nexcept PermissionError:\n    pass\n"
    text += "Mine.__name__ = Text('Named')\nraise Mine\nreturn 1"
    program = await sandbox.compile(text.encode(), "light.py")

    with pytest.raises(Fault) as caught:
        run_here(program, {"": text.encode()}, "light.py", {}, {}, limits=STANDARD, tell=lambda *_: None, ask=answering)

    fault = caught.value
    assert (asked, fault.message) == (["http://granted.example/"], "Named: http://granted.example/")
    assert {type(told) for told in (*asked, fault.message, fault.details["type"])} == {str}


async def test_enums_that_the_application_makes_at_run_time_are_its_own(sandbox: Sandbox) -> None:
    class Palette:
        def colours(self) -> Any:
            return enum.Enum("Colours", "RED GREEN")

    text = "import enum\nOwn = enum.Enum('Own', 'A B')\nOwn.note = 1\nColours = palette.colours()\n"
    text += (
        "try: Colours.note = 1\nexcept TypeError as refused: return [str(refused), Own.__module__, Colours.__module__]"
    )
    told = (await run(sandbox, text, {"palette": Palette()}))[0].value
    assert told == ["the class Colours is read-only in a script", "script", __name__]
    assert enum.Enum("Later", "A").__module__ == __name__


@dataclasses.dataclass
class Camera:
    name: str
    _key: str = "hidden"


OWN = "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\n    _y: int\n"
PATTERNS = [
    ("match camera:\n    case Camera(a, b): return [a, b]\nreturn 0", 0),
    ("match [camera]:\n    case [Camera(a)] | {'x': Camera(a)}: return a\nreturn 0", 0),
    ("match camera:\n    case Camera(name=a): return a\nreturn 0", "top"),
    ("match camera:\n    case Camera(): return 1\nreturn 0", 1),
    ("class P:\n    __match_args__ = ('x',)\n    x = 2\nmatch P():\n    case P(b): return b", 2),
    (OWN + "match P(1, 2):\n    case P(a): return a", 1),
    (OWN + "match P(1, 2):\n    case P(a, b): return b", 2),
    ("import collections\nP = collections.namedtuple('P', 'x y')\nmatch P(1, 2):\n    case P(a, y=b): return a + b", 3),
    ("match 5:\n    case str(x) | int(x): return x", 5),
    ("class C:\n    match 'a':\n        case str(x): y = x\nreturn C.y", "a"),
    ("match 5:\n    case int(x, y): return 1", "TypeError: int() accepts 1 positional sub-pattern (2 given)"),
]


@pytest.mark.parametrize(("text", "value"), PATTERNS)
async def test_patterns_by_position_read_what_scripts_may_read(sandbox: Sandbox, text: str, value: Any) -> None:
    try:
        told = (await run(sandbox, text, {"camera": Camera("top"), "Camera": Camera}))[0].value
    except Fault as fault:
        told = fault.message
    assert told == value


async def test_contexts_of_decimal_that_a_script_made_are_its_own(sandbox: Sandbox) -> None:
    text = "import decimal\nmine = decimal.getcontext().copy()\nmine.prec = 3\ndecimal.setcontext(mine)\n"
    text += "with decimal.localcontext() as inner:\n    inner.prec = 5\n    first = str(decimal.Decimal(1) / 3)\n"
    text += "return [first, str(decimal.Decimal(1) / 3)]"
    assert (await run(sandbox, text, {}))[0].value == ["0.33333", "0.333"]


async def test_private_fields_are_told_of_dataclasses_of_scripts_only(sandbox: Sandbox) -> None:
    text = OWN + "class Q(P): pass\n@dataclasses.dataclass(slots=True)\nclass R:\n    _z: int = 3\n"
    text += "Made = dataclasses.make_dataclass('Made', ['_m'])\nreturn [P(1, 2), Q(1, 2), R(), Made(4), camera]"
    whole = {"x": 1, "_y": 2}
    for module in ("script", "scripts.models", "lib.camera"):
        Camera.__module__ = module
        told = (await run(sandbox, text, {"camera": Camera("top")}))[0].value
        assert told == [whole, whole, {"_z": 3}, {"_m": 4}, {"name": "top"}]


class Lamp:
    def __init__(self) -> None:
        self.offset, self.lineno, self._firstweekday, self._fieldnames = 5, 7, 0, "mine"


WRITERS = [
    "import html.parser as h\nh.HTMLParser.reset(lamp)",
    "import html.parser as h\nh.HTMLParser.set_cdata_mode(h.HTMLParser, 'zz')",
    "import calendar\ncalendar.Calendar.setfirstweekday(lamp, 3)",
    "import csv\ncsv.DictReader.fieldnames.fset(lamp, 'x')",
    "import difflib\ndifflib.SequenceMatcher.set_seq2(lamp, 'x')",
    "import contextlib\ncontextlib.ExitStack.push(lamp, print)",
    "import textwrap\ntextwrap.TextWrapper.__init__(lamp)",
    "import random\nrandom.Random.setstate(lamp, random.getstate())",
]


@pytest.mark.parametrize("text", WRITERS)
async def test_methods_of_the_library_change_no_objects_of_an_application(sandbox: Sandbox, text: str) -> None:
    lamp = Lamp()
    with pytest.raises(Fault):
        await run(sandbox, text, {"lamp": lamp})
    assert vars(lamp) == vars(Lamp())
    assert "cdata_elem" not in vars(html.parser.HTMLParser)


async def test_methods_of_the_library_change_objects_of_a_script_as_ever(sandbox: Sandbox) -> None:
    text = "import html.parser, csv, random, queue\nclass P(html.parser.HTMLParser):\n    seen = ()\n"
    text += "    def handle_starttag(self, tag, attrs):\n        self.seen += (tag,)\np = P()\np.feed('<a><b>')\n"
    text += "q = queue.Queue()\nq.put(1)\nr = random.Random(1)\nr.setstate(random.Random(2).getstate())\n"
    text += "return [list(p.seen), [dict(row) for row in csv.DictReader(['a', '1'])], q.get(), r.random()]"
    told = (await run(sandbox, text, {}))[0].value
    assert told == [["a", "b"], [{"a": "1"}], 1, random.Random(2).random()]


async def test_an_application_makes_enums_and_type_variables_after_a_script_has_used_some(sandbox: Sandbox) -> None:
    assert (await run(sandbox, "import enum, http, re, typing\nreturn 1", {}))[0] == Outcome(1)
    assert typing.TypeVar("T").__module__ == __name__  # which it finds by looking at who calls

    class Colour(enum.StrEnum):
        RED = enum.auto()

    class Access(enum.IntFlag):
        READ = 1
        WRITE = 2

    assert (Colour("red"), Access.READ | Access.WRITE, str(Colour.RED)) == (Colour.RED, Access(3), "red")
