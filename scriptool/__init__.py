"""scriptool: a folder of `.py` files is a tool server.

`args`, `ctx` and `ToolError` exist in every script without import; `from scriptool import ctx` tells editors and type
checkers what they are.
"""

from typing import TYPE_CHECKING, Any

from scriptool.surroundings import Context, ToolError

__all__ = ["ToolError", "__version__", "args", "ctx"]

__version__ = "0.1.0"

args: dict[str, Any]
ctx: Context

if not TYPE_CHECKING:  # a checker would take any name for one of the module's

    def __getattr__(name: str) -> Any:
        if name in ("args", "ctx"):
            raise ImportError(
                f"scriptool.{name} is there while a tool runs; serve the folder, or call the tool with it"
            )
        raise AttributeError(f"module 'scriptool' has no attribute {name!r}")
