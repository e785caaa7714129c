"""Which syntax and names a script may use, and the guards that remain where a compile-time check cannot decide."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sandbox.language.annotation import last_name
from sandbox.language.diagnostic import Diagnostics
from sandbox.language.flow import Flow
from sandbox.language.imports import Imports
from sandbox.language.names import (
    DEFINABLE_DUNDERS,
    FIXED_NAMES,
    INSIDES,
    NAMED_TUPLE_NAMES,
    RESERVED_NAMES,
    UNUSABLE_NAMES,
    WRITABLE_DUNDERS,
    is_dunder,
    is_known_dunder,
    kind,
    unsafe_field,
)
from sandbox.language.pattern import check_class_pattern, check_match_args, check_value_pattern
from sandbox.language.rules import ATTRIBUTE_HINTS, FOREIGN_NAMES, GUARDS, REFUSED_BUILTINS, RULES, Rule
from sandbox.language.scope import Scope, Survey, all_arguments
from sandbox.language.trust import Trust, call, entry_test, is_own, location

__all__ = ["FOREIGN_NAMES", "GUARDS", "RULES", "Policy", "Rule", "kind"]

_MARKERS = {"ClassVar": "ClassVar!", "InitVar": "InitVar!", "KW_ONLY": "KW_ONLY!"}
"""Annotations a dataclass acts on, and what stands for them."""


class Policy(Flow):
    """Checks a syntax tree and puts guards into it, in place; what it refuses goes to *diagnostics*."""

    def __init__(
        self, survey: Survey, diagnostics: Diagnostics, imports: Imports, *, body: frozenset[str] | None
    ) -> None:
        """*body* holds the real globals of a file in the body form; None means the module form."""
        plain = frozenset() if body is None else survey.module.plain_locals() - body
        super().__init__(survey, diagnostics, imports, Trust(plain, frozenset(), has_temporary=body is not None))
        self.scope = survey.module
        self.first: str | None = None
        """The first parameter of the function at hand, if nothing rebinds it."""
        self.type_parameters: dict[Scope, dict[str, str]] = {}
        self.may_read_class = False

    # patterns: CPython wants them as written, so their names are judged here once and for all

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.MatchValue:
        self._check_first(check_value_pattern(node.value, self.diagnostics))
        return node

    def visit_MatchStar(self, node: ast.MatchStar) -> ast.MatchStar:
        self.check_identifier(node, node.name)
        return node

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        self.check_identifier(node, node.name)
        return self.node_contents_visit(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.MatchMapping:
        self.check_identifier(node, node.rest)
        for key in node.keys:
            self._check_first(check_value_pattern(key, self.diagnostics))
        node.patterns = [self.visit(pattern) for pattern in node.patterns]
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.MatchClass:
        self._check_first(check_class_pattern(node, self.diagnostics))
        node.patterns = [self.visit(pattern) for pattern in node.patterns]
        node.kwd_patterns = [self.visit(pattern) for pattern in node.kwd_patterns]
        return node

    def _check_first(self, name: ast.Name | None) -> None:
        if name is not None:
            self.check_identifier(name, name.id, is_load=True)

    # names

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.check_identifier(node, node.name)
        return super().visit_ExceptHandler(node)

    def check_identifier(self, node: ast.AST, name: str | None, *, is_load: bool = False) -> None:
        """Refuse to bind (or, with *is_load*, to read) a *name* that means something to Python or the sandbox."""
        if name is None:
            return
        if is_dunder(name):
            if name in UNUSABLE_NAMES or (not is_load and name in FIXED_NAMES):
                hint = REFUSED_BUILTINS.get(name) or ATTRIBUTE_HINTS.get(name, "")
                self.refuse("dunder-name", node, f"The name {name} is not available.", hint, name=name)
            elif not is_load and self.scope.is_class and is_known_dunder(name) and name not in DEFINABLE_DUNDERS:
                self.refuse("special-method", node, f"A class may not define {name}.", name=name)
        elif not is_load and (
            name in RESERVED_NAMES
            or (name in INSIDES and self.scope.is_class)
            or (name[:4] == "_tmp" and name[4:].isdigit())
        ):
            self.refuse("reserved-name", node, f"The name {name} is reserved.", name=name)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        is_load = node.ctx.__class__ is ast.Load
        if node.id[:1] == "_" or node.id == "super":
            self.check_identifier(node, node.id, is_load=is_load)
        if is_load and self.type_parameters:
            return self._type_parameter(node)
        return node

    def _type_parameter(self, node: ast.Name) -> ast.expr:
        """Give the type variable that an erased type parameter stands for, or *node* if it is another name."""
        scope: Scope | None = self.scope
        while scope is not None:
            stars = self.type_parameters.get(scope, {}).get(node.id)
            if stars is not None:
                at = location(node)
                return call("typevar!", ast.Constant(stars + node.id, **at), at=at)
            if node.id in scope.hides() and (scope is self.scope or not scope.is_class):
                break
            scope = scope.parent
        return node

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        for name in node.names:
            self.check_identifier(node, name)
        if self.scope is self.survey.module and isinstance(node, ast.Global):
            return ast.Pass(**location(node))  # says nothing in a module; a body declares its globals once, on top
        return node

    visit_Nonlocal = visit_Global

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            self.check_identifier(alias, alias.asname or alias.name.partition(".")[0])
        return self.imports.visit_import(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        for alias in node.names:
            self.check_identifier(alias, alias.asname or alias.name)
        return self.imports.visit_import_from(node)

    # attributes

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        is_load = node.ctx.__class__ is ast.Load
        may_read_class = self.may_read_class
        self.may_read_class = is_load and node.attr in ("__name__", "__qualname__")
        node.value = self.visit(node.value)
        self.may_read_class = False
        how = kind(node.attr)
        if how == "refused":
            self._refuse_attribute(node)
            return node
        if not is_load:
            return self._written(node, how)
        if how == "native":
            self.imports.check_attribute(node, self.scope)
            return node
        if how == "private":
            guard = "fields!" if node.attr in NAMED_TUPLE_NAMES else "priv!"
            node.value = self.trust.receiver(node.value, guard)
            return node
        return self._guarded_read(node, how, may_read_class)

    def _refuse_attribute(self, node: ast.Attribute) -> None:
        self.refuse(
            "attribute", node, f"The attribute {node.attr} is not available.", ATTRIBUTE_HINTS.get(node.attr, "")
        )

    def _written(self, node: ast.Attribute, how: str) -> ast.expr:
        """Give the target of an assignment or `del`, whatever form the statement has."""
        is_special = how in ("power", "access", "class", "dict") or (
            how in ("native", "guarded") and is_dunder(node.attr)
        )
        if (is_special and node.attr not in WRITABLE_DUNDERS) or node.attr in RESERVED_NAMES:
            self.refuse("attribute-write", node, f"The attribute {node.attr} may not be written.")
        if is_special:
            node.value = call("rename!", node.value, at=location(node))
        else:
            node.value = self.trust.receiver(node.value, "write!")
        return node

    def _guarded_read(self, node: ast.Attribute, how: str, may_read_class: bool) -> ast.expr:
        at = location(node)
        if how == "class":
            if not may_read_class:
                self._refuse_attribute(node)
            return call("class!", node.value, at=at)
        if how == "dict":
            return call("dict!", node.value, at=at)
        if how == "guarded":
            if node.attr in ("format", "format_map") and self._is_safe_format(node):
                return node
            return call("guarded!", node.value, ast.Constant(node.attr, **at), at=at)
        guarded = call("power!", node.value, ast.Constant(node.attr, **at), at=at)
        if how == "power" and node.attr != "__new__" and self.first is not None and _is_bare_super(node.value):
            # only for an instance is super() bound; for a class it would hand out the base's own function, which
            # `__new__` always is
            return ast.IfExp(is_own(ast.Name(self.first, ast.Load(), **at), at), node, guarded, **at)
        return guarded

    def _is_safe_format(self, node: ast.Attribute) -> bool:
        """Say whether *node* is the format method of a literal whose fields are safe; refuse one that is not."""
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            return False
        try:
            unsafe = unsafe_field(node.value.value)
        except ValueError:
            return False  # malformed: raises when it runs, as in CPython
        if unsafe is not None:
            self.refuse("format-field", node.value, f"A format field may not read .{unsafe}.")
        return True

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AugAssign:
        target = node.target
        if isinstance(target, ast.Attribute) and kind(target.attr) == "guarded":
            # the statement reads the attribute natively and hands it to the other operand's __radd__
            self.refuse("attribute-write", target, f"The attribute {target.attr} may not be changed in place.")
        node.target = self.visit(target)
        if isinstance(target, ast.Attribute) and kind(target.attr) == "private":
            target.value = self._read_too(target.value)
        node.value = self.visit(node.value)
        return node

    def _read_too(self, value: ast.expr) -> ast.expr:
        """Give a *value* that may be written, also tested for a read of private attributes."""
        if isinstance(value, ast.Name):
            return self.trust.receiver(value, "priv!")
        if isinstance(value, ast.IfExp):
            value.orelse = call("priv!", value.orelse, at=location(value))
            return value
        return call("priv!", value, at=location(value))

    # annotations are read into the outline and removed; nothing evaluates them

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        target, at = node.target, location(node)
        if isinstance(target, ast.Name) and self.scope.is_class:
            return self._field(node, target)
        if node.value is not None:
            return self.visit(ast.Assign([target], node.value, **at))  # type: ignore[no-any-return]  # a visitor gives Any
        if isinstance(target, ast.Name):
            self.check_identifier(target, target.id)
            if self.scope is self.survey.module:
                return ast.Pass(**at)
            return ast.AnnAssign(target, ast.Constant(None, **at), None, node.simple, **at)  # makes the name local
        return ast.Expr(self.visit(target.value), **at)

    def _field(self, node: ast.AnnAssign, target: ast.Name) -> ast.stmt:
        self.check_identifier(target, target.id)
        if kind(target.id) == "refused":
            self.refuse("field-name", target, f"A field may not be called {target.id}.")
        marker = _MARKERS.get(last_name(node.annotation, self.imports.aliases), "Any!")
        node.annotation = ast.Name(marker, ast.Load(), **location(node.annotation))
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_TypeAlias(self, node: Any) -> ast.stmt:
        at = location(node)
        self.check_identifier(node.name, node.name.id)
        return ast.Assign([node.name], ast.Name("Any!", ast.Load(), **at), **at)

    # scopes

    @contextmanager
    def _inside(self, node: ast.AST, trust: Trust, first: str | None = None) -> Iterator[Scope]:
        scope = self.survey.scopes[node]
        outer = self.scope, self.trust, self.first
        self.scope, self.trust, self.first = scope, trust, first
        try:
            yield scope
        finally:
            self.scope, self.trust, self.first = outer

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.check_identifier(node, node.name)
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        self._visit_defaults(node.args)
        node.returns = None
        scope = self.survey.scopes[node]
        self._erase_type_parameters(node, scope)
        positional = node.args.posonlyargs + node.args.args
        first = positional[0].arg if positional and scope.keeps(positional[0].arg) else None
        trust = self.trust.inside(scope, scope.plain_locals(), has_temporary=True)
        tests_first = self.scope.is_class and _needs_entry_test(node, scope)
        if first is not None and tests_first:
            trust.steady |= {first}
            trust.trusted = trust.steady
        with self._inside(node, trust, first):
            self._visit_arguments(node.args)
            node.body = self.block(node.body)
        if first is not None and tests_first:
            node.body.insert(int(_has_docstring(node.body)), entry_test(first, location(node)))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        self._visit_defaults(node.args)
        scope = self.survey.scopes[node]
        # in what a comprehension iterates over, CPython refuses a walrus in a lambda too
        trust = self.trust.inside(scope, scope.plain_locals(), has_temporary=self.trust.has_temporary)
        with self._inside(node, trust):
            self._visit_arguments(node.args)
            node.body = self.visit(node.body)
        return node

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [default and self.visit(default) for default in arguments.kw_defaults]

    def _visit_arguments(self, arguments: ast.arguments) -> None:
        for argument in all_arguments(arguments):
            argument.annotation = None
            self.check_identifier(argument, argument.arg)

    def visit_ListComp(self, node: ast.AST) -> ast.AST:
        scope = self.survey.scopes[node]
        # a walrus in a comprehension binds outside of it, and its names may be captured ones
        with self._inside(node, self.trust.inside(scope, frozenset(), has_temporary=False)):
            return self.node_contents_visit(node)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.check_identifier(node, node.name)
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        scope = self.survey.scopes[node]
        base = self._erase_type_parameters(node, scope)
        outer, self.scope = self.scope, scope if base else self.scope
        node.bases = [self.visit(one) for one in node.bases] + base
        for keyword in node.keywords:
            if keyword.arg == "metaclass" and last_name(keyword.value, self.imports.aliases) != "ABCMeta":
                self.refuse("metaclass", keyword, "A metaclass other than ABCMeta is not available.")
            keyword.value = self.visit(keyword.value)
        self.scope = outer
        with self._inside(node, self.trust.inside(scope, frozenset(), has_temporary=False)):
            if "__match_args__" in self.survey.bound:
                check_match_args(node, self.diagnostics)
            node.body = self.block(node.body)
        node.body.insert(int(_has_docstring(node.body)), _asked_globally(node))
        return node

    def _erase_type_parameters(self, node: Any, scope: Scope) -> list[ast.expr]:
        """Remove the type parameters of a class or function; give the base a class has for them, if any."""
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return []
        stars = {"TypeVar": "", "TypeVarTuple": "*", "ParamSpec": "**"}
        known = {one.name: stars[type(one).__name__] for one in parameters}
        self.type_parameters[scope] = known
        node.type_params = []
        at = location(node)
        variables: list[ast.expr] = []
        for name, star in known.items():
            variable = call("typevar!", ast.Constant(star + name, **at), at=at)
            variables.append(ast.Starred(variable, ast.Load(), **at) if star == "*" else variable)
        index = ast.Tuple(variables, ast.Load(), **at)
        return [ast.Subscript(ast.Name("Generic!", ast.Load(), **at), index, ast.Load(), **at)]


def _is_bare_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
        and not node.args
        and not node.keywords
    )


def _needs_entry_test(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
    """Say whether one test at the start of a method is cheaper than one at each use of its first parameter."""
    is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in node.decorator_list)
    return not is_static and (scope.uses >= 2 or scope.nested_uses)


def _asked_globally(node: ast.ClassDef) -> ast.stmt:
    """Give the statement by which the body of a class finds the guards past its own namespace, whoever made that."""
    return ast.Global(sorted(GUARDS), **location(node))


def _has_docstring(body: list[ast.stmt]) -> bool:
    first = body[0] if body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
