"""Exceptions that scripts raise or meet and that end a call with a code of their own."""

from typing import Any


class ToolError(Exception):
    """The author's own failure: `raise ToolError("No such order", order=7)` answers with code `tool_error`."""

    def __init__(self, message: object = "", **details: Any) -> None:
        super().__init__(message)
        self.details = details
        self.code = "tool_error"


class CallFailed(ToolError):
    """A tool that the script called failed; *code* is that of its error, and `details` holds the whole of it."""

    def __init__(self, message: object = "", *, code: str = "tool_error", **details: Any) -> None:
        super().__init__(message, **details)
        self.code = code


class PermissionDenied(PermissionError):
    """The script asked for what it was not granted; `details` name the permission, the value and the lines to add."""

    def __init__(self, message: object = "", *, hint: str = "", **details: Any) -> None:
        super().__init__(message)
        self.hint = hint
        self.details = details


ToolError.__module__ = CallFailed.__module__ = PermissionDenied.__module__ = "builtins"
