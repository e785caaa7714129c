"""`dataclasses` and `collections.namedtuple` for scripts: on the script's own classes, with names that were checked."""

import abc
import collections
import copy
import dataclasses
import functools
import inspect
import keyword
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sandbox.language.names import SYNTAX_DUNDERS, is_dunder, is_known_dunder, kind
from sandbox.runtime.class_statement import CLASS_OF
from sandbox.runtime.faces.copying import Copier
from sandbox.runtime.fields import check_fields, check_names
from sandbox.runtime.ownership import Ownership
from sandbox.values import tell_whole


class Records:
    """The parts of those modules that make classes or copy deeply, for one run."""

    def __init__(self, own: Ownership, copier: Copier) -> None:
        self._own = own
        self._copier = copier
        self._asked = _NoneAsked(self._hold)
        self._originals: dict[Any, types.FunctionType] = {}
        """What each held function stands for."""
        _keep_metadata_apart()
        _hold_when_generated()

    def __repr__(self) -> str:
        return "<dataclasses>"

    def dataclass(self, cls: Any = None, /, **options: Any) -> Any:
        """`dataclasses.dataclass` for a class of the script's own; raises TypeError for others."""
        return self._decorate(cls, options) if cls is not None else lambda late: self._decorate(late, options)

    def make_dataclass(self, cls_name: str, fields: Iterable[Any], *, bases: Iterable[Any] = (), **options: Any) -> Any:
        """`dataclasses.make_dataclass` without `namespace=`, whose methods nobody has checked."""
        check_names(options)
        if options.pop("namespace", None):
            raise TypeError("make_dataclass(namespace=...) is not available in a script; write a class statement")
        for name in ("module", "decorator"):
            options.pop(name, None)
        flags, slots = _flags(options)
        bases = tuple(bases)  # asked again, one of the script's own could hold others
        for base in bases:
            if not self._own.has_class(base):
                raise TypeError("make_dataclass() takes bases of the script's own")
        checked = [_field(field) for field in fields]
        check_fields(self._own, bases, [name for name, *_ in checked])
        namespace = _IN_SCRIPT | {"__signature__": self._asked, "__class__": CLASS_OF}
        made: Any = dataclasses.make_dataclass(_text(cls_name), checked, bases=bases, namespace=namespace, **flags)
        del made.__signature__
        made = self._finished(made, flags, slots)
        made.__doc__ = _signature(made)
        return made

    def asdict(self, obj: Any, *, dict_factory: Callable[[Any], Any] = dict) -> Any:
        """`dataclasses.asdict`, copying what is no dataclass as `copy.deepcopy` of a script does."""
        return self._converted(_instance(obj, "asdict"), lambda pairs: dict_factory(pairs))

    def astuple(self, obj: Any, *, tuple_factory: Callable[[Any], Any] = tuple) -> Any:
        """`dataclasses.astuple`, with the same copying."""
        return self._converted(_instance(obj, "astuple"), lambda pairs: tuple_factory([value for _, value in pairs]))

    def namedtuple(
        self,
        typename: str,
        field_names: Any,
        *,
        rename: bool = False,
        defaults: Any = None,
        module: Any = None,  # noqa: ARG002 - taken as CPython does; the class is the script's whatever it says
    ) -> Any:
        """`collections.namedtuple`; field names are exact texts before they become code."""
        names = str.__str__(field_names).replace(",", " ").split() if isinstance(field_names, str) else field_names
        checked = [_readable(_text(name)) for name in names]
        make: Callable[..., Any] = collections.namedtuple
        made = make(_text(typename), checked, rename=bool(rename), defaults=defaults, module="script")
        self._own.tuples.add(made)
        return made

    def replace(self, obj: Any, /, **changes: Any) -> Any:
        """`dataclasses.replace`."""
        check_names(changes)
        cls = type(_instance(obj, "replace"))
        for name, field in cls.__dataclass_fields__.items():
            if field._field_type is dataclasses._FIELD_CLASSVAR:  # type: ignore[attr-defined]  # as the library does
                continue
            if not field.init:
                if name in changes:
                    raise TypeError(f"field {name} is declared with init=False, it cannot be specified with replace()")
            elif name not in changes:
                if field._field_type is dataclasses._FIELD_INITVAR and field.default is dataclasses.MISSING:  # type: ignore[attr-defined]  # private
                    raise TypeError(f"InitVar {name!r} must be specified with replace()")
                changes[name] = getattr(obj, name)
        return cls(**changes)

    def fields(self, class_or_instance: Any) -> tuple[Any, ...]:
        """`dataclasses.fields`; those of others are copies, and none of their private ones."""
        # An instance would be asked for its table of fields, and may have one of its own.
        cls = class_or_instance if isinstance(class_or_instance, type) else type(class_or_instance)
        found = dataclasses.fields(cls)
        return found if self._own.has_class(cls) else tuple(_copied(field) for field in _public(found))

    def _decorate(self, cls: Any, options: Mapping[str, Any]) -> Any:
        if not self._own.has_class(cls):
            raise TypeError("dataclass() takes a class of the script's own")
        check_names(options)
        check_fields(self._own, [cls])
        for name, annotation in _dict_of(cls).get("__annotations__", {}).items():
            if annotation is not typing.ClassVar:
                _readable(name)
        document = _dict_of(cls).get("__doc__")
        flags, slots = _flags(options)
        cls.__signature__ = self._asked
        try:
            dataclasses.dataclass(**flags)(cls)
        finally:
            del cls.__signature__
            if "__dataclass_fields__" in _dict_of(cls):  # also where it failed in the middle
                self._hold(cls)
        made = self._finished(cls, flags, slots)
        made.__doc__ = document if _is_document(document) else _signature(made)
        return made

    def _finished(self, made: Any, flags: Mapping[str, bool], slots: Mapping[str, bool]) -> Any:
        """Count a class that is ready, with slots=True another one, among the script's own."""
        if slots.get("slots"):
            made = dataclasses._add_slots(made, flags.get("frozen", False), slots.get("weakref_slot", False))  # type: ignore[attr-defined]  # private
            self._hold(made)
            abc.update_abstractmethods(made)
        elif slots.get("weakref_slot"):
            raise TypeError("weakref_slot is True but slots is False")
        self._own.classes.add(made)
        tell_whole(made)
        return made

    def _hold(self, made: Any) -> None:
        """Let what was generated for the class *made*, without guards, read private fields of its own objects only."""
        is_private = any(kind(name) != "native" for name in made.__dataclass_fields__)
        for name, value in list(_dict_of(made).items()):
            if type(value) is not types.FunctionType or self._own.has_function(value):
                continue
            original = self._originals.get(value, value)
            if original is getattr(dataclasses, "_replace", None):  # from Python 3.13 on
                held = _bound_to(made, self.replace)
            elif is_private and name in SYNTAX_DUNDERS:
                held = _of_objects(made, original)
            else:
                continue
            self._originals[held] = original
            setattr(made, name, held)

    def _converted(self, value: Any, make: Callable[[list[tuple[str, Any]]], Any]) -> Any:
        cls = type(value)
        if dataclasses.is_dataclass(cls):
            fields = self.fields(cls)
            return make([(field.name, self._converted(getattr(value, field.name), make)) for field in fields])
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return cls(*[self._converted(part, make) for part in tuple.__iter__(value)])
        if cls in (list, tuple):
            return cls([self._converted(part, make) for part in value])
        if cls is dict:
            return {self._converted(key, make): self._converted(part, make) for key, part in value.items()}
        return self._copier.deepcopy(value)


_dict_of = type.__dict__["__dict__"].__get__


def _of_objects(cls: type, function: types.FunctionType) -> Callable[..., Any]:
    """Give *function* for objects of *cls*, under its name."""

    def call(own: Any, *others: Any) -> Any:
        if cls not in type(own).__mro__:
            raise TypeError(f"{function.__qualname__} needs an object of its class")
        return function(own, *others)

    call.__name__, call.__qualname__ = function.__name__, function.__qualname__
    return call


_IN_SCRIPT = {"__module__": "script"}
"""Dataclass looks a class's globals up by its module; a class made at run time would get those of the library."""


class _NoneAsked(inspect.Signature):
    """What the library is told where it asks for the signature of a class, to make a docstring of it.

    `inspect` would find out by evaluating what docstrings of other bases say of their parameters; see `_signature`.
    It stands on the class for as long as that is being made, and *hold* is for what is generated in it.
    """

    def __init__(self, hold: Callable[[Any], None]) -> None:
        super().__init__()
        self.hold = hold


@functools.cache
def _hold_when_generated() -> None:
    """From now on, have what a dataclass generates held before any code of the script could meet it.

    The library looks for abstract methods when all are there, and asks descriptors of the script for them.
    """
    dataclasses.abc = types.SimpleNamespace(update_abstractmethods=_update)  # type: ignore[attr-defined]  # private


def _update(cls: Any) -> Any:
    asked = _dict_of(cls).get("__signature__")
    if type(asked) is _NoneAsked:
        asked.hold(cls)
    return abc.update_abstractmethods(cls)


def _is_document(value: Any) -> bool:
    return value is not None and not (type(value) is str and not value)


def _signature(cls: type) -> str:
    """Give the docstring that a dataclass without one gets: how it is called."""
    init = next((base.__dict__["__init__"] for base in cls.__mro__ if "__init__" in base.__dict__), None)
    if init is object.__init__:
        return f"{cls.__name__}()"
    if type(init) is not types.FunctionType:
        return cls.__name__
    signature = inspect.signature(_bare(init))
    parameters = list(signature.parameters.values())[1:]
    return cls.__name__ + str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def _bare(function: types.FunctionType) -> types.FunctionType:
    """Give *function* without its attributes: `inspect` follows `__wrapped__` and evaluates `__signature__`."""
    bare = types.FunctionType(function.__code__, {}, function.__name__, function.__defaults__, function.__closure__)
    bare.__kwdefaults__ = function.__kwdefaults__
    bare.__annotations__ = function.__annotations__
    return bare


def _bound_to(cls: type, replace: Callable[..., Any]) -> Callable[..., Any]:
    def __replace__(self: Any, /, **changes: Any) -> Any:
        if not isinstance(self, cls):
            raise TypeError(f"__replace__ takes an object of {cls.__name__}")
        return replace(self, **changes)

    __replace__.__qualname__ = f"{cls.__qualname__}.__replace__"
    return __replace__


def _flags(options: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, bool]]:
    """Give the options of a dataclass as plain flags, apart those by which it is made once more: that comes last."""
    flags = {name: bool(value) for name, value in options.items()}
    return flags, {name: flags.pop(name) for name in ("slots", "weakref_slot") if name in flags}


def _public(fields: Iterable[Any]) -> list[Any]:
    return [field for field in fields if kind(field.name) != "private"]


def _copied(field: Any) -> Any:
    copied = copy.copy(field)
    copied.metadata = types.MappingProxyType(dict(field.metadata))
    return copied


class _Nothing(Mapping[Any, Any]):
    """A mapping that is empty and stays so."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "{}"

    def __or__(self, other: Any) -> Any:
        return {} | other

    def __ror__(self, other: Any) -> Any:
        return other | {}

    def copy(self) -> dict[Any, Any]:
        """Give an empty dict."""
        return {}


@functools.cache
def _keep_metadata_apart() -> None:
    """From now on, have fields without metadata share what cannot be changed.

    They share one dict behind a proxy, and a proxy hands what is behind it to anything it is compared with.
    """
    dataclasses._EMPTY_METADATA = types.MappingProxyType(_Nothing())  # type: ignore[attr-defined]  # private


def _instance(obj: Any, function: str) -> Any:
    if not dataclasses.is_dataclass(type(obj)):
        raise TypeError(f"{function}() should be called on dataclass instances")
    return obj


def _field(field: Any) -> Any:
    """One field for make_dataclass, its annotation replaced: a text there would be looked up in a module."""
    if isinstance(field, str):
        name, rest = field, ()
    else:
        name, _, *rest_list = field
        rest = tuple(rest_list)
    name = _readable(_text(name))
    if not name.isidentifier() or keyword.iskeyword(name):
        raise TypeError(f"Field names must be valid identifiers: {name!r}")
    return (name, typing.Any, *rest)


def _readable(name: str) -> str:
    """A field's name ends up in `__match_args__`, and patterns read what stands there."""
    if kind(name) not in ("native", "guarded", "private") or (is_dunder(name) and is_known_dunder(name)):
        raise ValueError(f"a field cannot be called {name} in a script")
    return name


def _text(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("names must be strings")
    return str.__str__(name)
