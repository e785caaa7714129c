"""Here: a script run in this very process, on the calling thread, under the policy but behind no wall.

For applications that let scripts at objects of theirs. The text is compiled from source again: bytes that a child made
are never opened in this process.
"""

import asyncio
import ctypes
import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from sandbox import compiler, values
from sandbox.errors import Fault
from sandbox.execution import Outcome, Tell
from sandbox.limits import Limits
from sandbox.namespace import Ending, Namespace
from sandbox.program import MAIN, Program, module_digest, program_digest

Answers = Callable[[str, Any], "Future[Any]"]
"""Takes what a script asks by name, from any thread; the future has the answer, or the Fault that the script sees."""

_AGAIN_SECONDS = 0.05
"""After how long a script that caught its own end is stopped once more."""

_KIBIBYTE = 1 << 10


class OutOfTime(BaseException):
    """Ends a script that ran longer than it may; no script can name it, and `except Exception` does not stop it."""


def run_here(
    accepted: Program,
    files: Mapping[str, bytes],
    name: str,
    args: Mapping[str, Any],
    objects: Mapping[str, Any],
    *,
    limits: Limits,
    tell: Tell,
    ask: Answers,
) -> Outcome:
    """Run the script whose texts *files* are ("" is the main file, helpers go by dotted name) and give its outcome.

    *accepted* is what a child made of these texts: what no child accepted is not compiled here. The script finds
    *objects* under their names, like builtins; it may call their methods, not set their attributes. Its memory is not
    bounded, and only Python code can be ended in time. *tell* and *ask* are called on this thread.

    Raises: Fault for what the script or a limit made of it.
    """
    _check_accepted(accepted, files)
    compiled = {module: _compiled(module, text) for module, text in files.items()}
    namespace = Namespace(objects)
    modules = {module: (one.code, one.lines) for module, one in compiled.items()}
    namespace.begin(modules, name, _Channel(tell, ask), limits)
    try:
        with _no_loop_running(), _deadline(limits.seconds) as expired:
            ending = namespace.ending(compiled[MAIN].outline, dict(args))
    except OutOfTime:
        raise _time_out(limits) from None
    finally:
        namespace.close()
    if expired():
        raise _time_out(limits)
    return _outcome(ending, limits)


def _check_accepted(accepted: Program, files: Mapping[str, bytes]) -> None:
    digests = [(module, module_digest(module, text)) for module, text in files.items()]
    if MAIN not in files or program_digest(digests) != accepted.digest:
        raise ValueError("these texts are not the ones a child accepted")


@functools.lru_cache(maxsize=256)
def _compiled(module: str, text: bytes) -> compiler.Compiled:
    filename = "<script>" if module == MAIN else f"<{module}>"
    return compiler.compile_module(text, helper=module != MAIN, filename=filename)


@contextmanager
def _no_loop_running() -> Iterator[None]:
    """Let a script run a loop of its own, though this thread is in the middle of a callback of the application's."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(running)


@contextmanager
def _deadline(seconds: float) -> Iterator[Callable[[], bool]]:
    """Raise OutOfTime in this thread once the block has taken *seconds*, and again until it ends; tells whether."""
    thread = threading.get_ident()
    over, expired, firing = threading.Event(), threading.Event(), threading.Lock()

    def watch() -> None:
        wait = seconds
        while not over.wait(wait):
            expired.set()
            with firing:
                if not over.is_set():
                    _raise_in(thread, OutOfTime)
            wait = _AGAIN_SECONDS

    watcher = threading.Thread(target=watch, name="deadline of a script", daemon=True)
    watcher.start()
    try:
        yield expired.is_set
    finally:
        while True:
            try:
                with firing:
                    over.set()
                watcher.join()
                _raise_in(thread, None)
                break
            except OutOfTime:  # one that was on its way when the block ended
                continue


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Have *error* raised in a thread at its next bytecode; None withdraws one that was not raised yet."""
    raised = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


def _time_out(limits: Limits) -> Fault:
    return Fault(
        "timeout",
        f"The script ran longer than {limits.seconds:g} seconds on the application's main thread and was ended.",
        hint="Let it do less in one call, or raise `limits.seconds` in its definition.",
        limit="seconds",
        allowed=limits.seconds,
    )


def _outcome(ending: Ending, limits: Limits) -> Outcome:
    if not ending["ok"]:
        error = dict(ending["error"])
        raise Fault(error.pop("code"), error.pop("message"), hint=error.pop("hint", ""), **error)
    size, allowed = len(values.dumps(ending["value"])), limits.result_kb
    if size > allowed * _KIBIBYTE:
        raise Fault(
            "result_too_large",
            f"The result is {size} bytes of JSON, more than the {allowed} KB that are allowed.",
            hint="Return less, or raise `limits.result_kb` in the definition.",
            limit="result_kb",
            allowed=allowed,
            used=-(-size // _KIBIBYTE),
            size=size,
        )
    return Outcome(ending["value"], tuple(ending["warnings"]))


class _Channel:
    """How a script in this process reaches the server."""

    def __init__(self, tell: Tell, ask: Answers) -> None:
        self.tell = tell
        self._ask = ask

    def ask(self, name: str, payload: Any) -> Any:
        """Ask, and wait for the answer. Raises Fault."""
        return self._ask(name, payload).result()

    async def async_ask(self, name: str, payload: Any) -> Any:
        """Ask, and let other tasks of the script run until the answer comes. Raises Fault."""
        return await asyncio.wrap_future(self._ask(name, payload))
