"""Child fault: what a child says of its own failure, checked part by part; what is no known part of one is dropped.

A script can put names and values of its own into an error, and a child that left its language anything at all.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.errors import Fault
from sandbox.process import testimony
from sandbox.process.testimony import is_texts, parse, require

OWN_CODES = frozenset(
    {
        "script_runtime_error",
        "tool_error",
        "permission_denied",
        "confirmation_required",
        "memory_limit",
        "result_not_serializable",
        "invalid_params",
    }
)
"""Codes a child may report of itself; any other only where the parent answered one of its asks with it."""


def read(payload: bytes, answered: Mapping[str, Fault]) -> Fault:
    """Read `{code, message, hint?, ...}`; *answered* are the faults that the parent answered with, by their codes.

    Such a fault keeps the parent's details; the child adds only where it met it.

    Raises:
        WorkerLost: It is none.
    """
    content = parse(payload)
    require(type(content) is dict, "an error")
    code, message, hint = content.pop("code", None), content.pop("message", None), content.pop("hint", "")
    require(type(code) is str and type(message) is str and type(hint) is str, "an error")
    require(code in OWN_CODES or code in answered, "an error")
    known = {name: part for name, part in content.items() if name in _PARTS}
    require(all(_PARTS[name](part) for name, part in known.items()), "a part of an error")
    claimed = Fault(code, message, hint=hint)
    # Not as keywords: the child chose the names.
    claimed.details = known if code in OWN_CODES else answered[code].details | _place(known)
    return claimed


def _place(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: parts[name] for name in ("frames", "diagnostics") if name in parts}


def _is_text(part: Any) -> bool:
    return type(part) is str


def _is_number(part: Any) -> bool:
    return type(part) is int and part >= 0


def _is_dict(part: Any) -> bool:
    return type(part) is dict


def _all(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda part: type(part) is list and all(map(check, part))


def _is_frame(part: Any) -> bool:
    places = ("line", "column")
    return type(part) is dict and all(
        value is None or (type(value) is int if name in places else type(value) is str) for name, value in part.items()
    )


def _is_brief(part: Any) -> bool:
    return (
        type(part) is dict
        and part.keys() <= {"relation", "type", "message", "frames"}
        and all(_all(_is_frame)(value) if name == "frames" else type(value) is str for name, value in part.items())
    )


def _is_problem(part: Any) -> bool:
    return type(part) is dict and part.keys() >= {"path", "message"} and all(map(_is_text, part.values()))


def _are_diagnostics(part: Any) -> bool:
    return bool(testimony.diagnostics(part) is part)


_PARTS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("type", "path", "permission", "value", "tool", "allow", "grant"), _is_text),
    **dict.fromkeys(("limit", "allowed", "used", "size"), _is_number),
    "details": _is_dict,
    "frames": _all(_is_frame),
    "diagnostics": _are_diagnostics,
    "notes": is_texts,
    "chain": _all(_is_brief),
    "exceptions": _all(_is_brief),
    "problems": _all(_is_problem),
}
"""What an error may say besides its code, message and hint, and how to tell that it is that."""
