"""Testimony: what a child says, checked for its shape before any of it is used. Nothing in it is known to be true."""

import re
from typing import Any

from sandbox import values
from sandbox.process.worker import WorkerLost

_FORMS = ("body", "function", "none")
_SEVERITIES = ("error", "warning")
_KINDS = ("positional_only", "normal", "var_positional", "keyword_only", "var_keyword")
_CLASS_KINDS = ("enum", "dataclass", "typeddict", "namedtuple")
_HELPER_NAME = re.compile(r"lib(\.[^\W\d]\w*)*\Z")
_MOST_DIAGNOSTICS = 10_000
_MOST_DEPTH = 100


def parse(payload: bytes) -> Any:
    """Read the JSON of one frame.

    Raises:
        WorkerLost: It is not strict JSON.
    """
    try:
        return values.loads(payload)
    except ValueError as error:
        raise WorkerLost(f"it sent what is not JSON: {error}") from None


def told(payload: bytes) -> tuple[str, Any]:
    """Read `[kind, payload]`."""
    content = parse(payload)
    require(type(content) is list and len(content) == 2 and type(content[0]) is str, "a telling")
    return content[0], content[1]


def asked(payload: bytes) -> tuple[int, str, Any]:
    """Read `{id, name, payload}`."""
    content = parse(payload)
    require(type(content) is dict and content.keys() == {"id", "name", "payload"}, "an ask")
    number, name = content["id"], content["name"]
    require(type(number) is int and 0 <= number < 1 << 53 and type(name) is str and len(name) <= 200, "an ask")
    return number, name, content["payload"]


def warnings(payload: bytes) -> tuple[str, ...]:
    """Read a list of texts."""
    content = parse(payload)
    require(is_texts(content), "warnings")
    return tuple(content)


def diagnostics(content: Any) -> list[dict[str, Any]]:
    """Check a list of diagnostics."""
    require(type(content) is list and len(content) <= _MOST_DIAGNOSTICS, "diagnostics")
    for each in content:
        require(type(each) is dict and all(map(_is_diagnostic_part, each, each.values())), "a diagnostic")
        require(each.keys() >= {"rule", "severity", "message", "line", "column"}, "a diagnostic")
    checked: list[dict[str, Any]] = content
    return checked


def refusal(payload: bytes) -> list[dict[str, Any]]:
    """Read a list of diagnostics that says at least one thing."""
    content = diagnostics(parse(payload))
    require(bool(content), "a refusal")
    return content


def compiled(payload: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Read `{outline, warnings}`."""
    content = parse(payload)
    require(type(content) is dict and content.keys() == {"outline", "warnings"}, "a compiler's answer")
    return _outline(content["outline"]), diagnostics(content["warnings"])


def _outline(content: Any) -> dict[str, Any]:
    require(type(content) is dict, "an outline")
    require(content.get("form") in _FORMS and type(content.get("takes_args")) is bool, "an outline's form")
    require(content.get("doc") is None or type(content["doc"]) is str, "an outline's docstring")
    require(is_texts(content.get("functions")), "an outline's functions")
    imports = content.get("imports")
    require(is_texts(imports) and all(map(_HELPER_NAME.match, imports)), "an outline's imports")
    optional = content.get("optional_imports", [])
    require(is_texts(optional) and all(map(_HELPER_NAME.match, optional)), "an outline's imports")
    parameters, classes = content.get("parameters"), content.get("classes")
    require(type(parameters) is list and all(map(_is_parameter, parameters)), "an outline's parameters")
    require(type(classes) is dict and all(map(_is_class, classes.values())), "an outline's classes")
    require(content.get("returns") is None or _is_annotation(content["returns"]), "an outline's return")
    checked: dict[str, Any] = content
    return checked


def _is_parameter(content: Any) -> bool:
    return (
        type(content) is dict
        and type(content.get("name")) is str
        and content.get("kind") in _KINDS
        and _is_optional_annotation(content.get("annotation"))
        and _is_default(content)
        and type(content.get("line")) is type(content.get("column")) is int
    )


def _is_class(content: Any) -> bool:
    if type(content) is not dict or content.get("kind") not in _CLASS_KINDS:
        return False
    if content["kind"] == "enum":
        return type(content.get("members")) is dict
    fields = content.get("fields")
    return type(fields) is list and all(
        type(field) is dict
        and type(field.get("name")) is str
        and _is_optional_annotation(field.get("annotation"))
        and _is_default(field)
        for field in fields
    )


def _is_default(content: dict[str, Any]) -> bool:
    if "default" not in content:
        return True
    default = content["default"]
    return type(default) is dict and (default.keys() == {"value"} or type(default.get("source")) is str)


def _is_optional_annotation(content: Any) -> bool:
    return content is None or _is_annotation(content)


def _is_annotation(content: Any, depth: int = 0) -> bool:
    if type(content) is not dict or depth > _MOST_DEPTH:
        return False
    if "name" in content:
        parts = content.get("args", [])
        return type(content["name"]) is str and _are_annotations(parts, depth)
    if "union" in content:
        return _are_annotations(content["union"], depth)
    return "value" in content or type(content.get("source")) is str


def _are_annotations(content: Any, depth: int) -> bool:
    return type(content) is list and all(_is_annotation(part, depth + 1) for part in content)


def _is_diagnostic_part(name: str, value: Any) -> bool:
    if name in ("line", "column", "end_line", "end_column"):
        return value is None or (type(value) is int and value >= 0)
    if name == "severity":
        return value in _SEVERITIES
    return value is None or type(value) is str


def is_texts(content: Any) -> bool:
    """Say whether something is a list of texts."""
    return type(content) is list and all(type(each) is str for each in content)


def require(holds: bool, what: str) -> None:
    """Raise WorkerLost, which names *what* was sent, unless the check *holds*."""
    if not holds:
        raise WorkerLost(f"it sent {what} of a wrong shape")
