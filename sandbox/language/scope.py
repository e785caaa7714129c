"""Scopes: what each function, class and comprehension of a file binds and captures, learned in one pass.

The pass is iterative, so that it can also measure how deep the tree is before anything recursive walks it.
"""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sandbox.language.diagnostic import Diagnostics
from sandbox.language.names import kind
from sandbox.limits import MAX_TREE

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = frozenset({ast.For, ast.AsyncFor, ast.While})


class Scope:
    """The names of one module, function, class or comprehension."""

    __slots__ = (
        "bound", "captured", "declared", "declared_inside", "first", "is_class", "is_comprehension", "loaded",
        "nested_uses", "parameters", "parent", "uses",
    )  # fmt: skip

    def __init__(self, node: ast.AST, parent: "Scope | None") -> None:
        self.parent = parent
        self.is_class = isinstance(node, ast.ClassDef)
        self.is_comprehension = isinstance(node, COMPREHENSIONS)
        self.parameters: set[str] = set()
        self.bound: set[str] = set()
        """Names its statements bind, its parameters apart."""
        self.loaded: set[str] = set()
        self.declared: set[str] = set()
        """Names it declares global or nonlocal."""
        self.declared_inside: set[str] = set()
        """Names that scopes inside it declare global or nonlocal."""
        self.captured: set[str] = set()
        """Names that scopes inside it mention in any way."""
        self.first: str | None = None
        """The first parameter, if this is a function in a class body."""
        self.uses = 0
        """How many uses of the first parameter are checked: writes, and reads of private attributes."""
        self.nested_uses = False
        """Whether one of them stands in a loop or in a scope of its own."""

    def plain_locals(self) -> frozenset[str]:
        """Names that nothing but this scope's own statements can rebind."""
        names = (self.bound | self.parameters) - self.captured - self.declared
        return frozenset(name for name in names if not _may_be_mangled(name))

    def keeps(self, parameter: str) -> bool:
        """Say whether *parameter* is never bound again, neither here nor in a scope inside."""
        binding = (self.bound, self.declared, self.declared_inside)
        return not _may_be_mangled(parameter) and not any(parameter in names for names in binding)

    def hides(self) -> set[str]:
        """Names of outer scopes that mean something else in this one, or may."""
        return self.parameters | self.bound | self.declared


@dataclass
class Survey:
    """What one pass over a file learned."""

    module: Scope
    scopes: dict[ast.AST, Scope]
    bound_in: dict[ast.AST, set[str]] = field(default_factory=dict)
    """Statement to the names bound anywhere inside it, inner functions and classes apart."""
    loads: dict[str, list[ast.Name]] = field(default_factory=dict)
    """Name to the places where it is read."""
    bound: set[str] = field(default_factory=set)
    """Names bound in some scope."""
    declared_global: set[str] = field(default_factory=set)
    returns: list[ast.AST] = field(default_factory=list)
    """The `return` statements outside functions."""
    awaits: list[ast.AST] = field(default_factory=list)
    """What awaits outside functions."""
    yields: list[ast.AST] = field(default_factory=list)
    """What yields outside functions."""
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    """The import statements of every scope."""


def survey(tree: ast.Module, diagnostics: Diagnostics) -> Survey:
    """Learn the scopes of *tree*; refuse one that is too deep."""
    return _Surveyor(tree, diagnostics).run()


class _Statement:
    """A statement under way: a name bound inside it is noted in it and in those around it."""

    __slots__ = ("bound", "in_loop", "outer")

    def __init__(self, outer: "_Statement | None", is_loop: bool) -> None:
        self.outer = outer
        self.in_loop: bool = is_loop or (outer is not None and outer.in_loop)
        self.bound: set[str] = set()


_Place = tuple[Scope, _Statement | None, int]
"""Where a node stands: its scope, its statement, its depth."""


class _Surveyor:
    """Walks a tree with a stack of its own. A visit returns True if it has put the children on the stack itself."""

    def __init__(self, tree: ast.Module, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        module = Scope(tree, None)
        self.survey = Survey(module, {tree: module})
        self.statements: list[tuple[ast.AST, _Statement]] = []
        self.todo: list[tuple[ast.AST, _Place]] = [(child, (module, None, 1)) for child in tree.body]
        self.visits: dict[type, Callable[[ast.AST, _Place], bool | None]] = {
            getattr(ast, name.removeprefix("visit_")): getattr(self, name)
            for name in dir(self)
            if name.startswith("visit_") and hasattr(ast, name.removeprefix("visit_"))
        }

    def run(self) -> Survey:
        todo, visits = self.todo, self.visits
        while todo:
            node, place = todo.pop()
            cls = node.__class__
            if isinstance(node, ast.stmt):
                scope, outer, depth = place
                statement = _Statement(outer, cls in _LOOPS)
                self.statements.append((node, statement))
                place = (scope, statement, depth)
            visit = visits.get(cls)
            if visit is None or not visit(node, place):
                self._descend(node, place)
        self.survey.bound_in = {node: statement.bound for node, statement in self.statements if statement.bound}
        self._spread()
        return self.survey

    def _descend(self, node: ast.AST, place: _Place) -> None:
        scope, statement, depth = place
        if depth > MAX_TREE:
            self.diagnostics.add("too-deep", node, f"The syntax tree is more than {MAX_TREE} levels deep.")
            raise self.diagnostics.refusal()
        inner = (scope, statement, depth + 1)
        todo = self.todo
        is_binary = node.__class__ is ast.BinOp
        for name in node._fields:
            child = getattr(node, name, None)
            if child.__class__ is list:
                todo += [(one, inner) for one in child if isinstance(one, ast.AST)]
            elif isinstance(child, ast.AST) and child._fields:
                # a chain of operators counts once, as its visitor is a loop too
                todo.append((child, place if is_binary and child.__class__ is ast.BinOp else inner))

    def _push(self, nodes: Iterable[ast.AST | None], place: _Place) -> None:
        self.todo += [(node, place) for node in nodes if node is not None]

    def _bind(self, name: str, place: _Place) -> None:
        scope, statement, _ = place
        scope.bound.add(name)
        self.survey.bound.add(name)
        while statement is not None:
            statement.bound.add(name)
            statement = statement.outer

    def _enter(self, node: ast.AST, place: _Place) -> _Place:
        scope = self.survey.scopes[node] = Scope(node, place[0])
        return scope, None, place[2] + 1

    def _spread(self) -> None:
        """Tell every scope what the scopes inside it mention; inner scopes were met after their outer ones."""
        for scope in reversed(self.survey.scopes.values()):
            if scope.parent is not None:
                scope.parent.captured |= scope.parameters | scope.bound | scope.loaded | scope.declared | scope.captured
                scope.parent.declared_inside |= scope.declared | scope.declared_inside

    # names

    def visit_Name(self, node: ast.Name, place: _Place) -> bool:
        if node.ctx.__class__ is ast.Load:
            place[0].loaded.add(node.id)
            self.survey.loads.setdefault(node.id, []).append(node)
        else:
            self._bind(node.id, place)
        return True

    def visit_NamedExpr(self, node: ast.NamedExpr, place: _Place) -> None:
        scope = place[0]
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        self._bind(node.target.id, (scope, place[1], place[2]))

    def visit_Global(self, node: ast.Global, place: _Place) -> None:
        self.survey.declared_global.update(node.names)
        self.visit_Nonlocal(node, place)

    def visit_Nonlocal(self, node: ast.Nonlocal | ast.Global, place: _Place) -> None:
        place[0].declared.update(node.names)
        self.survey.bound.update(node.names)

    def visit_alias(self, node: ast.alias, place: _Place) -> None:
        self._bind((node.asname or node.name).partition(".")[0], place)

    def visit_Import(self, node: ast.Import | ast.ImportFrom, _: _Place) -> None:
        self.survey.imports.append(node)

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar, place: _Place) -> None:
        if node.name is not None:
            self._bind(node.name, place)

    visit_MatchAs = visit_MatchStar = visit_ExceptHandler

    def visit_MatchMapping(self, node: ast.MatchMapping, place: _Place) -> None:
        if node.rest is not None:
            self._bind(node.rest, place)

    def visit_Attribute(self, node: ast.Attribute, place: _Place) -> None:
        value = node.value
        if isinstance(value, ast.Name) and (node.ctx.__class__ is not ast.Load or kind(node.attr) == "private"):
            self._count_use(value.id, place)

    def _count_use(self, name: str, place: _Place) -> None:
        scope: Scope | None = place[0]
        while scope is not None:
            if scope.first == name:
                scope.uses += 1
                scope.nested_uses |= scope is not place[0] or (place[1] is not None and place[1].in_loop)
                return
            if name in scope.parameters:
                return
            scope = scope.parent

    # scopes

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, place: _Place) -> bool:
        self._bind(node.name, place)
        inner = self._function(node, place)
        if place[0].is_class:
            positional = node.args.posonlyargs + node.args.args
            inner[0].first = positional[0].arg if positional else None
        self._push(node.decorator_list, (place[0], place[1], place[2] + 1))
        self._push(node.body, inner)
        return True

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda, place: _Place) -> bool:
        self._push([node.body], self._function(node, place))
        return True

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, place: _Place) -> _Place:
        self._check_depth(node, place)
        inner = self._enter(node, place)
        arguments = node.args
        inner[0].parameters.update(argument.arg for argument in all_arguments(arguments))
        self.survey.bound |= inner[0].parameters
        self._push([*arguments.defaults, *arguments.kw_defaults], (place[0], place[1], place[2] + 1))
        return inner

    def visit_ClassDef(self, node: ast.ClassDef, place: _Place) -> bool:
        self._check_depth(node, place)
        self._bind(node.name, place)
        self._push([*node.decorator_list, *node.bases, *node.keywords], (place[0], place[1], place[2] + 1))
        self._push(node.body, self._enter(node, place))
        return True

    def _comprehension(self, node: ast.AST, place: _Place) -> bool:
        scope, _, depth = self._enter(node, place)
        self._descend(node, (scope, place[1], depth))
        return True

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _check_depth(self, node: ast.AST, place: _Place) -> None:
        if place[2] > MAX_TREE:
            self.diagnostics.add("too-deep", node, f"The syntax tree is more than {MAX_TREE} levels deep.")
            raise self.diagnostics.refusal()

    # statements

    def visit_If(self, node: ast.If, place: _Place) -> bool:
        self._check_depth(node, place)
        scope, statement, depth = place
        inner = (scope, statement, depth + 1)
        self._push([node.test, *node.body], inner)
        # a chain of elif counts once, as its visitor is a loop too
        chained = len(node.orelse) == 1 and node.orelse[0].__class__ is ast.If
        self._push(node.orelse, place if chained else inner)
        return True

    def visit_AugAssign(self, node: ast.AugAssign, place: _Place) -> None:
        if isinstance(node.target, ast.Name):
            place[0].loaded.add(node.target.id)  # it is read before it is bound

    def visit_AnnAssign(self, node: ast.AnnAssign, place: _Place) -> bool:
        self._push([node.target, node.value], (place[0], place[1], place[2] + 1))
        return True

    def visit_TypeAlias(self, node: ast.stmt, place: _Place) -> bool:
        self._bind(node.name.id, place)  # type: ignore[attr-defined]  # new in 3.12
        return True

    def visit_Return(self, node: ast.Return, place: _Place) -> None:
        if place[0] is self.survey.module:
            self.survey.returns.append(node)

    def visit_Await(self, node: ast.AST, place: _Place) -> None:
        if self._outside_functions(place[0]):
            self.survey.awaits.append(node)

    visit_AsyncFor = visit_AsyncWith = visit_Await

    def visit_comprehension(self, node: ast.comprehension, place: _Place) -> None:
        if node.is_async and self._outside_functions(place[0]):
            self.survey.awaits.append(node.iter)

    def visit_Yield(self, node: ast.AST, place: _Place) -> None:
        if self._outside_functions(place[0]):
            self.survey.yields.append(node)

    visit_YieldFrom = visit_Yield

    def _outside_functions(self, scope: Scope) -> bool:
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        return scope is self.survey.module


def _may_be_mangled(name: str) -> bool:
    """Say whether a class could make one name of *name* and another: in class C, `__x` and `_C__x` are the same."""
    return name[:1] == "_" and "__" in name


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """Give every parameter of a function, in the order they are written in."""
    variadic = [argument for argument in (arguments.vararg,) if argument is not None]
    keywords = [argument for argument in (arguments.kwarg,) if argument is not None]
    return [*arguments.posonlyargs, *arguments.args, *variadic, *arguments.kwonlyargs, *keywords]
