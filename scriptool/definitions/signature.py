"""Signature: the schemas and words of a script's `main`, made from its outline and its docstring."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scriptool.definitions.docstring import read_docstring

Annotation = Mapping[str, Any]
"""A type expression as data: `{"name", "args"?}`, `{"union": [...]}`, `{"value": ...}` or `{"source": "text"}`."""

_PLAIN: Final[Mapping[str, dict[str, Any]]] = {
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "dict": {"type": "object"},
    "datetime.datetime": {"type": "string", "format": "date-time"},
    "datetime.date": {"type": "string", "format": "date"},
    "datetime.time": {"type": "string", "format": "time"},
    "datetime.timedelta": {"type": "number", "description": "seconds"},
    "decimal.Decimal": {"type": ["string", "number"]},
    "uuid.UUID": {"type": "string", "format": "uuid"},
}
_LISTS: Final = frozenset(
    [
        "list",
        "List",
        "tuple",
        "Tuple",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "Collection",
        "collections.deque",
        "collections.abc.Sequence",
        "collections.abc.Iterable",
        "collections.abc.Iterator",
        "collections.abc.Collection",
    ]
)
_SETS: Final = frozenset(["set", "Set", "frozenset", "FrozenSet", "AbstractSet", "collections.abc.Set"])
_MAPS: Final = frozenset(
    [
        "dict",
        "Dict",
        "Mapping",
        "MutableMapping",
        "DefaultDict",
        "OrderedDict",
        "collections.abc.Mapping",
        "collections.OrderedDict",
    ]
)
_WRAPPERS: Final = frozenset(["Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Annotated"])
_VAGUE: Final[tuple[dict[str, Any], ...]] = ({}, {"type": "object"}, {"type": "array"})


@dataclass(frozen=True)
class Signature:
    """What the text of a script says of its tool.

    *input* is None where it says nothing of the arguments (the body form, `main(args)`); *output* is None unless the
    return annotation says more than dict, list or Any.
    """

    description: str = ""
    input: Mapping[str, Any] | None = None
    output: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()


def read_signature(outline: Mapping[str, Any]) -> Signature:
    """Give the signature of a script from its *outline*."""
    description, told = read_docstring(outline.get("doc") or "")
    if outline["form"] != "function" or outline.get("takes_args"):
        return Signature(description)
    types = _Types(outline.get("classes", {}))
    output = types.schema(outline["returns"]) if outline.get("returns") else {}
    shared = types.definitions()
    result = None if output in _VAGUE or output == {"type": "null"} else output | shared
    return Signature(description, _input(outline["parameters"], told, _Types(types.classes)), result)


def _input(parameters: list[Mapping[str, Any]], told: Mapping[str, str], types: "_Types") -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    closed = True
    for parameter in parameters:
        if parameter["kind"] == "var_keyword":
            closed = False
        if parameter["kind"].startswith("var_"):
            continue
        name = parameter["name"]
        properties[name] = _property(parameter, told.get(name, ""), types)
        if "default" not in parameter:
            required.append(name)
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": not closed}
    return schema | ({"required": required} if required else {}) | types.definitions()


def _property(parameter: Mapping[str, Any], told: str, types: "_Types") -> dict[str, Any]:
    schema = types.schema(parameter["annotation"]) if parameter.get("annotation") else {}
    if told and "description" not in schema:
        schema = schema | {"description": told}
    default = parameter.get("default", {})
    if "value" in default:
        if default["value"] is None and schema:
            schema = _nullable(schema)
        schema = schema | {"default": default["value"]}
    return schema


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Admit null beside what *schema* admits."""
    wanted = schema.get("type")
    if isinstance(wanted, str) and wanted != "null" and "enum" not in schema:
        return schema | {"type": [wanted, "null"]}
    if isinstance(wanted, list) or "type" not in schema and "enum" not in schema and "$ref" not in schema:
        listed = list(dict.fromkeys([*wanted, "null"])) if isinstance(wanted, list) else None
        branches = schema.get("anyOf")
        if branches and {"type": "null"} not in branches:
            return schema | {"anyOf": [*branches, {"type": "null"}]}
        return schema | ({"type": listed} if listed else {})
    words = {key: schema[key] for key in ("description",) if key in schema}
    rest = {key: value for key, value in schema.items() if key not in words}
    return {"anyOf": [rest, {"type": "null"}]} | words


@dataclass
class _Types:
    """Annotations to schemas; classes of the script become `$defs`."""

    classes: Mapping[str, Any]
    used: dict[str, Any] = field(default_factory=dict)

    def definitions(self) -> dict[str, Any]:
        return {"$defs": dict(sorted(self.used.items()))} if self.used else {}

    def schema(self, note: Annotation) -> dict[str, Any]:
        if "union" in note:
            return self._union(list(note["union"]))
        if "value" in note:
            value = note["value"]
            return {"type": "null"} if value is None else {}
        name, args = note.get("name", ""), list(note.get("args", ()))
        if name in self.classes:
            return self._class(name)
        return self._generic(name, args) if args else self._bare(name)

    def _bare(self, name: str) -> dict[str, Any]:
        if name in _PLAIN:
            return dict(_PLAIN[name])
        if name in _LISTS:
            return {"type": "array"}
        if name in _SETS:
            return {"type": "array", "uniqueItems": True}
        return {"type": "object"} if name in _MAPS else {}

    def _generic(self, name: str, args: list[Annotation]) -> dict[str, Any]:
        if name == "Literal":
            return _enumeration([one["value"] for one in args if "value" in one])
        if name == "Optional":
            return self._union([*args, {"value": None}])
        if name == "Union":
            return self._union(args)
        if name in _WRAPPERS:
            words = [one["value"] for one in args[1:] if isinstance(one.get("value"), str)]
            return self.schema(args[0]) | ({"description": words[0]} if words else {})
        if name in ("tuple", "Tuple") and not any(_is_ellipsis(one) for one in args):
            fixed = [self.schema(one) for one in args]
            return {"type": "array", "prefixItems": fixed, "minItems": len(fixed), "maxItems": len(fixed)}
        if name in _LISTS or name in _SETS:
            items = self.schema(args[0])
            return self._bare(name) | ({"items": items} if items else {})
        if name in _MAPS:
            values = self.schema(args[-1]) if len(args) == 2 else {}
            return {"type": "object"} | ({"additionalProperties": values} if values else {})
        return self._bare(name)

    def _union(self, notes: list[Annotation]) -> dict[str, Any]:
        branches: list[dict[str, Any]] = []
        for schema in (self.schema(note) for note in notes):
            if schema == {}:
                return {}
            branches += [] if schema in branches else [schema]
        if len(branches) == 1:
            return branches[0]
        if all(set(one) == {"type"} and isinstance(one["type"], str) for one in branches):
            return {"type": [one["type"] for one in branches]}
        if len(branches) == 2 and branches[1] == {"type": "null"} and isinstance(branches[0].get("type"), str):
            return _nullable(branches[0])
        return {"anyOf": branches}

    def _class(self, name: str) -> dict[str, Any]:
        if name not in self.used:
            self.used[name] = {}
            self.used[name] = self._described(self.classes[name])
        return {"$ref": f"#/$defs/{name}"}

    def _described(self, found: Mapping[str, Any]) -> dict[str, Any]:
        if found["kind"] == "enum":
            return _enumeration(list(found["members"].values()))
        properties = dict(self._fields(found["fields"]))
        required = [one["name"] for one in found["fields"] if one.get("required", "default" not in one)]
        schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        schema |= {"required": required} if required else {}
        return schema | ({"description": found["doc"].strip()} if found.get("doc") else {})

    def _fields(self, fields: list[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
        for one in fields:
            schema = self.schema(one["annotation"]) if one.get("annotation") else {}
            default = one.get("default", {})
            if "value" in default:
                schema = (_nullable(schema) if default["value"] is None and schema else schema) | {
                    "default": default["value"]
                }
            yield one["name"], schema


def _is_ellipsis(note: Annotation) -> bool:
    return "..." in (note.get("source"), note.get("name"), note.get("value"))


def _enumeration(values: list[Any]) -> dict[str, Any]:
    kinds = {_JSON_TYPES.get(type(value)) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    return ({"type": kind} if kind else {}) | {"enum": values}


_JSON_TYPES: Final[Mapping[type, str]] = {str: "string", int: "integer", float: "number", bool: "boolean"}
