"""Fail, on purpose."""

raise ToolError("This tool intentionally returns an error for testing")
