"""scriptool: a folder of `.py` files is a tool server.

`args`, `ctx` and `ToolError` exist in every script without import; the names here are for editors and type checkers.
"""

__version__ = "0.1.0"
