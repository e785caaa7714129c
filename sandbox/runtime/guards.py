"""The guards that remain at run time, where a compile-time check cannot decide; `policy.GUARDS` says why each is there.

They compare exact types and never call code of the script to judge one of its objects.
"""

import abc
import dataclasses
import decimal
import functools
import textwrap
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.language.names import (
    ACCESS_DUNDERS,
    RESERVED_NAMES,
    WRITABLE_DUNDERS,
    check_format,
    is_dunder,
    is_known_dunder,
    kind,
)
from sandbox.runtime.bases import EXCEPTIONS, OPEN_BASES
from sandbox.runtime.faces.logs import Logger, NullHandler
from sandbox.runtime.faces.response import Response
from sandbox.runtime.faces.web import LaterClient, SyncClient
from sandbox.runtime.failures import CallFailed, PermissionDenied, ToolError
from sandbox.runtime.ownership import Ownership
from sandbox.runtime.safe_type import type_of
from sandbox.runtime.shown import shown

_self_of = super.__dict__["__self__"].__get__
_qualified_name_of = type.__dict__["__qualname__"].__get__

WRITABLE = frozenset({decimal.Context, types.SimpleNamespace, textwrap.TextWrapper, Response}) | EXCEPTIONS
"""Library classes whose instances exist to be changed; nothing that is shared is one of them."""

RUN_WRITABLE = frozenset({Response, ToolError, CallFailed, PermissionDenied})
"""Those of which an application has no instances; of the others, a script in it has kinds of its own."""

SETTABLE = (SyncClient, LaterClient, Logger, NullHandler)
"""Library classes that are made to be set up through attributes, but whose private ones lead out."""

_BUILTIN_METHODS = (types.BuiltinMethodType, types.MethodDescriptorType)
_BOUND_METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


class Guards:
    """The guards of one run, judging by what is *own*."""

    def __init__(self, own: Ownership, writable: frozenset[type] = WRITABLE) -> None:
        self._own = own
        self._writable = writable

    def bindings(self) -> dict[str, Any]:
        """Give the builtins that compiled code asks for by names no source can spell."""
        return {
            "own!": self._own.classes,
            "type!": type,
            "write!": self.write,
            "rename!": self.rename,
            "priv!": self.private,
            "fields!": self.fields,
            "guarded!": self.guarded,
            "class!": type_of,
            "dict!": self.dict_of,
            "power!": self.power,
            "shown!": shown(self._own),
            "typevar!": type_variable,
            "Generic!": typing.Generic,
            "Any!": typing.Any,
            "ClassVar!": typing.ClassVar,
            "InitVar!": dataclasses.InitVar,
            "KW_ONLY!": dataclasses.KW_ONLY,
        }

    def write(self, target: Any) -> Any:
        """Give *target* back if the script may change its attributes; else raise TypeError or AttributeError."""
        own = self._own
        if own.has(target) or type(target) in self._writable or own.has_function(target) or own.has_module(target):
            return target
        if issubclass(type(target), SETTABLE) or target is decimal.getcontext():
            return target
        message = f"{_description(target)} is read-only in a script"
        if not issubclass(type(target), type) and type(target).__dictoffset__ == 0:
            raise AttributeError(message)  # as Python: there is no place where attributes could be kept
        raise TypeError(message)

    def rename(self, target: Any) -> Any:
        """Give *target* back if the script may change its `__name__`; library code finds a module's globals by it."""
        if self._own.has_module(target):
            raise TypeError(f"special names of {_description(target)} are read-only in a script")
        return self.write(target)

    def write_named(self, target: Any, name: Any) -> Any:
        """Give *target* back if the script may change its attribute *name*.

        What a helper module holds under the name of a guard, or of `super`, its functions would take for it.
        """
        writable_name(name)
        if self._own.has_module(target) and (is_dunder(name) or name in RESERVED_NAMES or not name.isidentifier()):
            raise AttributeError(f"{name} cannot be set on {_description(target)}")
        return self.write(target)

    def private(self, owner: Any) -> Any:
        """Give *owner* back if the script may read its `_names`; else raise AttributeError."""
        cls = owner if issubclass(type(owner), type) else type(owner)
        if (
            self._own.has(owner)
            or type(owner) in self._writable
            or cls in self._own.tuples
            or (type(owner) is super and self._own.has(_self_of(owner)))
            or self._own.has_function(owner)
            or self._own.has_module(owner)
        ):
            return owner
        raise AttributeError(f"names that begin with _ are not accessible on {_description(owner)}")

    def fields(self, owner: Any) -> Any:
        """Give *owner* back if the script may read what namedtuples have beside their fields, such as `_asdict`."""
        cls = owner if issubclass(type(owner), type) else type(owner)
        return owner if issubclass(cls, tuple) and hasattr(cls, "_fields") else self.private(owner)

    def guarded(self, owner: Any, name: str) -> Any:
        """Read *name* and judge what came: `super()` and typing aliases pass reads on to somebody else."""
        value = getattr(owner, name)
        if name in ("format", "format_map"):
            return _safe_format(value, name)
        if name == "obj":
            refused = issubclass(type(owner), (AttributeError, super)) or type(value) is types.MemberDescriptorType
        elif name == "parser":  # from Python 3.13 on, pathlib keeps a module under this name
            refused = type(value) is types.ModuleType and not (is_face(value) or self._own.has_module(value))
        elif name in ("mro", "buffer_info", "from_file"):
            refused = issubclass(type(value), _BUILTIN_METHODS)
        elif name in ("__members__", "groupindex"):  # a proxy hands the table behind it to whatever it is compared with
            return types.MappingProxyType(dict(value)) if type(value) is types.MappingProxyType else value
        elif name == "register":
            function = value.__func__ if type(value) is types.MethodType else value
            refused = function is abc.ABCMeta.register
        else:
            refused = not self._own.has(owner)
        if refused:
            raise AttributeError(f"{name} is not accessible on {_description(owner)}")
        return value

    def dict_of(self, owner: Any) -> dict[str, Any]:
        """Give the attributes of an instance of an own class; of a class or library object they are a way round."""
        if self._own.has_instance(owner) or (type(owner) is types.SimpleNamespace and type(owner) in self._writable):
            attributes: dict[str, Any] = object.__getattribute__(owner, "__dict__")
            return attributes
        raise AttributeError("__dict__ is accessible on instances of the script's own classes only")

    def power(self, owner: Any, name: str) -> Any:
        """Read a special method that writes on what it is handed, bound to or wrapped for own objects only."""
        if name in ACCESS_DUNDERS:
            return self._access(owner, name)
        asker = _self_of(owner) if type(owner) is super else owner
        is_open = issubclass(type(asker), type) and (asker in OPEN_BASES or self._own.has_class(asker))
        if not is_open and not self._own.has_instance(asker):
            raise AttributeError(f"{name} is not accessible on {_description(owner)}")
        method = getattr(owner, name)
        # Asked through a class, also through super() of one, the library's own function comes back bound to nothing.
        if self._own.has_function(method) or self._own.has(_bound_to(method)):
            return method
        cls = asker if issubclass(type(asker), type) else type(asker)
        return self._for_own_objects(method, f"{_qualified_name_of(cls)}.{name}")

    def _for_own_objects(self, method: Callable[..., Any], spelling: str) -> Callable[..., Any]:
        def unbound(*arguments: Any, **named: Any) -> Any:
            if not arguments or not self._own.has(arguments[0]):
                raise TypeError(f"{spelling} needs an object of one of the script's own classes")
            return method(*arguments, **named)

        return _named(unbound, spelling)

    def _access(self, owner: Any, name: str) -> Callable[..., Any]:
        is_class = issubclass(type(owner), type)
        if is_class and owner is not object and not self._own.has_class(owner) and owner not in OPEN_BASES:
            raise AttributeError(f"{name} is not accessible on {_description(owner)}")
        method = getattr(owner, name)

        def access(*arguments: Any) -> Any:
            target, rest = owner, arguments
            if type(owner) is super:
                target = _self_of(owner)
            elif is_class:
                target, rest = arguments[0], arguments[1:]
            if name == "__getattribute__":
                attribute = readable_name(rest[0])
                if not self._own.has_instance(target) or kind(attribute) != "native":
                    raise AttributeError(f"{attribute} is not accessible this way")
            else:
                self.write_named(target, rest[0])
            return method(*arguments)

        return _named(access, f"{_qualified_name_of(owner if is_class else type(owner))}.{name}")


def _bound_to(method: Any) -> Any:
    """Give what a method is bound to, by exact type; None if to nothing."""
    return method.__self__ if type(method) in _BOUND_METHODS else None


def is_face(module: types.ModuleType) -> bool:
    """Say whether *module* is one of those that stand for modules in scripts."""
    return module.__name__.startswith("<")


def readable_name(name: Any) -> str:
    """Give the attribute *name* back if reflection may read it."""
    # A subclass of str could answer differently each time it is asked.
    if type(name) is not str:
        raise TypeError("attribute name must be string")
    if kind(name) in ("refused", "class", "dict"):
        raise AttributeError(f"{name} is not accessible in a script")
    return name


def writable_name(name: Any) -> str:
    """Give the attribute *name* back if reflection may set or delete it."""
    readable_name(name)
    if is_dunder(name) and is_known_dunder(name) and name not in WRITABLE_DUNDERS:
        raise AttributeError(f"{name} cannot be set in a script")
    return str(name)


@functools.lru_cache(1024)
def type_variable(spelling: str) -> Any:
    """Give the one type variable for an erased type parameter written `T`, `*Ts` or `**P`.

    It must be one: `class Sub[T](Box[T])` names the same variable in `Box[T]` and in the base it gets for `[T]`.
    """
    if spelling.startswith("**"):
        return typing.ParamSpec(spelling[2:])
    if spelling.startswith("*"):
        return typing.TypeVarTuple(spelling[1:])
    return typing.TypeVar(spelling)


def format_text(text: Any, /, *arguments: Any, **named: Any) -> str:
    """`str.format` whose fields may read what plain attribute syntax may, no more."""
    return _checked_format(str.__str__(text)).format(*arguments, **named)


def format_text_map(text: Any, mapping: Mapping[str, Any], /) -> str:
    """`str.format_map` with the same bound."""
    return _checked_format(str.__str__(text)).format_map(mapping)


@functools.lru_cache(maxsize=256)
def _checked_format(text: str) -> str:
    check_format(text)
    return text


def _safe_format(value: Any, name: str) -> Any:
    """What was read as *name*, with str's own methods replaced by ours; anybody else's method of that name stays."""
    replacement = format_text if name == "format" else format_text_map
    if type(value) is types.BuiltinMethodType and issubclass(type(value.__self__), str):
        text = str.__str__(value.__self__)
        return _named(lambda *arguments, **named: replacement(text, *arguments, **named), f"str.{name}")
    if type(value) is types.MethodDescriptorType and issubclass(value.__objclass__, str):
        return replacement
    return value


def _named(function: Callable[..., Any], spelling: str) -> Callable[..., Any]:
    """Give *function* the name of what it stands for: a script that prints it is to see nothing of ours."""
    function.__qualname__ = spelling
    function.__name__ = spelling.rpartition(".")[2]
    return function


def _description(target: Any) -> str:
    if type(target) is types.ModuleType:
        return f"the module {target.__name__.strip('<>')}"
    if issubclass(type(target), type):
        return f"the class {_qualified_name_of(target)}"
    return f"a {_qualified_name_of(type(target))} object"


_named(format_text, "str.format")
_named(format_text_map, "str.format_map")
