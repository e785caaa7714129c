"""Faces hold the names the table promises and lead nowhere else."""

import asyncio
import builtins
import collections
import importlib
import types
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.language.modules import ALIASES, LEFT_OUT, NAMES
from sandbox.language.names import kind
from sandbox.runtime import namespace
from sandbox.runtime.guards import Guards
from tests.sandbox.samples import samples
from tests.sandbox.scripts import run
from tests.sandbox.sections import read_sections

MODULES = sorted(NAMES)
OURS = {"httpx", "requests", "requests.auth", "requests.exceptions", "scriptool"}


@pytest.fixture(scope="module")
def space() -> namespace.Namespace:
    """Give a namespace with all faces made."""
    space = namespace.Namespace()
    space.faces.make_all()
    return space


@pytest.mark.parametrize("module", MODULES)
def test_a_face_has_every_name_that_python_has(space: namespace.Namespace, module: str) -> None:
    face = {name for name in vars(space.faces.face(module)) if not name.startswith("__")}
    library = None if module in OURS else importlib.import_module(module)
    there = {name for name in NAMES[module] if library is None or hasattr(library, name) or f"{module}.{name}" in NAMES}

    assert there <= face <= NAMES[module]


@pytest.mark.parametrize("module", MODULES)
def test_a_face_holds_no_module_no_metaclass_and_no_table_to_write_in(space: namespace.Namespace, module: str) -> None:
    for name, value in vars(space.faces.face(module)).items():
        assert name == "args" or not isinstance(value, dict | list | set | bytearray), name
        assert not (isinstance(value, type) and issubclass(value, type)), name
        if isinstance(value, types.ModuleType):
            assert value is space.faces.face(f"{module}.{name}")


def test_what_is_left_out_is_said_of_modules_that_exist() -> None:
    assert LEFT_OUT.keys() - NAMES.keys() == set()
    assert set(ALIASES.values()) - NAMES.keys() == set()
    assert all(reason and not reason.endswith(".") for names in LEFT_OUT.values() for reason in names.values())


# The walk: whatever plain attribute syntax can reach, from everything a script is given.

FORBIDDEN_TYPES = (
    types.FrameType,
    types.CodeType,
    types.TracebackType,
    types.CellType,
    asyncio.AbstractEventLoop,
)
FORBIDDEN = [
    getattr(builtins, name)
    for name in ("type", "getattr", "setattr", "delattr", "open", "eval", "exec", "compile", "vars", "dir", "input")
] + [builtins.__import__, builtins.globals, builtins.locals, builtins.breakpoint]
LEAVES = (
    str,
    bytes,
    int,
    float,
    complex,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)


def reads(guards: Guards, value: Any) -> Iterator[tuple[str, Any]]:
    """Give what reading each attribute of *value* gives a script."""
    names = set(dir(value)) | (set(dir(type(value))) if isinstance(value, type) else set())
    for name in sorted(names):
        judged = kind(name)
        try:
            if judged == "native":
                yield name, getattr(value, name)
            elif judged == "guarded":
                yield name, guards.guarded(value, name)
            elif judged in ("power", "access"):
                yield name, guards.power(value, name)
            elif judged == "private":
                yield name, getattr(guards.private(value), name)
        except Exception:
            continue


def held(value: Any) -> Iterator[tuple[str, Any]]:
    """Give what iterating over a container gives."""
    if isinstance(value, dict | types.MappingProxyType):
        for key, item in list(value.items())[:50]:
            yield "key", key
            yield repr(key), item
    elif isinstance(value, list | tuple | set | frozenset | collections.deque):
        for item in list(value)[:50]:
            yield "item", item


def test_nothing_a_script_can_reach_leads_out(space: namespace.Namespace) -> None:
    guards = Guards(space.run.own)
    todo: list[tuple[str, Any]] = [
        (name, value) for name, value in space._builtins.items() if "!" not in name and not name.startswith("__")
    ]
    todo += [(module, space.faces.face(module)) for module in MODULES]
    todo += samples(space.faces.face, {name: value for name, value in space._builtins.items() if "!" not in name})
    seen: dict[int, Any] = {}
    while todo:
        path, value = todo.pop()
        if id(value) in seen or path.count(".") > 12:
            continue
        seen[id(value)] = value
        assert not isinstance(value, FORBIDDEN_TYPES), path
        assert not any(value is forbidden for forbidden in FORBIDDEN), path
        assert not (isinstance(value, type) and issubclass(value, type)), path
        assert not isinstance(value, types.ModuleType) or value.__name__.startswith("<"), path
        if type(value) not in LEAVES:
            todo += [(f"{path}.{name}", found) for name, found in (*reads(guards, value), *held(value))]

    print(f"{len(seen)} objects can be reached")
    assert len(seen) > 2000


# What single faces promise.

PROMISES = read_sections("promises.txt")


@pytest.mark.parametrize("name", PROMISES)
def test_a_face_does_what_it_promises(name: str) -> None:
    assert run(PROMISES[name]).value is True


REFUSALS = [
    ("import json\njson.dumps = 5", "TypeError: the module json is read-only in a script"),
    ("import decimal\ndecimal.Decimal.x = 5", "TypeError: the class Decimal is read-only in a script"),
    ("import io\nio.StringIO().x = 5", "TypeError: a StringIO object is read-only in a script"),
    ("len.x = 1", "AttributeError: a builtin_function_or_method object is read-only in a script"),
    ("import os\ndict(os.environ)", "os.environ"),
    (
        "import enum\nenum.Enum('E', 'a', type=ExceptionGroup)",
        "TypeError: the functional form of an enum takes type=str, int or float",
    ),
    (
        "import collections\ncollections.namedtuple('P', 'gi_frame')",
        "ValueError: a field cannot be called gi_frame in a script",
    ),
    ("class A(type(iter([]))): pass", "TypeError: list_iterator may not be a base class in a script"),
    ("class A(len): pass", "TypeError: a class is made of classes, not of a builtin_function_or_method"),
    ("x = type('A', (), {})", "TypeError: type() takes one argument in a script; write a class statement"),
    ("text = '{0.__class__}'\ntext.format(1)", "a format field may not read .__class__"),
    ("import copy\ncopy.copy(iter([]))", "Error: un(deep)copyable object of type list_iterator"),
    ("vars(len)", "TypeError: vars() takes an instance of one of the script's own classes"),
]


@pytest.mark.parametrize(("text", "message"), REFUSALS)
def test_a_refusal_says_what_was_refused(text: str, message: str) -> None:
    assert message in run(f"{text}\nreturn 1").error["message"].replace(" A ", " a ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("str.format", "<function str.format at"),
        ("f'{1}'.format_map", "<function str.format_map at"),
        ("object.__setattr__", "<function object.__setattr__ at"),
        ("dict.__init__", "<function dict.__init__ at"),
        ("type(1)", "<class 'int'>"),
        ("type(int)", "<class 'type'>"),
        ("getattr", "<bound method getattr of <builtins>>"),
        ("ctx.log.info", "<bound method Log.info of <ctx.log>>"),
        ("[print, open, super, ctx]", "["),
        (
            "[ctx.http, ctx.files, ctx.http.get, ctx.files.list, type(ctx), type(ctx.http), type(os.environ)]",
            "[<ctx.http>",
        ),
        ("[v for m in (httpx, requests) for n in dir(m) if (v := getattr(m, n, 0))]", "["),
        ("[httpx.Client(), httpx.Client().cookies, type(requests.Session().cookies), httpx.Client().get]", "["),
        ("[v for m in (copy, logging, asyncio, os, sys, dataclasses) for n in dir(m) if (v := getattr(m, n, 0))]", "["),
    ],
)
def test_what_a_script_prints_shows_no_name_of_ours(text: str, shown: str) -> None:
    imports = "import asyncio, copy, dataclasses, httpx, logging, os, requests, sys"
    printed = run(f"{imports}\nf = lambda: {text}\nprint(f())\nreturn 1").printed

    assert printed.startswith(shown)
    assert "sandbox" not in printed
    assert "<locals>" not in printed


def test_messages_of_python_call_replacements_by_their_names() -> None:
    assert run("import copy\ncopy.copy()\nreturn").error["message"].startswith("TypeError: copy() missing 1 required")
    assert run("getattr(1)\nreturn").error["message"].startswith("TypeError: getattr() missing 1 required")


GENERATED = """
import dataclasses, uuid
@dataclasses.dataclass(order=True, unsafe_hash=True)
class P:
    int: object
    _is_safe: object = 0
one, other = P(1, 2), P(1, 3)
said = [one < other, one == P(1, 2), hash(one) == hash(P(1, 2)), repr(one), P.__repr__.__qualname__]
class Q(P): pass
said.append(P.__repr__(Q(4, 5)))
for use in (P.__repr__, P.__hash__, lambda x: P.__eq__(x, x), lambda x: P.__lt__(x, x)):
    try: said.append(use(uuid.UUID(int=5)))
    except TypeError as error: said.append(str(error))
return said
"""


def test_what_a_dataclass_generates_reads_private_fields_of_its_own_objects_only() -> None:
    assert run(GENERATED).value == [
        *(True, True, True, "P(int=1, _is_safe=2)", "P.__repr__"),
        "Q(int=4, _is_safe=5)",
        "P.__repr__ needs an object of its class",
        "P.__hash__ needs an object of its class",
        "P.__eq__ needs an object of its class",
        "P.__lt__ needs an object of its class",
    ]
