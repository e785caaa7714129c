"""Member: what of an object may be read, and reading it. Any exception becomes a ReadError. Standard library only."""

import difflib
import functools
import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from scriptool.objects.readpath import ReadError

_NOTHING: Final = object()
_ROUTINES: Final = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    staticmethod,
    classmethod,
    functools.partial,
    functools.partialmethod,
    functools.singledispatchmethod,
)
"""What is called; inspect.isroutine() also counts every descriptor that only reads, such as cached_property."""

_INSIDES: Final = (property, functools.cached_property, types.GetSetDescriptorType, types.MemberDescriptorType)
"""What stands in a class for what its instances have."""

_INTERPRETER: Final = (
    types.FrameType,
    types.CodeType,
    types.TracebackType,
    types.GeneratorType,
    types.CoroutineType,
    types.AsyncGeneratorType,
)
"""What leads to the local and global names of running code, under names that look like data."""

_MAX_TEXT: Final = 200


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn whatever a getter raises into a ReadError `getter_failed` about *what*."""
    try:
        yield
    except (ReadError, KeyboardInterrupt):  # Ctrl-C is meant for the application
        raise
    except BaseException as error:
        raise ReadError("getter_failed", f"reading {what} raised {described(error)}") from None


def described(error: BaseException) -> str:
    """Give an exception's type and text, also if asking for its text fails."""
    try:
        text = str(error)
    except Exception:
        text = ""
    text = text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def label(value: object) -> str:
    """Give the name of a value's type."""
    return type(value).__qualname__


def nearest(name: str, known: Iterable[str]) -> str:
    """Give `Did you mean "x"?` for the nearest known name, or an empty string."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f'Did you mean "{close[0]}"?' if close else ""


def is_data(value: object) -> bool:
    """Say whether a value is something to show, not something to call or a door to elsewhere."""
    return not isinstance(value, (*_ROUTINES, *_INSIDES, *_INTERPRETER, types.ModuleType))


def member(owner: Any, name: str) -> Any:
    """Give the member *name* of *owner*: a key, where it is a mapping that has it, else an attribute.

    Raises: ReadError `not_found`, `bad_path` for what is no data, `getter_failed`.
    """
    what = f"{label(owner)}.{name}"
    with reading(what):
        if isinstance(owner, Mapping) and name in owner:
            return _data(owner[name], what)
        try:
            value = getattr(owner, name)
        except AttributeError:
            if inspect.getattr_static(owner, name, _NOTHING) is not _NOTHING:
                raise
            known = [*map(str, owner)] if isinstance(owner, Mapping) else members(owner)
            raise ReadError("not_found", f"{label(owner)} has no member {name!r}", nearest(name, known)) from None
    return _data(value, what)


def _data(value: Any, what: str) -> Any:
    """Give *value* back if it is data; else raise ReadError `bad_path`."""
    if is_data(value):
        return value
    kind = "a function or an inside of a class"
    if isinstance(value, types.ModuleType):
        kind = "a module"
    elif isinstance(value, _INTERPRETER):
        kind = "an inside of running code"
    raise ReadError("bad_path", f"{what} is {kind}", "A probe reads data; to call something write a script.")


def has_member(owner: Any, name: str) -> bool:
    """Say whether *owner* has the member *name*, also one whose getter fails."""
    if isinstance(owner, Mapping) and name in owner:
        return True
    return inspect.getattr_static(owner, name, _NOTHING) is not _NOTHING or hasattr(owner, name)


def item(owner: Any, key: int | str) -> Any:
    """Give the item *key* of *owner*.

    Raises: ReadError `not_found`, `bad_path` where nothing can be looked up, `getter_failed`.
    """
    what = f"{label(owner)}[{key!r}]"
    with reading(what):
        if isinstance(owner, type) or not hasattr(type(owner), "__getitem__"):
            raise ReadError("bad_path", f"{label(owner)} has no items", "Name a member with /name.")
        try:
            return _data(owner[key], what)
        except LookupError:
            hint = nearest(str(key), map(str, owner)) if isinstance(owner, Mapping) else _length(owner)
            raise ReadError("not_found", f"there is no {what}", hint) from None
        except TypeError:
            hint = "Its items go by number: [0]." if isinstance(key, str) else 'Its items go by key: ["key"].'
            raise ReadError("bad_path", f"{label(owner)} has no item {key!r}", hint) from None


def _length(owner: Any) -> str:
    return f"It has {len(owner)} items, counted from 0." if hasattr(type(owner), "__len__") else ""


def members(owner: Any) -> list[str]:
    """Give the names of the public members of *owner* that may hold data, in alphabetical order.

    Raises: ReadError `getter_failed` if the object does not tell.
    """
    with reading(f"the members of {label(owner)}"):
        named = [name for name in dir(owner) if not name.startswith("_")]
        holder = owner if isinstance(owner, type) else type(owner)
        return [name for name in named if not isinstance(inspect.getattr_static(holder, name, None), _ROUTINES)]
