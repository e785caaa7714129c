"""Every run-time rule is needed: with it an attack fails, and with that one rule off the same attack gets through."""

import builtins
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.language import compiler
from sandbox.language.policy import GUARDS
from sandbox.limits import Limits
from sandbox.runtime import enums, namespace
from tests.sandbox.forked import in_child
from tests.sandbox.scripts import Recorder
from tests.sandbox.sections import read_sections


def builtin(name: str, permissive: Any) -> Callable[[namespace.Namespace], None]:
    """Switch a rule off by binding *name* to what lets everything through."""
    return lambda space: space._builtins.update({name: permissive})


def in_face(module: str, *names: str) -> Callable[[namespace.Namespace], None]:
    """Switch a rule off by putting the library's own functions into a face."""

    def switch(space: namespace.Namespace) -> None:
        for name in names:
            setattr(space.faces.face(module), name, getattr(__import__(module), name))

    return switch


class Everything(set[type]):
    """A set of classes that has all of them."""

    def __contains__(self, _item: object) -> bool:
        return True


def _enum_as_the_library_makes_it(_space: namespace.Namespace) -> None:
    enums._create_checked = enums._create


OFF: dict[str, Callable[[namespace.Namespace], None]] = {
    "write!": builtin("write!", lambda target: target),
    "own!": builtin("own!", Everything()),
    "priv!": builtin("priv!", lambda owner: owner),
    "guarded!: format": builtin("guarded!", getattr),
    "guarded!: format_map": builtin("guarded!", getattr),
    "guarded!: obj": builtin("guarded!", getattr),
    "guarded!: mro": builtin("guarded!", getattr),
    "guarded!: register": builtin("guarded!", getattr),
    "guarded!: get_loop": builtin("guarded!", getattr),
    "dict!": builtin("dict!", lambda owner: owner.__dict__),
    "power!": builtin("power!", getattr),
    "power!: access": builtin("power!", getattr),
    "__build_class__": builtin("__build_class__", builtins.__build_class__),
    "__import__": builtin("__import__", builtins.__import__),
    "type": builtin("type", type),
    "getattr": builtin("getattr", getattr),
    "setattr": builtin("setattr", setattr),
    "delattr": builtin("delattr", delattr),
    "hasattr": builtin("hasattr", hasattr),
    "vars": builtin("vars", vars),
    "open": builtin("open", open),
    "copy.copy": in_face("copy", "copy"),
    "copy.deepcopy": in_face("copy", "deepcopy"),
    "dataclasses.asdict": in_face("dataclasses", "asdict"),
    "dataclasses.astuple": in_face("dataclasses", "astuple"),
    "dataclasses.dataclass": in_face("dataclasses", "dataclass"),
    "dataclasses.make_dataclass": in_face("dataclasses", "make_dataclass"),
    "functools.update_wrapper": in_face("functools", "update_wrapper"),
    "functools.wraps": in_face("functools", "wraps"),
    "functools.singledispatch": in_face("functools", "singledispatch"),
    "operator.attrgetter": in_face("operator", "attrgetter"),
    "operator.methodcaller": in_face("operator", "methodcaller"),
    "typing.get_origin": in_face("typing", "get_origin", "Type"),
    "abc.abstractmethod": in_face("abc", "abstractmethod"),
    "enum.Enum": _enum_as_the_library_makes_it,
}
"""How each rule is switched off."""

ATTACKS = read_sections("rules.txt")

DATA = {"type!", "typevar!", "Generic!", "Any!", "ClassVar!", "InitVar!", "KW_ONLY!", "class!"}
"""Guards that are values, not rules; `class!` gives a text that native code would give too."""

ELSEWHERE = {"rename!", "fields!", "shown!"}
"""Guards whose attacks need helpers, in test_ablation, or what an application shows: test_host_escapes, test_here."""


def outcome(attack: str, off: Callable[[namespace.Namespace], None] | None) -> Any:
    """Give what *attack* returns or why it failed, in a process of its own, with a rule *off* or none."""
    compiled = compiler.compile_module(attack.encode())

    def work() -> Any:
        space = namespace.Namespace()
        if off is not None:
            off(space)
        space.begin({"": (compiled.code, compiled.lines)}, "attack.py", Recorder(), Limits())
        ending = space.ending(compiled.outline, {})
        return ending["value"] if ending["ok"] else ending["error"]["message"]

    return in_child(work).value


@pytest.mark.parametrize("rule", OFF)
def test_a_rule_holds_and_its_attack_needs_it(rule: str) -> None:
    assert not str(outcome(ATTACKS[rule], None)).startswith("PWNED")
    assert str(outcome(ATTACKS[rule], OFF[rule])).startswith("PWNED")


def test_every_guard_has_an_attack_that_needs_it() -> None:
    tried = {rule.partition(":")[0] for rule in OFF}

    assert OFF.keys() == ATTACKS.keys()
    assert GUARDS.keys() - tried - DATA - ELSEWHERE == set()
