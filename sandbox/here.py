"""Here: a script run in this very process, on the calling thread, under the policy but behind no wall.

For applications that let scripts at objects of theirs. The text is compiled from source again: bytes that a child made
are never opened in this process.
"""

import asyncio
import contextvars
import functools
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import closing, contextmanager
from typing import Any

from sandbox import values
from sandbox.errors import Fault
from sandbox.language import compiler
from sandbox.limits import Limits
from sandbox.process import child_fault
from sandbox.process.execution import Outcome, Tell
from sandbox.process.program import MAIN, Program, module_digest, program_digest
from sandbox.process.worker import WorkerLost
from sandbox.runtime import additions, caches, enums
from sandbox.runtime.deadline import Deadline, timed
from sandbox.runtime.halt import Halt
from sandbox.runtime.namespace import Ending, Namespace
from sandbox.runtime.ownership import Ownership, running
from sandbox.runtime.remains import end_functions

Answers = Callable[[str, Any], "Future[Any]"]
"""Takes what a script asks by name, from any thread; the future has the answer, or the Fault that the script sees."""

_WAIT_SECONDS = 0.01
"""How often a script that waits for an answer lets its thread do something else."""

_COLLECT_SECONDS = 1.0
"""How often memory is looked through while a script waits."""

_COLLECT_SHARE = 10
"""How many times as long as that took nothing of it is done after it."""

_KIBIBYTE = 1 << 10


def _nothing() -> None:
    """Do nothing while a script waits."""


def _never() -> bool:
    """Let a script go on until its time is over."""
    return False


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
    idle: Callable[[], object] = _nothing,
    stopped: Callable[[], bool] = _never,
) -> Outcome:
    """Run the script whose texts *files* are ("" is the main file, helpers go by dotted name) and give its outcome.

    *accepted* is what a child made of these texts: what no child accepted is not compiled here. The script finds
    *objects* under their names, like builtins; it may call their methods, not set their attributes. Its memory is not
    bounded, and only Python code can be ended in time.

    *tell* and *ask* are called on this thread; so is *idle*, again and again while the script waits for an answer.
    *stopped*, called on another, says whether the script must end at once.

    Raises: Fault for what the script or a limit made of it.
    """
    _check_accepted(accepted, files)
    additions.add(accepted.added)
    compiled = {module: _compiled(module, text) for module, text in files.items()}
    own = Ownership()
    halt = Halt(own, [one.code for one in compiled.values()])
    channel = _Channel(tell, ask, idle)
    with _nothing_left(own, halt):
        ending = _ending(compiled, name, args, objects, limits, channel, stopped, own, halt)
    if ending is None:
        raise _time_out(limits)
    if not ending["ok"]:
        raise _failure(ending["error"], channel.answered)
    return _outcome(_plain(ending), limits)


def _ending(
    compiled: Mapping[str, compiler.Compiled],
    name: str,
    args: Mapping[str, Any],
    objects: Mapping[str, Any],
    limits: Limits,
    channel: "_Channel",
    stopped: Callable[[], bool],
    own: Ownership,
    halt: Halt,
) -> Ending | None:
    """Run the script to its end, from which on *halt* holds; give None if its time was over before."""
    namespace = Namespace(objects, asyncio.SelectorEventLoop, own, shares_process=True)
    namespace.begin({module: (one.code, one.lines) for module, one in compiled.items()}, name, channel, limits)
    # A script has a loop of its own, also where this thread is in the middle of a callback of the application's.
    with closing(namespace), _thread_of(None, (None, None), own), caches.guarded(), enums.checked_for(own):
        deadline = Deadline(limits.seconds, stopped, namespace.wake, halt)
        channel.deadline = deadline
        # A context of its own: asyncio hands contexts out, and the application may keep in its own what is not shown.
        context = contextvars.Context()
        try:
            return timed(lambda: context.run(namespace.ending, compiled[MAIN].outline, dict(args)), deadline)
        finally:
            halt.begin()
            channel.deadline = None  # which leads to all that was around the script


@contextmanager
def _nothing_left(own: Ownership, halt: Halt) -> Iterator[None]:
    """Free what the script made, running none of its code: else its destructors would run when the application's
    memory is next looked through, on whatever thread that is. Until then that is done on this one alone.

    Only what is new needs to be looked through; all that the application has besides is set aside meanwhile.
    """
    collects = gc.isenabled()
    gc.disable()
    sets_aside = not gc.get_freeze_count()  # the application may have done so for itself
    if sets_aside:
        gc.freeze()
    try:
        yield
    finally:
        own.let_go()
        gc.collect()
        end_functions(own)
        halt.end()
        if sets_aside:
            gc.unfreeze()
        if collects:
            gc.enable()


def _check_accepted(accepted: Program, files: Mapping[str, bytes]) -> None:
    digests = [(module, module_digest(module, text, accepted.added)) for module, text in files.items()]
    if MAIN not in files or program_digest(digests) != accepted.digest:
        raise ValueError("these texts are not the ones a child accepted")


@functools.lru_cache(maxsize=256)
def _compiled(module: str, text: bytes) -> compiler.Compiled:
    filename = "<script>" if module == MAIN else f"<{module}>"
    return compiler.compile_module(text, helper=module != MAIN, filename=filename, shares_process=True)


_Hooks = tuple[Any, Any]


@contextmanager
def _thread_of(loop: asyncio.AbstractEventLoop | None, hooks: _Hooks, own: Ownership | None) -> Iterator[None]:
    """Let what runs on this thread find its own *loop* running, *hooks* for asynchronous generators, and script.

    A script's end may come anywhere, also where the library was about to put back what it had set for the thread.
    """
    before = _thread()
    _set_thread(loop, hooks, own)
    try:
        yield
    finally:
        _set_thread(*before)


def _thread() -> tuple[asyncio.AbstractEventLoop | None, _Hooks, Ownership | None]:
    return asyncio._get_running_loop(), sys.get_asyncgen_hooks(), running.own


def _set_thread(loop: asyncio.AbstractEventLoop | None, hooks: _Hooks, own: Ownership | None) -> None:
    asyncio._set_running_loop(loop)
    sys.set_asyncgen_hooks(*hooks)
    running.own = own


def _time_out(limits: Limits) -> Fault:
    return Fault(
        "timeout",
        f"The script ran longer than {limits.seconds:g} seconds on the application's main thread and was ended.",
        hint="Let it do less in one call, or raise `limits.seconds` in its definition.",
        limit="seconds",
        allowed=limits.seconds,
    )


def _plain(value: Any) -> Any:
    """Give *value* as JSON would arrive from another process: an object of a script's class in it would run its code.

    A text of such a class could answer a check of the server's and then say something else.
    """
    return json.loads(values.dumps(value))


def _failure(error: dict[str, Any], answered: Mapping[str, Fault]) -> Fault:
    """Give what a script says of its failure as far as it is its to say, by the rules for a child of the sandbox."""
    try:
        return child_fault.read(values.dumps(error), answered)
    except WorkerLost:
        return Fault("script_runtime_error", "The script failed with an error that cannot be told.")


def _outcome(ending: Ending, limits: Limits) -> Outcome:
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
    """How a script in this process reaches the server. Made on its thread before it begins."""

    def __init__(self, tell: Tell, ask: Answers, idle: Callable[[], object]) -> None:
        self._tell = tell
        self._ask = ask
        self._idle = idle
        self._thread = _thread()
        self._context = contextvars.copy_context()
        self._collects_at = time.monotonic() + _COLLECT_SECONDS
        self.deadline: Deadline | None = None
        self.answered: dict[str, Fault] = {}
        """The faults that the server answered with, by their codes."""

    def tell(self, kind: str, payload: Any) -> None:
        """Tell the server something, one-way."""
        self._tell(kind, _plain(payload))

    def ask(self, name: str, payload: Any) -> Any:
        """Ask, and wait for the answer. Raises Fault."""
        answer = self._ask(name, _plain(payload))
        while not wait([answer], _WAIT_SECONDS).done:
            self._do_other_work()
        return self._given(answer)

    async def async_ask(self, name: str, payload: Any) -> Any:
        """Ask, and let other tasks of the script run until the answer comes. Raises Fault."""
        answer = self._ask(name, _plain(payload))
        while not answer.done():
            await asyncio.wait([asyncio.wrap_future(answer)], timeout=_WAIT_SECONDS)
            self._do_other_work()
        return self._given(answer)

    def _do_other_work(self) -> None:
        """Let the thread do what waits for it, which finds it as it was before the script, and is not ended with it."""
        assert self.deadline is not None, "a script asks once it runs"
        begun = time.monotonic()
        if begun > self._collects_at:
            gc.collect()  # nobody else does meanwhile; what there is of the script is freed as its own doing
            now = time.monotonic()
            self._collects_at = now + max(_COLLECT_SECONDS, _COLLECT_SHARE * (now - begun))
        with self.deadline.aside(), _thread_of(*self._thread):
            self._context.run(self._idle)

    def _given(self, answer: "Future[Any]") -> Any:
        fault = answer.exception()
        if isinstance(fault, Fault):
            # Another one than what is raised, which takes the frames of the script along.
            kept = self.answered[fault.code] = Fault(fault.code, fault.message, hint=fault.hint)
            kept.details = fault.details
        return answer.result()
