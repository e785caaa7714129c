"""Attachment: what the server does with the application it serves from, or with itself where there is none."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, Protocol

from sandbox import Fault, Limits, Outcome, Program
from scriptool.call import Context
from scriptool.host import Answer, Answering, Request
from scriptool.objects.mainthread import NotPumped, StillRunning

log = logging.getLogger("scriptool.application.attachment")

_CANCELLED: Final = "the call was cancelled"

UNDO_SECONDS: Final = 30.0
"""How long an application may take to open an undo group."""

_PUMP: Final = "Call host.pump() from the application's loop or a timer, many times a second."


class MainThreadScripts(Protocol):
    """Runs scripts on the main thread of an application in this process."""

    async def run(
        self,
        accepted: Program,
        files: Mapping[str, bytes],
        name: str,
        args: Mapping[str, Any],
        limits: Limits,
        context: Context,
    ) -> Outcome:
        """Run a script that a child accepted, from its texts. Raises Fault, NotPumped, StillRunning."""


class Attachment:
    """The way to a *host*; lives as long as the server. What the host is late with becomes a Fault.

    *application* says whether there is one; without, `mainThread` changes nothing. *scripts* runs the scripts that ask
    for its main thread; None where the application did not allow that.
    """

    def __init__(self, host: Answering, *, application: bool = False, scripts: MainThreadScripts | None = None) -> None:
        self._host = host
        self._scripts = scripts
        self.application = application
        self._closing: set[asyncio.Task[Answer]] = set()

    async def read(self, reads: Sequence[Request], seconds: float) -> Answer:
        """Give the entry of each read by its id.

        Raises: Fault `timeout`.
        """
        answer = await self._ask({"do": "read", "reads": list(reads)}, seconds)
        entries: Answer = answer["reads"]
        return entries

    @asynccontextmanager
    async def undo(self, title: str) -> AsyncIterator[None]:
        """Open an undo group of the host around a block, and close it however the block ends.

        Raises: Fault `timeout` if it cannot be opened in time.
        """
        group = secrets.token_hex(8)
        failure: str | None = _CANCELLED
        try:
            _check_changed(await self._ask({"do": "open_undo", "group": group, "title": title}, UNDO_SECONDS), "open")
            yield
            failure = None
        except Exception as error:
            failure = str(error)
            raise
        finally:
            # Also where opening it failed: it may have been too late, not in vain. A cancelled call does not wait.
            request = {"do": "close_undo", "group": group, "error": failure}
            closing = asyncio.create_task(self._ask(request, UNDO_SECONDS))
            self._closing.add(closing)
            closing.add_done_callback(self._closed)
            if failure is not _CANCELLED:
                await asyncio.wait([closing])
        _check_changed(closing.result(), "close")

    async def run(
        self,
        accepted: Program,
        files: Mapping[str, bytes],
        name: str,
        args: Mapping[str, Any],
        limits: Limits,
        context: Context,
    ) -> Outcome:
        """Run a script on the application's main thread; *accepted* is what a child made of its *files*.

        Raises: Fault `sandbox_unavailable` where that is not allowed, `timeout`, and what the script made of it.
        """
        if self._scripts is None:
            message = "This script runs on the application's main thread, which the application does not allow."
            hint = "Serve with main_thread_scripts=True, or say mainThread: false in the definition."
            raise Fault("sandbox_unavailable", message, hint=hint, missing=["main_thread_scripts"])
        with _lateness(limits.seconds):
            return await self._scripts.run(accepted, files, name, args, limits, context)

    def _closed(self, closing: "asyncio.Task[Answer]") -> None:
        self._closing.discard(closing)
        if not closing.cancelled() and closing.exception() is not None:
            log.warning("an undo group will be closed when the application pumps again: %s", closing.exception())

    async def _ask(self, request: Request, seconds: float) -> Answer:
        with _lateness(seconds):
            return await self._host.ask(request, seconds)


def _check_changed(answer: Answer, verb: str) -> None:
    """Let the answer to a request about an undo group pass, unless it tells of a failure."""
    if "error" in answer:
        raise Fault("tool_error", f"The application could not {verb} the undo group: {answer['error']}", details={})


@contextmanager
def _lateness(seconds: float) -> Iterator[None]:
    """Tell an application that does not pump from one whose work takes long."""
    try:
        yield
    except NotPumped:
        message = f"The application did not get to this call within {seconds:g} seconds."
        hint = f"Its main thread is busy or does not pump. {_PUMP}"
        raise Fault("timeout", message, hint=hint, limit="seconds", allowed=seconds, waited_for="pump") from None
    except StillRunning:
        message = f"The application began with this call and was not done within {seconds:g} seconds."
        hint = "What it does there cannot be stopped from outside; ask for less, or raise `limits.seconds`."
        raise Fault("timeout", message, hint=hint, limit="seconds", allowed=seconds, waited_for="host") from None
