"""Exceptions that scripts raise or meet and that end a call with a code of their own."""

from typing import Any


class ToolError(Exception):
    """The author's own failure: `raise ToolError("No such order", order=7)` answers with code `tool_error`."""

    def __init__(self, message: object = "", **details: Any) -> None:
        super().__init__(message)
        self.details = details


class PermissionDenied(PermissionError):
    """The script asked for what it was not granted; *grant* is the line of the definition that would allow it."""

    def __init__(self, message: str, *, permission: str, grant: str) -> None:
        super().__init__(message)
        self.permission = permission
        self.grant = grant


ToolError.__module__ = PermissionDenied.__module__ = "builtins"
