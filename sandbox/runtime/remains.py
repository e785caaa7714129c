"""Remains: what an application holds of a script whose run is over. Its code does not run any more, but raises.

A destructor or a comparison of it would run wherever the application comes across it, and perhaps for ever.
"""

import contextlib
import gc
import inspect
from collections.abc import AsyncIterator, Iterator
from types import AsyncGeneratorType, CodeType, CoroutineType, FunctionType, GeneratorType
from typing import Any, NoReturn

from sandbox.runtime.ownership import Ownership

_frames = {GeneratorType: "gi_frame", CoroutineType: "cr_frame", AsyncGeneratorType: "ag_frame"}


def end_functions(own: Ownership) -> None:
    """Let every function and generator there is of the script raise from now on; under a halt, so that none runs."""
    for one in gc.get_objects():
        if type(one) is FunctionType and own.has_function(one):
            one.__code__ = _gone_as(one.__code__)
        elif type(one) in _frames:
            frame = getattr(one, _frames[type(one)])
            if frame is not None and own.has_namespace(frame.f_globals):
                _close(one)


def _close(generator: Any) -> None:
    with contextlib.suppress(BaseException):  # it may be in the middle of a `finally`, or of a method it called
        if type(generator) is AsyncGeneratorType:
            generator.aclose().send(None)
        else:
            generator.close()


# The code of these takes the place of a script's: it finds no names but those of builtins.


def _gone(*_arguments: Any, **_named: Any) -> NoReturn:
    raise RuntimeError("the script that made this is over")


def _gone_steps(*_arguments: Any, **_named: Any) -> Iterator[None]:
    raise RuntimeError("the script that made this is over")
    yield  # type: ignore[unreachable]  # makes it a generator


async def _gone_later(*_arguments: Any, **_named: Any) -> NoReturn:
    raise RuntimeError("the script that made this is over")


async def _gone_later_steps(*_arguments: Any, **_named: Any) -> AsyncIterator[None]:
    raise RuntimeError("the script that made this is over")
    yield  # type: ignore[unreachable]


_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_gone_codes = {
    one.__code__.co_flags & _KINDS: one.__code__ for one in (_gone, _gone_steps, _gone_later, _gone_later_steps)
}


def _gone_as(code: CodeType) -> CodeType:
    """Give the code that raises, in the form of *code*: a function keeps the kind it is and the cells it has."""
    gone = _gone_codes[code.co_flags & _KINDS]
    return gone.replace(co_freevars=code.co_freevars, co_name=code.co_name, co_qualname=code.co_qualname)
