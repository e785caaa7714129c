"""`UserDict` and `UserList` of scripts: the library's, but for how they copy themselves.

The library's write into whatever `__new__` gives, and by the reduce protocol set attributes and call functions that an
object names; see `sandbox.runtime.faces.copying`.
"""

import collections
import types
from collections.abc import Callable
from typing import Any

_LEFT_OUT = ("__dict__", "__weakref__", "_abc_impl")


def _copied(wrapper: Any) -> Any:
    if not issubclass(type(wrapper), (UserDict, UserList)):
        raise TypeError(f"a UserDict or UserList is copied this way, not a {type(wrapper).__name__}")
    attributes = dict(object.__getattribute__(wrapper, "__dict__"))
    attributes["data"] = attributes["data"].copy()
    copied = object.__new__(type(wrapper))
    object.__getattribute__(copied, "__dict__").update(attributes)
    return copied


def _copied_item_by_item(wrapper: Any) -> Any:
    """As `UserDict.copy` does: what a subclass does with each item when it is set is done in the copy too."""
    if type(wrapper) is UserDict or not issubclass(type(wrapper), UserDict):
        return _copied(wrapper)
    data = wrapper.data
    try:
        wrapper.data = {}
        copied = type(wrapper).__copy__(wrapper)
    finally:
        wrapper.data = data
    copied.update(wrapper)
    return copied


def _made(library: type, own: dict[str, Callable[..., Any]]) -> Any:
    """Give a class of its own with what *library* defines: a subclass would lead to what it leaves out."""
    body = {name: _moved(value) for name, value in vars(library).items() if name not in _LEFT_OUT}
    for name, function in own.items():
        function.__name__, function.__qualname__ = name, f"{library.__name__}.{name}"
        body[name] = function
    return type(library)(library.__name__, library.__bases__, body)


def _moved(value: Any) -> Any:
    """A function of the library's, that finds the classes made here under their names."""
    if type(value) is classmethod:
        return classmethod(_moved(value.__func__))
    if type(value) is not types.FunctionType:
        return value
    moved = types.FunctionType(value.__code__, _globals, value.__name__, value.__defaults__, value.__closure__)
    moved.__qualname__, moved.__doc__, moved.__kwdefaults__ = value.__qualname__, value.__doc__, value.__kwdefaults__
    return moved


_globals: dict[str, Any] = dict(vars(collections))

UserDict = _made(collections.UserDict, {"copy": _copied_item_by_item, "__copy__": lambda wrapper: _copied(wrapper)})
UserList = _made(collections.UserList, {"__copy__": lambda wrapper: _copied(wrapper)})

_globals |= {"UserDict": UserDict, "UserList": UserList}
