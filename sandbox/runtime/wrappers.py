"""`UserDict` and `UserList` of scripts: the library's, but for how they copy themselves.

The library's write into whatever `__new__` gives, and by the reduce protocol set attributes and call functions that an
object names; see `sandbox.runtime.faces.copying`.
"""

import collections
from typing import Any

from sandbox.runtime.remade import remade


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


_globals: dict[str, Any] = dict(vars(collections))

UserDict = remade(
    collections.UserDict,
    {"copy": _copied_item_by_item, "__copy__": lambda wrapper: _copied(wrapper)},
    found=_globals,
)
UserList = remade(collections.UserList, {"__copy__": lambda wrapper: _copied(wrapper)}, found=_globals)

_globals |= {"UserDict": UserDict, "UserList": UserList}
