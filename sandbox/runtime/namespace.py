"""The restricted namespace, and `execute`: one run of a script in it, which never raises for what the script does."""

import asyncio
import builtins
import contextlib
import decimal
import inspect
import traceback
import types
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.errors import Fault
from sandbox.language.modules import BUILTINS
from sandbox.limits import Limits
from sandbox.runtime import enums, warm_up, zones
from sandbox.runtime.asking import Asking
from sandbox.runtime.bases import EXCEPTIONS
from sandbox.runtime.class_statement import ClassStatement
from sandbox.runtime.context import Context
from sandbox.runtime.event_loop import EventLoop, new_event_loop
from sandbox.runtime.faces import Faces
from sandbox.runtime.faces.content import is_content
from sandbox.runtime.faces.files import Files, Opener
from sandbox.runtime.faces.own_kinds import OwnKinds
from sandbox.runtime.faces.replacements import Replacements
from sandbox.runtime.faces.shared import shared_faces
from sandbox.runtime.failures import ToolError
from sandbox.runtime.generics import look_for_nothing
from sandbox.runtime.guards import RUN_WRITABLE, WRITABLE, Guards
from sandbox.runtime.importing import ImportStatement
from sandbox.runtime.output import Channel, Output, Printer, Stream
from sandbox.runtime.ownership import Ownership
from sandbox.runtime.reflection import Reflection
from sandbox.runtime.run import Modules, Run
from sandbox.runtime.safe_type import SafeType, offer
from sandbox.runtime.typed_arguments import TypedArguments
from sandbox.values import to_json

BODY = "body!"
"""Where compiled code leaves the function that a file in the body form becomes."""

Ending = dict[str, Any]

_NO_OBJECTS: Mapping[str, Any] = types.MappingProxyType({})


class Namespace:
    """What a script finds around it, and *objects* beside it; made ahead, and begun anew for each run."""

    def __init__(
        self,
        objects: Mapping[str, Any] = _NO_OBJECTS,
        new_loop: Callable[[], asyncio.AbstractEventLoop] = new_event_loop,
        own: Ownership | None = None,
        *,
        shares_process: bool = False,
    ) -> None:
        """*shares_process* says that the process goes on after the run, with work of its own."""
        self._new_loop = new_loop
        self.run = Run(own or Ownership())
        self._loop: EventLoop | None = None
        stdout, stderr = Stream(self._output), Stream(self._output)
        self._own_kinds = OwnKinds() if shares_process else None
        guards = Guards(self.run.own, RUN_WRITABLE if shares_process else WRITABLE)
        reflection = Reflection(self.run.own, guards)
        asking = Asking(lambda: self.run.channel)
        files = Files(asking)
        context = Context(self.run, asking, files)
        table = Replacements(self.run, asking, stdout, stderr, self.event_loop).table(reflection)
        if shares_process:
            table |= shared_faces(self.run.own)
        table["scriptool"] = {"ctx": context, "ToolError": ToolError, "args": {}}
        self.faces = Faces(table, self._names_of_run, shares_process=shares_process)
        self._builtins: dict[str, Any] = {name: getattr(builtins, name) for name in BUILTINS}
        self._builtins |= {cls.__name__: cls for cls in EXCEPTIONS if cls.__name__ in dir(builtins)}
        self._import = ImportStatement(self.run, self.faces, self._builtins)
        self._builtins |= guards.bindings() | reflection.builtins()
        self._builtins |= {
            "__build_class__": ClassStatement(self.run.own),
            "__import__": self._import.load,
            "ctx": context,
            "open": Opener(files).open,
            "print": Printer(stdout).print,
            "ToolError": ToolError,
            "type": SafeType,
        }
        for value in self._builtins.values():
            offer(value)
        self._builtins |= objects

    def _names_of_run(self, module: str) -> Mapping[str, Any]:
        return self._own_kinds.names(module) if self._own_kinds is not None else _NO_OBJECTS

    def event_loop(self) -> EventLoop:
        """Give the loop of this namespace, made when it is first asked for."""
        if self._loop is None:
            self._loop = EventLoop(self.run.warn, self._new_loop)
        return self._loop

    def wake(self) -> None:
        """End a wait of the script's loop, from another thread."""
        if self._loop is not None:
            self._loop.wake()

    def close(self) -> None:
        """Give back what the process must not keep after the run."""
        if self._loop is not None:
            self._loop.close()

    def begin(self, modules: Modules, name: str, channel: Channel, limits: Limits) -> None:
        """Belong to a run of *modules*, forgetting an earlier one."""
        self.run.begin(modules, name, channel, limits)
        self._import.begin()
        look_for_nothing()
        zones.take_plain_names()
        if self._own_kinds is not None:
            self.run.own.classes.update(self._own_kinds.kinds())

    def ending(self, outline: Mapping[str, Any], args: dict[str, Any]) -> Ending:
        """Run the script that was begun, and tell how it ended."""
        with enums.checked_for(self.run.own):  # to the end: code of the script runs too while its error is told
            return self._ending(outline, args)

    def _ending(self, outline: Mapping[str, Any], args: dict[str, Any]) -> Ending:
        try:
            with decimal.localcontext(decimal.Context()):
                if self._own_kinds is not None:
                    decimal.setcontext(self._own_kinds.context())  # its copies are the script's too
                value = self._value(outline, args)
                ending: Ending = {"ok": True, "value": _result(value)}
                if is_content(value):
                    self.run.channel.tell("content", None)
        except _Unserializable as refusal:
            ending = {"ok": False, "error": refusal.fault.to_json()}
        except BaseException as error:
            ending = {"ok": False, "error": self._error(error)}
        ending["warnings"] = self.run.output.finish() + self.run.warnings
        return ending

    def _value(self, outline: Mapping[str, Any], args: dict[str, Any]) -> Any:
        code, _ = self.run.modules[""]
        namespace: dict[str, Any] = {
            "__builtins__": self._builtins,
            "__name__": "script",
            "__file__": self.run.name,
            "__doc__": None,
            "args": args,
        }
        self.run.own.add_namespace(namespace)
        self.faces.face("scriptool").__dict__["args"] = args
        if code.co_flags & inspect.CO_COROUTINE:
            return self.event_loop().run(_awaited(code, namespace, lambda: _call(outline, namespace, args)))
        exec(code, namespace)
        value = _call(outline, namespace, args)
        return self.event_loop().run(value) if type(value) is types.CoroutineType else value

    def _error(self, error: BaseException) -> dict[str, Any]:
        """Tell of *error*; the memory of the script is let go before, for there may be none left to tell with."""
        if type(error) is MemoryError:
            traceback.clear_frames(error.__traceback__)
        try:
            told: dict[str, Any] = to_json(self.run.report.error(error, self.run.limits))
            return told
        except MemoryError:
            limit = self.run.limits.memory_mb
            return {"code": "memory_limit", "message": "The script ran out of memory", "limit": limit}
        except BaseException:  # in telling, code of the script may run, and nothing may come out of it
            return {"code": "script_runtime_error", "message": "The script failed with an error that cannot be told."}

    def _output(self) -> Output:
        return self.run.output


def execute(
    modules: Modules, outline: Mapping[str, Any], name: str, args: dict[str, Any], channel: Channel, limits: Limits
) -> Ending:
    """Run a script and give `{ok, value, warnings}` or `{ok, error, warnings}`, both JSON.

    *modules* has the main file under "" and helpers by their dotted names; *name* is the file the script is shown as.
    Never raises for anything the script does.
    """
    if _ready is not None:
        _ready.begin(modules, name, channel, limits)
        return _ready.ending(outline, args)
    with contextlib.closing(Namespace()) as namespace:
        namespace.begin(modules, name, channel, limits)
        return namespace.ending(outline, args)


def warm() -> None:
    """Read and make, once in a process whose children each run one script, everything a run may need."""
    global _ready
    warm_up.touch()
    _ready = Namespace()
    _ready.faces.make_all()
    _ready.event_loop()


_ready: Namespace | None = None
"""Where `warm` was called: one namespace for all runs of the process, of which only the last is not ours."""


class _Unserializable(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def _result(value: Any) -> Any:
    try:
        return to_json(value)
    except Fault as fault:
        raise _Unserializable(fault) from None


async def _awaited(code: types.CodeType, namespace: dict[str, Any], call: Callable[[], Any]) -> Any:
    """Run a module that awaits at its top level, then *call* its main on the same loop."""
    await eval(code, namespace)
    value = call()
    return await value if type(value) is types.CoroutineType else value


def _call(outline: Mapping[str, Any], namespace: dict[str, Any], args: dict[str, Any]) -> Any:
    if outline["form"] == "body":
        return namespace[BODY]()
    if outline["form"] == "none":
        return None
    main = namespace["main"]
    if outline["takes_args"]:
        return main(args)
    positional, named = TypedArguments(outline["classes"], namespace).bind(outline["parameters"], args)
    return main(*positional, **named)
