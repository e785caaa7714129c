"""Host: what an application shows of itself, and a small protocol of JSON to ask it. Standard library only.

Requests, and the answers to them; an application in another process can answer the same ones:

    {"do": "read", "reads": [{"id", "path", "depth"?, "max_items"?, "fields"?}]}
        {"reads": {id: {"path", "type", "value", "truncated"?} | {"path", "error": {"code", "message", "hint"?}}}}
    {"do": "open_undo", "group": "a name for this one", "title": "as people see it"}
    {"do": "close_undo", "group": "the name it was opened with", "error": null | "why what was done failed"}
        {} | {"error": "why that failed"}
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from types import FunctionType, MethodType
from typing import Any, Protocol

from scriptool.objects.inspection import Inspection
from scriptool.objects.mainthread import MainThread, Schedule
from scriptool.objects.member import described, is_data, item, label, member, nearest, reading
from scriptool.objects.readpath import ROOTS, Item, Member, ReadError, ReadPath, parse
from scriptool.objects.scene import Scene

Request = Mapping[str, Any]
Answer = dict[str, Any]


class Answering(Protocol):
    """Anything that answers requests for an application, wherever that runs."""

    async def ask(self, request: Request, seconds: float) -> Answer:
        """Answer one request.

        Raises: NotPumped where the application did not begin with it within *seconds*, StillRunning where it did not
        end in time.
        """


class Host:
    """What an application shows of itself. Make one, and call `pump` from the application's loop or a timer.

    *roots* go by name: `@name`; *views* likewise: `@sceneview:name`. Of these and *selection*, a function is called at
    each read, anything else is the object itself. *objects* gives the object of an id, or raises KeyError. *types* are
    classes, or dotted names of classes to import when they are first asked for. *undo* gives a context manager for one
    undo group, by its title. *objects_for_scripts* are what scripts on the main thread find under these names.
    *schedule* has `pump` called soon on the main thread, for applications that have a queue of their own.
    """

    def __init__(
        self,
        *,
        roots: Mapping[str, Any] | None = None,
        selection: Any = None,
        objects: Callable[[str], Any] | Mapping[str, Any] | None = None,
        scene: Scene | None = None,
        views: Mapping[str, Any] | None = None,
        types: Iterable[type | str] = (),
        undo: Callable[[str], AbstractContextManager[Any]] | None = None,
        objects_for_scripts: Mapping[str, Any] | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        self.roots = dict(roots or {})
        self.selection = selection
        self.objects = objects.__getitem__ if isinstance(objects, Mapping) else objects
        self.scene = scene
        self.views = dict(views or {})
        self.types = {one if isinstance(one, str) else f"{one.__module__}.{one.__qualname__}": one for one in types}
        self.objects_for_scripts = dict(objects_for_scripts or {})
        for name in self.objects_for_scripts:
            if not name.isidentifier() or name.startswith("_"):
                raise ValueError(f"scripts cannot find an object under the name {name!r}")
        self.main_thread = MainThread(schedule)
        self._undo = undo
        self._groups: dict[str, AbstractContextManager[Any]] = {}

    def pump(self) -> int:
        """Do what was asked of the application meanwhile, on this thread; give how many pieces that were."""
        return self.main_thread.pump()

    async def run_on_main(self, function: Callable[[], Any], seconds: float, *, grace: float = 0.0) -> Any:
        """Have *function* called by `pump` and give what it returns.

        It must begin within *seconds*, and from then on be done within as many again and *grace*.

        Raises: NotPumped, StillRunning, and what *function* raises.
        """
        return await self.main_thread.run(function, seconds, grace=grace)

    async def ask(self, request: Request, seconds: float) -> Answer:
        """Answer one request on the main thread.

        Raises: NotPumped, StillRunning.
        """
        # An undo group must be closed some time, even if that is late.
        withdraw = request["do"] != "close_undo"
        return await self.main_thread.run(lambda: self.answer(request), seconds, withdraw=withdraw)

    def answer(self, request: Request) -> Answer:
        """Answer one request on this thread, which must be the main one."""
        match request["do"]:
            case "read":
                return {"reads": {read["id"]: self.read(read) for read in request["reads"]}}
            case "open_undo":
                return _tried(lambda: self._open_undo(request["group"], request["title"]))
            case "close_undo":
                return _tried(lambda: self._close_undo(request["group"], request["error"]))
            case unknown:
                raise ValueError(f"a host cannot {unknown!r}")

    def read(self, read: Mapping[str, Any]) -> Answer:
        """Give the entry of one read; whatever goes wrong is its error."""
        path = read["path"]
        try:
            value = self._follow(parse(path))
            inspection = Inspection(read.get("depth", 2), read.get("max_items", 20), read.get("fields"))
            return {"path": path, **inspection.entry(value)}
        except ReadError as error:
            return {"path": path, "error": error.to_json()}

    def _follow(self, path: ReadPath) -> Any:
        value, steps = self._start(path)
        for step in steps:
            value = item(value, step.key) if isinstance(step, Item) else member(value, step.name)
        if not is_data(value):
            raise ReadError("bad_path", f"{label(value)} is not data", "Name a member of it with /name.")
        return value

    def _start(self, path: ReadPath) -> tuple[Any, Iterable[Member | Item]]:
        """Give the object a path starts at, and the steps that are left."""
        name = path.root.name
        match path.root.kind:
            case "type":
                return self._type(name), path.steps
            case "bare":
                return self._bare(name), path.steps
            case "id":
                return self._object(name), path.steps
            case "selection":
                with reading("the selection"):
                    return _now(self.selection, "this host has no selection"), path.steps
            case "sceneview":
                return _named(self.views, name, "view"), path.steps
            case "scene":
                if self.scene is None:
                    raise ReadError("not_found", "this host has no scene", _known(["@" + one for one in self.roots]))
                return self.scene.find(path.steps)
            case _:
                return _named(self.roots, name, "root"), path.steps

    def _object(self, identity: str) -> Any:
        with reading(f"the object with id {identity!r}"):
            try:
                value = None if self.objects is None else self.objects(identity)
            except LookupError:
                value = None
        if value is None:
            raise ReadError("not_found", f"there is no object with id {identity!r}")
        return value

    def _bare(self, name: str) -> Any:
        found = [known for known in self.types if known == name or known.rpartition(".")[2] == name]
        found += [f"@{name}"] if name in self.roots else []
        if len(found) > 1:
            hint = "Write one of " + ", ".join(one if one[0] == "@" else f"@type:{one}" for one in found) + "."
            raise ReadError("ambiguous", f"{name!r} may be any of {', '.join(found)}", hint)
        if not found:
            near = nearest(name, [known.rpartition(".")[2] for known in self.types])
            raise ReadError("not_found", f"no type that may be read is named {name!r}", near or ROOTS)
        return _named(self.roots, name, "root") if found[0][0] == "@" else self._type(found[0])

    def _type(self, name: str) -> Any:
        if name not in self.types:
            hint = nearest(name, self.types) or _known(self.types)
            raise ReadError("not_found", f"{name!r} is not among the types that may be read", hint)
        known = self.types[name]
        if isinstance(known, str):
            with reading(f"the type {name}"):
                known = self.types[name] = import_type(known)
        return known

    def _open_undo(self, group: str, title: str) -> Answer:
        if self._undo is not None and group not in self._groups:
            manager = self._undo(title)
            manager.__enter__()
            self._groups[group] = manager
        return {}

    def _close_undo(self, group: str, error: str | None) -> Answer:
        """Close an undo group; one that never came to be opened is none."""
        manager = self._groups.pop(group, None)
        if manager is not None:
            failure = RuntimeError(error) if error is not None else None
            manager.__exit__(None if failure is None else type(failure), failure, None)
        return {}


def import_type(name: str) -> type:
    """Import the class of a dotted name.

    Raises: ReadError `not_found` if there is none; whatever its module raises.
    """
    module, _, rest = name.rpartition(".")
    while module:
        try:
            value: Any = importlib.import_module(module)
        except ModuleNotFoundError:
            module, _, outer = module.rpartition(".")
            rest = f"{outer}.{rest}"
            continue
        for part in rest.split("."):
            value = getattr(value, part, None)
        if isinstance(value, type):
            return value
        break
    raise ReadError("not_found", f"there is no class {name!r}")


def _tried(change: Callable[[], Answer]) -> Answer:
    """Give what *change* answers, or why it failed."""
    try:
        return change()
    except Exception as error:
        return {"error": described(error)}


def _now(given: Any, missing: str) -> Any:
    """Give what was *given* as it is now: a function is asked."""
    if given is None:
        raise ReadError("not_found", missing)
    return given() if isinstance(given, FunctionType | MethodType) else given


def _named(given: Mapping[str, Any], name: str, kind: str) -> Any:
    if name not in given:
        hint = nearest(name, given) or _known(given)
        raise ReadError("not_found", f"this host has no {kind} named {name!r}", hint)
    with reading(f"the {kind} {name}"):
        return _now(given[name], f"the {kind} {name!r} is empty now")


def _known(names: Iterable[str]) -> str:
    listed = sorted(names)
    return f"Known: {', '.join(listed[:20])}." if listed else "None is known."
