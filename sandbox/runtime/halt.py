"""Halt: from one moment on, every step of a script's code raises, so that a script which catches its own end is ended.

An error raised now and then is not enough: a loop around a `try` takes each of them and goes on. What the application
and the library do on a script's behalf is left to end in order, but for loops of the library that take errors too.
"""

import asyncio
import contextlib
import ctypes
import sys
import threading
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from sandbox.runtime.namespace import Namespace
from sandbox.runtime.ownership import Ownership

_LOOPS = (
    contextlib.ExitStack.__exit__.__code__,
    contextlib.AsyncExitStack.__aexit__.__code__,
    asyncio.BaseEventLoop._run_once.__code__,  # type: ignore[attr-defined]  # typeshed leaves private methods out
)
"""Code of the library that calls one thing after another, also after one has failed."""

_LIBRARY = sys.stdlib_module_names | {"sandbox"}

_TOOLS = (4, 3, 0, 1, 2, 5)
"""Identifiers for `sys.monitoring`, those first that it has no other use for."""


_changing = threading.Lock()
"""Held where a halt begins or ends: what they share is set by several threads."""


class OutOfTime(BaseException):
    """Ends a script that may not go on; no script can name it, and `except Exception` does not stop it."""


class Halt:
    """Makes the code of one run raise OutOfTime. Made on the thread that runs it, begun from any, ended on the first.

    Where a script waits, others may run on its thread: their halts begin and end in any order.
    """

    def __init__(self, own: Ownership, codes: Iterable[CodeType]) -> None:
        self._own = own
        self._way = _Monitoring(self, codes) if sys.version_info >= (3, 12) else _Tracing(self)
        self._begun = False

    def begin(self) -> None:
        """Let no further step succeed, and say nothing of a destructor that fails by it."""
        with _changing:
            if not self._begun:
                self._begun = True
                _silence.begin()
                self._way.begin()

    def end(self) -> None:
        """Leave the thread as it was."""
        with _changing:
            self._way.end()
            if self._begun:
                _silence.end()

    def step(self, frame: FrameType) -> None:
        """Raise the error if *frame*, which is about to go on, belongs to the run."""
        # Not by its code: another run, on another thread or further down on this one, may have the same.
        if self._own.has_namespace(frame.f_globals) or (frame.f_code in _LOOPS and self._is_for_script(frame)):
            raise OutOfTime

    def _is_for_script(self, frame: FrameType | None) -> bool:
        """Say whether *frame* is above the script's, with nothing of the application between them."""
        while frame is not None and frame.f_code is not Namespace.ending.__code__:
            module = str(frame.f_globals.get("__name__")).partition(".")[0]
            if module not in _LIBRARY and not self._own.has_namespace(frame.f_globals):
                return False
            frame = frame.f_back
        return frame is not None and frame.f_locals["self"].run.own is self._own


class _Monitoring:
    """By `sys.monitoring`, which any thread may turn on for chosen code; from Python 3.12 on."""

    def __init__(self, halt: Halt, codes: Iterable[CodeType]) -> None:
        self._halt = halt
        self._codes = [*_LOOPS, *(inner for code in codes for inner in _with_inner(code))]

    def begin(self) -> None:
        _monitor.begin(self._halt, self._codes)

    def end(self) -> None:
        _monitor.end(self._halt, self._codes)


class _Monitor:
    """What is monitored, for all halts of the process: there are six identifiers in all, for whoever wants one."""

    def __init__(self) -> None:
        self._halts: list[Halt] = []
        self._watched: dict[int, int] = {}
        """How many halts watch a code, by its id: codes of one text are equal, and events are set for each."""
        self._tool: int | None = None

    def begin(self, halt: Halt, codes: list[CodeType]) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]  # not there in Python 3.11
        if self._tool is None:
            self._tool = next((tool for tool in _TOOLS if monitoring.get_tool(tool) is None), None)
            if self._tool is None:
                return  # debuggers and profilers of the application have them all
            monitoring.use_tool_id(self._tool, "scriptool")
            for event in self._events():
                monitoring.register_callback(self._tool, event, self._step)
        self._halts.append(halt)
        for code in codes:
            self._watched[id(code)] = self._watched.get(id(code), 0) + 1
            monitoring.set_local_events(self._tool, code, sum(self._events()))

    def end(self, halt: Halt, codes: list[CodeType]) -> None:
        if halt not in self._halts:
            return
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        self._halts.remove(halt)
        for code in codes:
            self._watched[id(code)] -= 1
            if not self._watched[id(code)]:
                del self._watched[id(code)]
                monitoring.set_local_events(self._tool, code, 0)
        if not self._halts:
            for event in self._events():
                monitoring.register_callback(self._tool, event, None)
            monitoring.free_tool_id(self._tool)
            self._tool = None

    @staticmethod
    def _events() -> tuple[int, ...]:
        events: Any = sys.monitoring.events  # type: ignore[attr-defined,unused-ignore]
        return events.PY_START, events.PY_RESUME, events.LINE, events.JUMP

    def _step(self, *_where: object) -> None:
        frame = sys._getframe(1)
        for halt in self._halts:
            halt.step(frame)


_monitor = _Monitor()


class _Tracing:
    """By a trace function, set from another thread; Python 3.11.

    One that is set by `sys.settrace` is taken off as soon as it raises. One set in C is not, so this takes a function
    of Python's C interface that has the right arguments in front: `PyObject_DelItem(object, frame)`.
    """

    def __init__(self, halt: Halt) -> None:
        self._halt = halt
        self._python = ctypes.PyDLL(None)  # not `ctypes.pythonapi`, where others may have said what functions give
        self._python.PyThreadState_Get.restype = ctypes.c_void_p
        self._state = ctypes.c_void_p(self._python.PyThreadState_Get())
        self._thread = threading.get_ident()
        self._tracer = _tracers.setdefault(self._thread, _Tracer())
        self._tracer.users += 1

    def begin(self) -> None:
        self._tracer.halts.append(self._halt)
        self._python._PyEval_SetTrace(self._state, self._python.PyObject_DelItem, ctypes.py_object(self._tracer))

    def end(self) -> None:
        if self._halt in self._tracer.halts:
            self._tracer.halts.remove(self._halt)
            if not self._tracer.halts:
                sys.settrace(self._tracer.before)
        self._tracer.users -= 1
        if not self._tracer.users:
            del _tracers[self._thread]


class _Tracer:
    """What is traced on one thread, for all halts made there; *before* is what was there already."""

    def __init__(self) -> None:
        self.before = sys.gettrace()
        self.halts: list[Halt] = []
        self.users = 0

    def __delitem__(self, frame: FrameType) -> None:
        for halt in self.halts:
            halt.step(frame)


_tracers: dict[int, _Tracer] = {}


class _Silence:
    """Keeps Python from telling of what OutOfTime ended where nobody takes it, such as destructors."""

    def __init__(self) -> None:
        self._halts = 0
        self._told = sys.unraisablehook

    def begin(self) -> None:
        if not self._halts:
            self._told, sys.unraisablehook = sys.unraisablehook, self._lose
        self._halts += 1

    def end(self) -> None:
        self._halts -= 1
        if not self._halts and sys.unraisablehook == self._lose:  # the application may have set another
            sys.unraisablehook = self._told

    def _lose(self, lost: "sys.UnraisableHookArgs") -> None:
        if lost.exc_type is not OutOfTime:
            self._told(lost)


_silence = _Silence()


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _with_inner(constant)
