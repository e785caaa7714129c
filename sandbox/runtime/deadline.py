"""Deadline: the time a script has in a process that goes on after it, and how it is ended when that is over."""

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sandbox.runtime.halt import Halt, OutOfTime
from sandbox.runtime.namespace import Ending, Namespace

_LOOK_SECONDS = 0.05
"""How often it is seen whether a script must stop, and one that must is stopped once more."""


class Deadline:
    """Raises OutOfTime in the thread that made it once *seconds* have passed, and again while the script goes on.

    It does so before that when *stopped* says so. From then on *halt* lets no step of the script's own code succeed,
    whatever it catches. *wake* ends what it may be waiting in; a call into C is not ended.
    """

    def __init__(self, seconds: float, stopped: Callable[[], bool], wake: Callable[[], None], halt: Halt) -> None:
        self.passed = False
        self._end = time.monotonic() + seconds
        self._stopped = stopped
        self._wake = wake
        self._halt = halt
        self._thread = threading.get_ident()
        self._over = threading.Event()
        self._raising = threading.Lock()
        self._asides = 0
        self._watcher = threading.Thread(target=self._watch, name="script deadline", daemon=True)
        self._watcher.start()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Raise nothing while this thread does what is not the script's, though it does so in the middle of it."""
        with self._raising:
            self._asides += 1
        try:
            yield
        finally:
            with self._raising:
                self._asides -= 1

    def stop(self) -> None:
        """Raise nothing any more, also nothing that is on its way."""
        with self._raising:
            self._over.set()
        self._watcher.join()  # an error that arrives in here may end it too early, after which nothing is raised
        if self.passed:
            self._take_back()

    def _take_back(self) -> None:
        """Raise once more and catch it, so that nothing is on its way any more.

        Python can withdraw an error instead, but then looks for one at every step of every thread from then on.
        """
        try:
            _raise_in(self._thread, OutOfTime)
            while True:  # it is raised at the end of a round at the latest
                pass
        except OutOfTime:
            pass

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_SECONDS if self.passed else min(_LOOK_SECONDS, self._left())):
            with self._raising:
                if not self._over.is_set() and (self.passed or self._left() == 0 or self._stopped()):
                    self._end_script()

    def _end_script(self) -> None:
        if not self.passed:
            self.passed = True
            self._halt.begin()
        if not self._asides and self._is_running():
            _raise_in(self._thread, OutOfTime)
            self._wake()

    def _left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def _is_running(self) -> bool:
        """Say whether the thread is inside the script: behind it, nothing may be raised that would not be caught."""
        frame = sys._current_frames().get(self._thread)
        while frame is not None and frame.f_code is not Namespace.ending.__code__:
            frame = frame.f_back
        return frame is not None


def timed(run: Callable[[], Ending], deadline: Deadline) -> Ending | None:
    """Give how *run*, which must lead to `Namespace.ending`, ends; None if the *deadline* stopped it.

    The deadline is stopped whatever happens: it would end what runs on this thread next.
    """
    ending: Ending | None = None
    failure: BaseException | None = None
    begun = False
    while True:
        # What the deadline raises may arrive anywhere in here, also a moment late; but once only after the run has
        # ended, so a second round gets through.
        try:
            if not begun:
                begun = True
                ending = run()
            deadline.stop()
            break
        except OutOfTime:
            continue
        except BaseException as error:
            failure = error
    if failure is not None:
        raise failure
    return None if deadline.passed else ending


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Have *error* raised in a thread at its next bytecode, instead of one that is on its way."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
