"""Programs that have left the language already: what a full escape leads to, in the product's own children."""

import marshal
from typing import Any

from sandbox import Program
from sandbox.process.program import MAIN, Module, module_digest

_FIND_BUILTINS = """
def find_builtins():
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            return kind.__init__.__globals__["sys"].modules["builtins"]
builtins = find_builtins()
"""
"""What whoever has left the language can do: go from any object to the real builtins."""

_OUTLINE: dict[str, Any] = {
    "form": "function",
    "doc": None,
    "takes_args": True,
    "parameters": [],
    "returns": None,
    "classes": {},
    "functions": ["main"],
    "imports": [],
    "block": None,
}


def escaped_program(text: str, *, imports: str = "os, sys") -> Program:
    """Give a program of plain Python: *text* defines `main(args)`, with `builtins` and the modules *imports* at hand.

    To everything but the compiler it is a program like any other, so there is no switch in the product for it.
    """
    names = [name.strip() for name in imports.split(",")]
    source = _FIND_BUILTINS + "".join(f"{name} = builtins.__import__({name!r})\n" for name in names) + text
    product = marshal.dumps((compile(source, "<script>", "exec"), source.splitlines(), _OUTLINE))
    digest = module_digest(MAIN, source.encode())
    return Program(digest, {MAIN: Module(digest, _OUTLINE, (), product)})
