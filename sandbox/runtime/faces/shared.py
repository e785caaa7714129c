"""What some modules have of their own where a script shares its process with an application: nothing is common to both.

Not in a sandbox child: there it would cost, and a generator made before the children are forked would be that of all.
"""

import random
import struct
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.language.modules import LANGUAGE


def shared_faces() -> dict[str, Mapping[str, Any]]:
    """Give the replacements by module and name, made anew for each run."""
    return {"random": _functions_of(random.Random()), "struct": {name: _of_text(name) for name in _OF_FORMATS}}


def _functions_of(generator: random.Random) -> dict[str, Any]:
    """The functions of `random`, drawing from *generator*: the application's shall be neither known nor set."""
    common = random.random.__self__  # type: ignore[attr-defined]  # a bound method, which typeshed calls a function
    return {
        name: getattr(generator, name)
        for name in LANGUAGE["random"]
        if getattr(getattr(random, name, None), "__self__", None) is common
    }


_OF_FORMATS = ("calcsize", "iter_unpack", "pack", "pack_into", "unpack", "unpack_from")


def _of_text(name: str) -> Callable[..., Any]:
    """A function of `struct` for exact texts: it remembers each format it is given, under whatever that equals."""
    function = getattr(struct, name)

    def formatted(format: Any, /, *arguments: Any, **named: Any) -> Any:
        return function(_exact(format), *arguments, **named)

    formatted.__name__ = name
    return formatted


def _exact(text: Any) -> Any:
    if isinstance(text, str):
        return str.__str__(text)
    return bytes.__getitem__(text, slice(None)) if isinstance(text, bytes) else text
