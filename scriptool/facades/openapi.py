"""OpenAPI: the tools as a document of version 3.1, one operation each, for programs that read such documents."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from scriptool.errors import STATUS
from scriptool.facades.request import MAX_WAIT
from scriptool.metaschema import DATA, NAMED
from scriptool.schema import pointer
from scriptool.tool import Tool

_SEEN: Final[Mapping[str, Any]] = {
    "output": {"type": "string", "description": "what the tool printed"},
    "warnings": {"type": "array", "items": {"type": "string"}},
    "call_id": {"type": "string"},
    "duration_ms": {"type": "number"},
    "digest": {"type": ["string", "null"], "description": "names the text of the script that ran"},
}

_BEFORE: Final = ("bad_request", "unsupported_media_type", "request_too_large", "unauthorized", "forbidden_host")
"""Codes that answer before a call is made, without what a call would have seen."""

_ERROR: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["ok", "error"],
    "properties": {
        "ok": {"const": False},
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "enum": sorted(STATUS)},
                "message": {"type": "string"},
                "hint": {"type": "string", "description": "how to mend it"},
            },
        },
        **_SEEN,
    },
}


_JOB: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["job_id", "tool", "state"],
    "properties": {
        "job_id": {"type": "string"},
        "tool": {"type": "string"},
        "state": {"enum": ["running", "done", "cancelled"]},
        "started": {"type": "string", "format": "date-time"},
        "progress": {"description": "what the tool said last of how far it is"},
        "answer": {"type": "object", "description": "the whole answer, once there is one"},
    },
}

_WAIT: Final[Mapping[str, Any]] = {
    "name": "wait",
    "in": "query",
    "description": "seconds to wait for the result; then the call runs on as a job, see GET /jobs/{job_id}",
    "schema": {"type": "number", "minimum": 0, "maximum": MAX_WAIT},
}


def openapi(tools: Iterable[Tool], version: str) -> dict[str, Any]:
    """Give the document of *tools*; definitions of their schemas stand under `components/schemas`."""
    schemas: dict[str, Any] = {"Failure": _ERROR, "Job": _JOB}
    paths = {f"/tools/{tool.name}": {"post": _operation(tool, schemas)} for tool in tools}
    info = {"title": "scriptool", "version": version, "description": "A folder of Python files as tools."}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _operation(tool: Tool, schemas: dict[str, Any]) -> dict[str, Any]:
    arguments = _hoisted(tool.input.document, f"{tool.name}_arguments", schemas)
    result = {} if tool.output is None else _hoisted(tool.output.document, f"{tool.name}_result", schemas)
    operation: dict[str, Any] = {
        "operationId": tool.name,
        "summary": tool.title or tool.description.partition("\n")[0][:120],
        "description": tool.description,
        "tags": [tool.group],
        "requestBody": {"content": _json(arguments), "required": bool(tool.input.document.get("required"))},
        "parameters": [_WAIT],
        "responses": {
            "200": {"description": "the result", "content": _json(_envelope(result))},
            "202": {"description": "it runs on as a job", "content": _json({"$ref": "#/components/schemas/Job"})},
            **_failures(),
        },
    }
    return operation


def _envelope(result: Mapping[str, Any]) -> dict[str, Any]:
    properties = {"ok": {"const": True}, "result": result, **_SEEN}
    return {"type": "object", "required": ["ok", "result", *_SEEN], "properties": properties}


def _failures() -> dict[str, Any]:
    """Give one response a status, each naming the codes it may carry."""
    codes: dict[int, list[str]] = {}
    for code, status in STATUS.items():
        codes.setdefault(status, []).append(code)
    content = _json({"$ref": "#/components/schemas/Failure"})
    return {
        str(status): {"description": ", ".join(found), "content": content} for status, found in sorted(codes.items())
    }


def _json(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _hoisted(document: Mapping[str, Any], name: str, schemas: dict[str, Any]) -> dict[str, Any]:
    """Put the whole *document* and its definitions under `components/schemas` and give a reference to it.

    Readers of OpenAPI resolve references against the whole document, and some lose those that point elsewhere.
    """
    moved: dict[str, str] = {}
    for key in ("$defs", "definitions"):
        for one in document.get(key, {}):
            component = f"{name}.{_component(one)}"
            while component in moved.values():
                component += "_"
            moved[f"#{pointer([key, one])}"] = component
    whole = {key: value for key, value in document.items() if key not in ("$defs", "definitions", "$schema", "$id")}
    schemas[name] = _redirected(whole, name, moved)
    for key in ("$defs", "definitions"):
        for one, part in document.get(key, {}).items():
            schemas[moved[f"#{pointer([key, one])}"]] = _redirected(part, name, moved)
    return {"$ref": f"#/components/schemas/{name}"}


def _redirected(node: Any, name: str, moved: Mapping[str, str]) -> Any:
    if isinstance(node, list):
        return [_redirected(child, name, moved) for child in node]
    if not isinstance(node, Mapping):
        return node
    copy: dict[str, Any] = {}
    for key, value in node.items():
        if key == "$ref" and isinstance(value, str):
            copy[key] = _target(value, name, moved)
        elif key in NAMED and isinstance(value, Mapping):
            copy[key] = {one: _redirected(part, name, moved) for one, part in value.items()}
        else:
            # What stands under the keys of data is no schema; a `$ref` in it is only a word.
            copy[key] = value if key in DATA else _redirected(value, name, moved)
    return copy


def _target(reference: str, name: str, moved: Mapping[str, str]) -> str:
    """Give where a reference of the schema called *name* leads in the whole document."""
    for start, component in moved.items():
        if reference == start or reference.startswith(start + "/"):
            return f"#/components/schemas/{component}{reference[len(start) :]}"
    return f"#/components/schemas/{name}{reference[1:]}" if reference.startswith("#") else reference


def _component(name: str) -> str:
    """Give a name that OpenAPI allows a component to have."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in name)
