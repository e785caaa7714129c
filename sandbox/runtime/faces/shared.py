"""What some modules have of their own where a script shares its process with an application: nothing is common to both.

Not in a sandbox child: there it would cost, and a generator made before the children are forked would be that of all.
"""

import functools
import random
import statistics
import struct
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.language.modules import LANGUAGE
from sandbox.runtime.faces.waits import WAITS
from sandbox.runtime.ownership import Ownership, running

_generators: "weakref.WeakKeyDictionary[Ownership, random.Random]" = weakref.WeakKeyDictionary()


def shared_faces(own: Ownership) -> dict[str, Mapping[str, Any]]:
    """Give the replacements by module and name for the run of *own*."""
    _draw_samples_apart()
    generator = _generators[own] = random.Random()
    functions = {"random": _functions_of(generator), "struct": {name: _of_text(name) for name in _OF_FORMATS}}
    return {**functions, **WAITS}


@functools.cache
def _draw_samples_apart() -> None:
    """From now on, draw the samples that a script takes of a distribution by its own generator too."""
    draw = statistics.NormalDist.samples

    @functools.wraps(draw)
    def samples(self: Any, n: Any, *, seed: Any = None) -> Any:
        generator = _generators.get(running.own) if running.own is not None else None
        if seed is None and generator is not None:
            seed = generator.getrandbits(64)
        return draw(self, n, seed=seed)

    statistics.NormalDist.samples = samples  # type: ignore[method-assign]


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
