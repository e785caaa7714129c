"""Classes that annotations name: enums, dataclasses, typed dicts and named tuples, as data, literals only."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.language.annotation import Annotations, last_name, literal

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


class Classes:
    """The classes a file defines outside functions, found by name."""

    def __init__(self, statements: Sequence[ast.stmt], annotations: Annotations, aliases: Mapping[str, str]) -> None:
        self._nodes = {node.name: node for node in statements if isinstance(node, ast.ClassDef)}
        self._annotations = annotations
        self._aliases = aliases

    def reached(self, roots: Sequence[Any]) -> dict[str, dict[str, Any]]:
        """Give the classes that the annotations *roots* name, and those their fields name, and so on."""
        found: dict[str, dict[str, Any]] = {}
        todo = list(roots)
        while todo:
            part = todo.pop()
            if isinstance(part, list):
                todo += part
            elif isinstance(part, dict):
                name = part.get("name")
                if isinstance(name, str) and name in self._nodes and name not in found:
                    described = self._describe(self._nodes[name])
                    if described is not None:
                        found[name] = described
                        todo += [field["annotation"] for field in described.get("fields", ())]
                todo += [value for key, value in part.items() if key in ("args", "union")]
        return dict(sorted(found.items()))

    def _describe(self, node: ast.ClassDef) -> dict[str, Any] | None:
        lineage = self._lineage(node)
        bases = {last_name(base, self._aliases) for one in lineage for base in one.bases}
        if bases & _ENUMS:
            members = _enum_members(node, bases, self._aliases)
            return None if members is None else {"kind": "enum", "members": members}
        if any(self._is_dataclass(one) for one in lineage):
            return self._record("dataclass", node, lineage)
        if "TypedDict" in bases:
            return self._record("typeddict", node, lineage)
        return self._record("namedtuple", node, lineage) if "NamedTuple" in bases else None

    def _lineage(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """Give the class and its bases in this file, bases first."""
        order: list[ast.ClassDef] = []
        todo = [node]
        while todo:
            current = todo.pop()
            if current in order:
                continue
            order.append(current)
            names = (base.id for base in current.bases if isinstance(base, ast.Name))
            todo += [self._nodes[name] for name in names if name in self._nodes]
        return order[::-1]

    def _is_dataclass(self, node: ast.ClassDef) -> bool:
        decorators = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
        return any(last_name(one, self._aliases) == "dataclass" for one in decorators)

    def _record(self, kind: str, node: ast.ClassDef, lineage: list[ast.ClassDef]) -> dict[str, Any]:
        fields: dict[str, dict[str, Any]] = {}
        for one in lineage:
            is_total = kind != "typeddict" or _is_total(one)
            for statement in one.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    field = self._field(kind, statement.target.id, statement, is_total)
                    if field is not None:
                        fields[field["name"]] = field
        total = kind != "typeddict" or _is_total(node)
        return {"kind": kind, "doc": docstring(node), "total": total, "fields": list(fields.values())}

    def _field(self, kind: str, name: str, statement: ast.AnnAssign, is_total: bool) -> dict[str, Any] | None:
        marker = last_name(statement.annotation, self._aliases)
        if marker in ("ClassVar", "KW_ONLY"):
            return None
        annotation = self._annotations.read(statement.annotation)
        is_required = is_total
        if marker in ("InitVar", "Required", "NotRequired", "ReadOnly"):
            is_required = marker == "Required" or (is_total and marker != "NotRequired")
            annotation = _argument_of(annotation)
        field = {"name": name, "annotation": annotation, "required": is_required}
        if statement.value is None or kind == "typeddict":
            return field
        default = self._default(statement.value)
        if default is None:
            return None
        return field if default == {} else field | {"required": False, "default": default}

    def _default(self, value: ast.expr) -> dict[str, Any] | None:
        """Give the default a field has, {} if it has none, None if the field is no argument at all."""
        if not (isinstance(value, ast.Call) and last_name(value.func, self._aliases) == "field"):
            return self._annotations.default(value)
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        init = given.get("init")
        if isinstance(init, ast.Constant) and init.value is False:
            return None
        if "default" in given:
            return self._annotations.default(given["default"])
        factory = given.get("default_factory")
        if factory is None:
            return {}
        empty: dict[str, Any] = {"list": [], "dict": {}}
        name = last_name(factory, self._aliases)
        return {"value": empty[name]} if name in empty else {"source": self._annotations.source(factory)}


def _enum_members(node: ast.ClassDef, bases: set[str], aliases: Mapping[str, str]) -> dict[str, Any] | None:
    """Give the members with their values; None if one of them is not known without running the file."""
    members: dict[str, Any] = {}
    for statement in node.body:
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            if not isinstance(target, ast.Name):
                return None
            if target.id.startswith("_"):
                continue
            found, value = literal(statement.value)
            if not found and isinstance(statement.value, ast.Call):
                is_auto = last_name(statement.value.func, aliases) == "auto" and not statement.value.args
                found, value = _automatic(target.id, list(members.values()), bases) if is_auto else (False, None)
            if not found:
                return None
            members[target.id] = value
    return members


def _automatic(name: str, before: list[Any], bases: set[str]) -> tuple[bool, Any]:
    """Give (True, value) for what `auto()` makes of the next member."""
    if "StrEnum" in bases:
        return True, name.lower()
    if not before:
        return True, 1
    if any(type(value) is not int for value in before):
        return False, None
    highest = max(before)
    return True, 1 << highest.bit_length() if bases & {"Flag", "IntFlag"} else highest + 1


def _argument_of(annotation: Any) -> Any:
    arguments = annotation.get("args") if isinstance(annotation, dict) else None
    return arguments[0] if arguments else {"name": "Any"}


def _is_total(node: ast.ClassDef) -> bool:
    total = next((keyword.value for keyword in node.keywords if keyword.arg == "total"), None)
    return not (isinstance(total, ast.Constant) and total.value is False)


def docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """Give the docstring of *node* as a text that can be sent: halves of characters become U+FFFD."""
    text = ast.get_docstring(node)
    return text if text is None else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
