"""Flow: the walk over a tree, statement by statement, that carries what is trusted from one to the next.

What is not listed is refused: a node without a visit method meets RestrictedPython's generic_visit.
"""

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from RestrictedPython.transformer import RestrictingNodeTransformer

from sandbox.language.diagnostic import Diagnostics
from sandbox.language.imports import Imports, handles_import_errors, never_runs
from sandbox.language.scope import Survey
from sandbox.language.trust import Trust, location

_LEAVES = frozenset(
    {ast.Load, ast.Store, ast.Del}
    | {cls for base in (ast.operator, ast.unaryop, ast.boolop, ast.cmpop) for cls in base.__subclasses__()}
)
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)

Node = TypeVar("Node", bound=ast.AST)


class Flow(RestrictingNodeTransformer):
    """Visits statements in the order they run in; branches learn, and what may not have run is forgotten."""

    def __init__(self, survey: Survey, diagnostics: Diagnostics, imports: Imports, trust: Trust) -> None:
        super().__init__()
        self.survey = survey
        self.diagnostics = diagnostics
        self.imports = imports
        self.trust = trust
        self._visits: dict[type, Callable[[Any], Any]] = {}

    def refuse(self, rule: str, node: ast.AST, message: str, hint: str = "", *, name: str = "") -> None:
        """Note that *node* breaks *rule*, at the *name* in it if one is given."""
        self.diagnostics.add(rule, node, message, hint, name=name)

    # the walk

    def visit(self, node: ast.AST) -> Any:
        """Visit one node by the method for its class, found once."""
        cls = node.__class__
        if cls not in self._visits:
            self._visits[cls] = getattr(self, f"visit_{cls.__name__}", self.generic_visit)
        return self._visits[cls](node)

    def node_contents_visit(self, node: Node) -> Node:
        """Visit the expressions in *node*; statements go through `block`."""
        for name in node._fields:
            child = getattr(node, name, None)
            if child.__class__ is list:
                child[:] = [self.visit(one) if isinstance(one, ast.AST) else one for one in child]
            elif isinstance(child, ast.AST) and child.__class__ not in _LEAVES:
                setattr(node, name, self.visit(child))
        return node

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a kind of node nobody has reviewed."""
        self.refuse("node", node, f"{type(node).__name__} is not allowed.")

    def error(self, node: ast.AST, info: str) -> None:
        """Refuse what a rule of RestrictedPython itself refuses."""
        self.refuse("node", node, info)

    def warn(self, node: ast.AST, info: str) -> None:
        """Drop RestrictedPython's own warning: what it warns of is refused besides."""

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Visit a list of statements in order, carrying what is trusted from one to the next."""
        bound_in, result = self.survey.bound_in, []
        for statement in statements:
            bound = bound_in.get(statement)
            self.trust.forget(bound)
            kept = self.visit(statement)
            if kept is not None:
                result.append(kept)
                self.trust.learn(kept, bound)
        return result or [ast.Pass(**location(statement)) for statement in statements[:1]]

    def branch(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Visit a block that may not run to its end: what it learns is forgotten after it."""
        before = self.trust.trusted
        result = self.block(statements)
        self.trust.trusted = before
        return result

    # nodes whose contents are visited and that stay native

    visit_Subscript = visit_Slice = visit_Call = visit_Await = visit_NamedExpr = node_contents_visit
    visit_Assign = visit_Delete = visit_withitem = visit_comprehension = node_contents_visit
    visit_MatchSequence = visit_MatchOr = node_contents_visit

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = self.block(node.body)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return node

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.MatchSingleton:
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        current = node
        while True:
            current.right = self.visit(current.right)
            if not isinstance(current.left, ast.BinOp):
                current.left = self.visit(current.left)
                return node
            current = current.left

    # statements with blocks

    def visit_If(self, node: ast.If) -> ast.If:
        arms: list[frozenset[str]] = []
        trust, current = self.trust, node
        while True:
            current.test = self.visit(current.test)
            start = trust.trusted
            handled = never_runs(current.test)
            self.imports.handled += handled
            current.body = self.block(current.body)
            self.imports.handled -= handled
            self._leave_arm(arms, current.body)
            trust.trusted = start
            following = current.orelse[0] if len(current.orelse) == 1 else None
            if not isinstance(following, ast.If):
                break
            current = following
        current.orelse = self.block(current.orelse)
        self._leave_arm(arms, current.orelse)
        if arms:
            trust.trusted = arms[0].intersection(*arms[1:])
        return node

    def _leave_arm(self, arms: list[frozenset[str]], statements: list[ast.stmt]) -> None:
        """Note what an arm has learned, unless it never reaches what follows."""
        if not (statements and isinstance(statements[-1], _LEAVING)):
            arms.append(self.trust.trusted)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.target = self.visit(node.target)
        node.body = self.branch(node.body)
        node.orelse = self.branch(node.orelse)
        return node

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> ast.While:
        node.test = self.visit(node.test)
        node.body = self.branch(node.body)
        node.orelse = self.branch(node.orelse)
        return node

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.AST:
        handled = handles_import_errors(node.items)
        node.items = [self.visit(item) for item in node.items]
        self.imports.handled += handled
        node.body = self.branch(node.body)
        self.imports.handled -= handled
        return node

    visit_AsyncWith = visit_With

    def visit_Try(self, node: ast.Try) -> ast.Try:
        handled = handles_import_errors(node.handlers)
        self.imports.handled += handled
        node.body = self.branch(node.body)
        self.imports.handled -= handled
        node.handlers = [self.visit(handler) for handler in node.handlers]
        node.orelse = self.branch(node.orelse)
        node.finalbody = self.branch(node.finalbody)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        if node.type is not None:
            node.type = self.visit(node.type)
        node.body = self.branch(node.body)
        return node

    def visit_TryStar(self, node: Any) -> Any:
        self.refuse("except-star", node.handlers[0], "except* is not available.", name="except")
        return node

    def visit_TemplateStr(self, node: ast.AST) -> ast.AST:
        self.refuse("template-string", node, "Template strings are not available.")
        return node

    visit_Interpolation = visit_TemplateStr

    def visit_Match(self, node: ast.Match) -> ast.Match:
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.pattern = self.visit(case.pattern)
            if case.guard is not None:
                case.guard = self.visit(case.guard)
            case.body = self.branch(case.body)
        return node
