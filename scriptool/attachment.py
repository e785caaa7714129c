"""Attachment: what the server does with the application it serves from, or with itself where there is none."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, Protocol

from sandbox import Fault
from scriptool.host import Answer, Answering, Request
from scriptool.mainthread import NotPumped, StillRunning

UNDO_SECONDS: Final = 30.0
"""How long an application may take to open an undo group."""

_PUMP: Final = "Call host.pump() from the application's loop or a timer, many times a second."


class MainThreadRunner(Protocol):
    """Runs things on an application's main thread; a `Host` of this process does."""

    async def run_on_main(self, function: Callable[[], Any], seconds: float) -> Any:
        """Have *function* called there and give what it returns. Raises NotPumped, StillRunning."""


class Attachment:
    """The way to a *host*; lives as long as the server. What the host is late with becomes a Fault.

    *main_thread* runs scripts whose definition asks for the main thread; None where scripts may not, because the
    application did not allow it (*application* is true) or because there is none and `mainThread` changes nothing.
    """

    def __init__(
        self, host: Answering, *, application: bool = False, main_thread: MainThreadRunner | None = None
    ) -> None:
        self._host = host
        self._main_thread = main_thread
        self.application = application

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
        failure: str | None = "the call was cancelled"
        try:
            await self._ask({"do": "open_undo", "group": group, "title": title}, UNDO_SECONDS)
            yield
            failure = None
        except Exception as error:
            failure = str(error)
            raise
        finally:
            # Also where opening it failed: it may have been too late, not in vain.
            close = {"do": "close_undo", "group": group, "error": failure}
            await asyncio.shield(self._ask(close, UNDO_SECONDS))

    async def run(self, function: Callable[[], Any], seconds: float) -> Any:
        """Run *function*, which runs a script, on the host's main thread.

        Raises: Fault `sandbox_unavailable` where that is not allowed, `timeout`, and what *function* raises.
        """
        if self._main_thread is None:
            message = "This tool runs on the application's main thread, which the application does not allow."
            hint = "Serve with main_thread_scripts=True, or say mainThread: false in the definition."
            raise Fault("sandbox_unavailable", message, hint=hint, missing=["main_thread_scripts"])
        with _lateness(seconds):
            return await self._main_thread.run_on_main(function, seconds)

    async def _ask(self, request: Request, seconds: float) -> Answer:
        with _lateness(seconds):
            return await self._host.ask(request, seconds)


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
