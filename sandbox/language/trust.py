"""Trust: which local names surely hold an object whose attributes the script may change, so that no test is needed.

Sound because an object never changes its class and classes never leave the set of the script's own.
"""

import ast
from typing import Any

from sandbox.language.scope import Scope

TEMPORARY = "t!"
"""The local that holds a receiver between its test and its use; nobody can spell, capture or delete it."""


class Trust:
    """What is known of the names of one scope, at the point of the text that is being looked at."""

    def __init__(
        self, plain: frozenset[str], steady: frozenset[str], *, has_temporary: bool, in_class: bool = False
    ) -> None:
        self.plain = plain
        """Names that nothing but the scope's own statements can rebind, so a test of one holds until they do."""
        self.steady = steady
        """Names tested for all uses and never bound again, in no scope: trusted in the scopes inside too."""
        self.trusted = steady
        """Names whose attributes may be written at this point."""
        self.has_temporary = has_temporary
        """Whether a walrus binds here and nowhere else: not in classes, lambdas, comprehensions and modules."""
        self.in_class = in_class
        """Whether names are looked for in the namespace of a class first, which may have some that no text binds."""

    def inside(self, scope: Scope, plain: frozenset[str], *, has_temporary: bool) -> "Trust":
        """Give what is known at the start of *scope*, which lies inside this one."""
        in_class = scope.is_class or (scope.is_comprehension and self.in_class)
        return Trust(plain, self.steady - scope.hides(), has_temporary=has_temporary, in_class=in_class)

    def receiver(self, value: ast.expr, guard: str) -> ast.expr:
        """Give *value* behind the cheapest test that its class is the script's own; else *guard* decides."""
        name = value.id if isinstance(value, ast.Name) else None
        # what may be written need not be open to private reads, so a write teaches nothing about those
        if not self.in_class and name in (self.steady if guard in ("priv!", "fields!") else self.trusted):
            return value
        at = location(value)
        if name in self.plain:
            tested: ast.expr = value
        elif self.has_temporary:
            name = TEMPORARY
            tested = ast.NamedExpr(ast.Name(name, ast.Store(), **at), value, **at)
        else:
            # a global or a captured name could be bound anew between its test and its use
            return call(guard, value, at=at)
        again = ast.Name(name, ast.Load(), **at)
        return ast.IfExp(is_own(tested, at), again, call(guard, ast.Name(name, ast.Load(), **at), at=at), **at)

    def forget(self, names: set[str] | None) -> None:
        """Stop trusting *names*: the statement at hand may bind them."""
        if names:
            self.trusted -= names

    def learn(self, statement: ast.stmt, bound: set[str] | None) -> None:
        """Trust the plain names whose attributes *statement*, which binds *bound*, has written."""
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AugAssign):
            targets = [statement.target]
        else:
            return
        for target in targets:
            if isinstance(target, ast.Attribute):
                name = _tested_name(target.value)
                if name in self.plain and (not bound or name not in bound):
                    self.trusted |= {name}


def entry_test(name: str, at: dict[str, Any]) -> ast.stmt:
    """Give the statement that tests the first parameter of a method once, for writes and private reads in it."""
    test = ast.Compare(
        call("type!", ast.Name(name, ast.Load(), **at), at=at),
        [ast.NotIn()],
        [ast.Name("own!", ast.Load(), **at)],
        **at,
    )
    written = call("write!", ast.Name(name, ast.Load(), **at), at=at)
    return ast.If(test, [ast.Expr(call("priv!", written, at=at), **at)], [], **at)


def is_own(value: ast.expr, at: dict[str, Any]) -> ast.expr:
    """Give the expression that tells whether *value* is an instance of a class of the script."""
    return ast.Compare(call("type!", value, at=at), [ast.In()], [ast.Name("own!", ast.Load(), **at)], **at)


def call(guard: str, *arguments: ast.expr, at: dict[str, Any]) -> ast.Call:
    """Give the call of *guard*, located *at* the text it stands for."""
    return ast.Call(ast.Name(guard, ast.Load(), **at), list(arguments), [], **at)


def location(node: ast.expr | ast.stmt) -> dict[str, Any]:
    """Give where *node* stands, as the keyword arguments of a new node in its place."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def _tested_name(receiver: ast.expr) -> str | None:
    """Give the name that a receiver is, or is again after its test."""
    if isinstance(receiver, ast.IfExp):
        receiver = receiver.body
    return receiver.id if isinstance(receiver, ast.Name) else None
