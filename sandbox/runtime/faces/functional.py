"""`functools` and `operator` for scripts: what reads or sets attributes by name asks the same rules as syntax."""

import functools
import operator
import types
from collections.abc import Callable
from typing import Any

from sandbox.language.names import kind
from sandbox.runtime.ownership import Ownership
from sandbox.runtime.reflection import Reflection
from sandbox.runtime.safe_type import class_meant

_COPIED = ("__name__", "__qualname__", "__doc__")
_MISSING = object()


class Functional:
    """The parts of those modules that touch attributes, for one run."""

    def __init__(self, own: Ownership, reflection: Reflection) -> None:
        self._own = own
        self._reflection = reflection

    def __repr__(self) -> str:
        return "<functools>"

    def update_wrapper(self, wrapper: Any, wrapped: Any) -> Any:
        """`functools.update_wrapper` for functions of the script's own: name, doc and attributes; no `__wrapped__`."""
        if not self._own.has_function(wrapper):
            return wrapper
        for name in _COPIED:
            value = getattr(wrapped, name, None)
            if type(value) is str:
                setattr(wrapper, name, value)
        if self._own.has_function(wrapped):
            wrapper.__dict__.update(wrapped.__dict__)
        return wrapper

    def wraps(self, wrapped: Any) -> Callable[[Any], Any]:
        """`functools.wraps`, as `update_wrapper`."""
        return lambda wrapper: self.update_wrapper(wrapper, wrapped)

    def total_ordering(self, cls: Any) -> Any:
        """`functools.total_ordering` for a class of the script's own; raises TypeError for others."""
        if not self._own.has_class(cls):
            raise TypeError("total_ordering() takes a class of the script's own")
        return functools.total_ordering(cls)

    def attrgetter(self, *names: Any) -> Callable[[Any], Any]:
        """`operator.attrgetter`; each part of a dotted name is read as `getattr` of a script reads it."""
        if any(type(name) is not str for name in names):
            raise TypeError("attribute name must be a string")
        if all(kind(part) == "native" for name in names for part in name.split(".")):
            return operator.attrgetter(*names)
        getters = [self._getter(name.split(".")) for name in names]
        if len(getters) == 1:
            return getters[0]
        return lambda target: tuple(getter(target) for getter in getters)

    def methodcaller(self, name: Any, /, *arguments: Any, **named: Any) -> Callable[[Any], Any]:
        """`operator.methodcaller`; the name is read as `getattr` of a script reads it."""
        if type(name) is not str:
            raise TypeError("method name must be a string")
        return lambda target: self._reflection.getattr(target, name)(*arguments, **named)

    def _getter(self, parts: list[str]) -> Callable[[Any], Any]:
        return lambda target: functools.reduce(self._reflection.getattr, parts, target)


class SingleDispatch:
    """`functools.singledispatch`; implementations are registered by class only, for annotations would be evaluated."""

    def __init__(self, function: Any) -> None:
        self._dispatcher = functools.singledispatch(_Implementation(function))
        self.__doc__ = getattr(function, "__doc__", None)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the implementation for the class of the first argument."""
        if not arguments:
            raise TypeError("a single-dispatch function requires at least 1 positional argument")
        return self.dispatch(type(arguments[0]))(*arguments, **named)

    def dispatch(self, cls: Any) -> Any:
        """Give the implementation for *cls*."""
        return self._dispatcher.dispatch(_class(cls)).function  # type: ignore[attr-defined]  # only ours register

    def register(self, cls: Any, implementation: Any = _MISSING) -> Any:
        """Register an implementation for *cls*; as a decorator: `@show.register(int)`."""
        _class(cls)
        if implementation is _MISSING:
            return lambda function: self.register(cls, function)
        self._dispatcher.register(cls, _Implementation(implementation))
        return implementation


class SingleDispatchMethod(SingleDispatch):
    """`functools.singledispatchmethod`: dispatches on the argument after `self`."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Give the method bound to *instance*."""

        def method(*arguments: Any, **named: Any) -> Any:
            function = self.dispatch(type(arguments[0]))
            bound = function.__get__(instance, owner) if hasattr(function, "__get__") else function
            return bound(*arguments, **named)

        return method


class _Implementation:
    """A function in the registry, behind a face that has no attribute the library would look at."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)


def _class(cls: Any) -> type:
    cls = class_meant(cls)
    if not issubclass(type(cls), type) and type(cls) is not types.UnionType:
        raise TypeError("register() takes a class in a script: @function.register(int)")
    return cls  # type: ignore[no-any-return]  # a class or a union, by the test above
