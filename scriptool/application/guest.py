"""Guest: a script on the main thread of the application that serves it, among the objects that are shown to it."""

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final

from sandbox import Limits, Outcome, Program
from sandbox.here import run_here
from scriptool.call import Context
from scriptool.host import Host

GRACE_SECONDS: Final = 2.0
"""How long a script may take to end once its time is over, before its call is answered without waiting for it."""


class Guests:
    """Runs scripts on the main thread of *host*; lives as long as the server.

    There is no process around them: see `sandbox.here`.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

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
        loop = asyncio.get_running_loop()
        over = threading.Event()

        def tell(kind: str, payload: Any) -> None:
            with suppress(RuntimeError):  # the server closed, and nobody listens any more
                loop.call_soon_threadsafe(context.tell, kind, payload)

        def ask(what: str, payload: Any) -> "Future[Any]":
            return asyncio.run_coroutine_threadsafe(context.ask(what, payload), loop)

        def run() -> Outcome:
            return run_here(
                accepted,
                files,
                name,
                args,
                self._host.objects_for_scripts,
                limits=limits,
                tell=tell,
                ask=ask,
                # What it asks for may itself need the main thread.
                idle=self._host.main_thread.go_on,
                stopped=over.is_set,
            )

        try:
            outcome: Outcome = await self._host.run_on_main(run, limits.seconds, grace=GRACE_SECONDS)
            return outcome
        finally:
            over.set()
