"""Every rule is needed: its attack fails while it holds and gets through with it off, whatever else holds.

Rules that overlap are named together: with all of them off the attack gets through, with all but one it does not.
A rule is switched off in the process the attack runs in, which ends with it; the product has no switch for any.
"""

import ast
import builtins
import faulthandler
import importlib
import signal
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.language import compiler, flow, policy, scope, trust
from sandbox.language.diagnostic import Diagnostics, Refused
from sandbox.language.names import kind
from sandbox.language.rules import RULES, WARNING_RULES
from sandbox.limits import Limits
from sandbox.runtime import class_statement, deputies, faces, generics, guards, hooks, namespace, reflection, safe_type
from sandbox.runtime.faces import records
from tests.sandbox.forked import in_child
from tests.sandbox.scripts import Recorder
from tests.sandbox.sections import read_sections

ATTACKS = read_sections("ablation.txt")

EXPLAINED = {
    "syntax": "CPython refuses it itself; the rule says where",
    "encoding": "CPython refuses it itself; the rule says where",
    "future": "CPython refuses it itself; the rule says so beside all other refusals",
    "import-relative": "no script is in a package, so that CPython finds nothing",
    "too-deep": "keeps CPython's own parser and compiler within their stacks; test_compiler tries it",
    "node": "no Python up to 3.13 has syntax that nobody has reviewed",
    "template-string": "no Python up to 3.13 has them",
}
"""Refusals that need no attack, and why."""

MENDED_GROUPS = {(3, 11): (3, 11, 99), (3, 12): (3, 12, 9), (3, 13): (3, 13, 2)}
"""From which release on a Python's except* is not confused by a group that lies; 3.11 was never mended."""


class Lenient(Diagnostics):
    """Diagnostics that overlook what breaks the rules *off*."""

    def __init__(self, lines: list[str], off: tuple[str, ...]) -> None:
        super().__init__(lines)
        self._off = {rule.partition(":")[0] for rule in off}

    def add_at(self, rule: str, *arguments: Any, **named: Any) -> None:
        """Note it, unless its rule is off."""
        if rule not in self._off:
            super().add_at(rule, *arguments, **named)


class Union(frozenset[str]):
    """What the arms of an `if` have learned, where all of it is kept."""

    def intersection(self, *others: Any) -> "Union":
        """Give what any arm has learned."""
        return Union(self.union(*others))


class Everywhere(set[str]):
    """A set of names from which nothing is taken away."""

    def __rsub__(self, other: Any) -> Any:
        return other


def replaced(owner: Any, name: str, value: Any) -> Callable[[], None]:
    """Switch a rule off before the attack is compiled."""
    return lambda: setattr(owner, name, value)


def no_matter(*owners: Any, name: str) -> Callable[[], None]:
    """Switch off a function that raises where a rule is broken, wherever it was imported."""

    def switch() -> None:
        for owner in owners:
            setattr(owner, name, lambda *arguments, **_: arguments[0])

    return switch


def without(name: str) -> Callable[[], None]:
    """Have the locals of a scope count as plain although they are *name*: captured, or declared."""

    def plain_locals(self: scope.Scope) -> frozenset[str]:
        taken: set[str] = set()
        for other in {"captured", "declared"} - {name}:
            taken |= getattr(self, other)
        return frozenset((self.bound | self.parameters) - taken)

    return replaced(scope.Scope, "plain_locals", plain_locals)


def _learn_in_any_case() -> None:
    learn = trust.Trust.learn
    setattr(trust.Trust, "learn", lambda self, statement, _: learn(self, statement, None))  # noqa: B010 - as the others


def _take_each_guard_for_every_use() -> None:
    receiver = trust.Trust.receiver

    def trusting(self: trust.Trust, value: ast.expr, guard: str) -> ast.expr:
        if isinstance(value, ast.Name) and value.id in self.trusted:
            return value
        return receiver(self, value, guard)

    def call(guard: str, *arguments: ast.expr, at: dict[str, Any]) -> ast.expr:
        return arguments[0] if guard == "rename!" else trust.call(guard, *arguments, at=at)

    def entry_test(name: str, at: dict[str, Any]) -> ast.stmt:
        return ast.Expr(trust.call("write!", ast.Name(name, ast.Load(), **at), at=at), **at)

    trust.Trust.receiver = trusting  # type: ignore[method-assign]
    replaced(policy, "call", call)()
    replaced(policy, "entry_test", entry_test)()


def _trust_in_classes() -> None:
    inside = trust.Trust.inside

    def trusting(self: trust.Trust, *arguments: Any, **named: Any) -> trust.Trust:
        made = inside(self, *arguments, **named)
        made.in_class = False
        return made

    trust.Trust.inside = trusting  # type: ignore[method-assign]


def _take_methods_for_anything() -> None:
    replaced(faces, "hold", lambda *_, **__: None)()
    for cls in [cls for classes in deputies._guarded.values() for cls in classes]:
        for name, value in list(vars(cls).items()):
            if getattr(getattr(value, "__code__", None), "co_name", "") in ("held", "refused"):
                setattr(cls, name, value.__wrapped__)


def _take_names_as_they_come() -> None:
    def readable(name: Any) -> Any:
        if kind(name) in ("refused", "class", "dict"):
            raise AttributeError(name)
        return name

    for owner in (guards, reflection):
        owner.readable_name = readable  # type: ignore[attr-defined]


def _let_helpers_have_any_names() -> None:
    def write_named(self: guards.Guards, target: Any, name: Any) -> Any:
        return self.write(target)

    guards.Guards.write_named = write_named  # type: ignore[method-assign]


COMPILING: dict[str, Callable[[], None]] = {
    "trust: forget": replaced(trust.Trust, "forget", lambda *_: None),
    "trust: bound in the same statement": _learn_in_any_case,
    "trust: branches": replaced(flow.Flow, "branch", flow.Flow.block),
    "trust: arms": replaced(flow.Flow, "_leave_arm", lambda self, arms, _: arms.append(Union(self.trust.trusted))),
    "trust: captured names": without("captured"),
    "trust: declared names": without("declared"),
    "trust: mangled names": replaced(scope, "_may_be_mangled", lambda _: False),
    "trust: first parameters that are rebound": replaced(scope.Scope, "keeps", lambda *_: True),
    "trust: hidden names": replaced(scope.Scope, "hides", lambda _: Everywhere()),
    "trust: test at the entry": replaced(policy, "entry_test", lambda _, at: ast.Pass(**at)),
    "trust: bound super": replaced(policy, "is_own", lambda _, at: ast.Constant(True, **at)),
    "trust: a write tells nothing of private names": _take_each_guard_for_every_use,
    "trust: a method's first parameter may be anything": _take_each_guard_for_every_use,
    "trust: names are not written by trust": _take_each_guard_for_every_use,
    "trust: names of the namespace of a class": _trust_in_classes,
    "classes: guards are asked for globally": replaced(
        policy, "_asked_globally", lambda node: ast.Pass(**trust.location(node))
    ),
    "classes: exact keywords": no_matter(class_statement, name="check_names"),
    "type: stand-ins": replaced(safe_type, "_stand_in", lambda cls: cls),
    "deputies: objects of their class": _take_methods_for_anything,
    "typing: caches": replaced(generics, "running", types.SimpleNamespace(own=None)),
    "classes: that of an object stays": replaced(class_statement, "_PLAIN_METACLASSES", set()),
    "hooks: slots": replaced(hooks, "_slots", lambda names: names),
    "hooks: answers": replaced(hooks, "_answers_native_names", lambda value: value),
    "hooks: finds": replaced(hooks, "_finds_native_names", lambda value: value),
    "hooks: makes": replaced(hooks.Hooks, "_makes_its_own", lambda _, value: value),
    "fields": no_matter(class_statement, records, name="check_fields"),
    "names: exact texts": _take_names_as_they_come,
    "names: writable": no_matter(guards, name="writable_name"),
    "names: fields made at run time": no_matter(records, name="_readable"),
    "names: of helper modules": _let_helpers_have_any_names,
    "faces: tables": no_matter(faces, name="_frozen"),
}
"""How the rules are switched off that act while a script is compiled, or in functions of ours."""


def builtin(name: str, permissive: Any) -> Callable[[namespace.Namespace], None]:
    """Switch a rule off by binding *name* to what lets everything through."""
    return lambda space: space._builtins.update({name: permissive})


def in_face(name: str) -> Callable[[namespace.Namespace], None]:
    """Switch a rule off by putting the library's own *name*, `module.name`, into a face."""
    module, _, last = name.rpartition(".")
    return lambda space: setattr(space.faces.face(module), last, getattr(importlib.import_module(module), last))


RUNNING: dict[str, Callable[[namespace.Namespace], None]] = {
    "write!": builtin("write!", lambda target: target),
    "rename!": builtin("rename!", lambda target: target),
    "guarded!": builtin("guarded!", getattr),
    "builtins": builtin("eval", eval),
    "__import__": builtin("__import__", builtins.__import__),
    "__build_class__": builtin("__build_class__", builtins.__build_class__),
}
"""How the rules are switched off that the namespace of a run holds."""


def outcome(attack: str, off: tuple[str, ...]) -> Any:
    """Give what *attack* returns or why it failed, or the signal that ended it, with the rules *off*."""
    main, *helpers = attack.split("\n--- ")
    texts = {"": main} | {name: text for name, _, text in (helper.partition("\n") for helper in helpers)}

    def work() -> Any:
        faulthandler.disable()  # one attack ends its process
        for rule in off:
            if rule in COMPILING:
                COMPILING[rule]()
        try:
            compiled = {name: compiled_without(text, name, off) for name, text in texts.items()}
        except Refused as refusal:
            return f"refused: {refusal}"
        space = namespace_without(off)
        modules = {name: (one.code, one.lines) for name, one in compiled.items()}
        space.begin(modules, "attack.py", Recorder(), Limits())
        ending = space.ending(compiled[""].outline, {})
        return ending["value"] if ending["ok"] else ending["error"]["message"]

    ending = in_child(work)
    return ending.value if ending.signal == 0 else signal.Signals(ending.signal).name


def compiled_without(text: str, name: str, off: tuple[str, ...]) -> compiler.Compiled:
    return compiler._compile(text, Lenient(text.split("\n"), off), helper=bool(name), filename=f"<{name or 'script'}>")


def namespace_without(off: tuple[str, ...]) -> namespace.Namespace:
    space = namespace.Namespace()
    for rule in off:
        part, _, detail = rule.partition(": ")
        if part in RUNNING:
            RUNNING[part](space)
        elif part == "faces" and "." in detail:
            in_face(detail)(space)
    return space


def succeeds(ending: Any) -> bool:
    return str(ending).startswith("PWNED") or ending == "SIGSEGV"


@pytest.mark.parametrize("heading", ATTACKS)
def test_an_attack_needs_its_rules_off(heading: str) -> None:
    if "except-star" in heading and sys.version_info >= MENDED_GROUPS[sys.version_info[:2]]:
        pytest.skip("this release of Python is not confused by groups that lie")
    rules = tuple(heading.split(" + "))

    held = {rule: outcome(ATTACKS[heading], tuple(one for one in rules if one != rule)) for rule in rules}

    assert {rule: ending for rule, ending in held.items() if succeeds(ending)} == {}
    ending = outcome(ATTACKS[heading], rules)
    assert succeeds(ending), ending


def test_every_rule_that_refuses_has_an_attack_or_a_reason() -> None:
    tried = {rule.partition(":")[0] for heading in ATTACKS for rule in heading.split(" + ")}

    assert RULES.keys() - WARNING_RULES - tried == EXPLAINED.keys()
    assert COMPILING.keys() - {rule for heading in ATTACKS for rule in heading.split(" + ")} == set()
