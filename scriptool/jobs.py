"""Jobs: calls that outlast the request that asked for them, to be looked after by an id."""

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final

from sandbox import Fault
from scriptool.call import Call, Listener, Result, unheard

MAX_RUNNING: Final = 256
MAX_KEPT: Final = 256
KEPT_SECONDS: Final = 3600.0
"""How many ended jobs are kept, and for how long, for those who asked for them to fetch the result."""

MAX_KEPT_BYTES: Final = 32 * 1024 * 1024
"""How much JSON their answers may be, all together; the last is kept whatever it has."""


Run = Callable[[Call, Listener], Awaitable[Result]]
"""Runs a call until it ends; the listener hears what it tells."""


@dataclass
class Job:
    """One call at work, or how it ended. *progress* is what it told last, *printed* what it printed so far, *size* what
    its answer has, in characters of JSON."""

    tool: str
    begun: float
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    progress: Any = None
    printed: list[str] = field(default_factory=list)
    result: Result | None = None
    ended: float | None = None
    size: int = 0
    task: "asyncio.Task[None] | None" = None

    @property
    def state(self) -> str:
        """Give `running`, `done` or `cancelled`."""
        if self.ended is None:
            return "running"
        return "cancelled" if self.result is None else "done"

    def to_json(self) -> dict[str, Any]:
        """Give what a caller may see: the state, the last progress, and the whole answer once there is one."""
        shown: dict[str, Any] = {"job_id": self.id, "tool": self.tool, "state": self.state, "started": self.started}
        shown["progress"] = self.progress
        return shown if self.ended is None else shown | {"answer": self.outcome().to_json()}

    def outcome(self) -> Result:
        """Give how the job ended."""
        cancelled = {"code": "cancelled", "message": "The job was cancelled."}
        lasted = round(((self.ended or self.begun) - self.begun) * 1000, 3)
        return self.result or Result(self.id, lasted, error=cancelled, output="".join(self.printed))


class Jobs:
    """All jobs of a server. An async context manager; leaving it cancels those that run."""

    def __init__(self, run: Run, clock: Callable[[], float] = time.monotonic) -> None:
        self._run = run
        self._clock = clock
        self._jobs: dict[str, Job] = {}

    async def __aenter__(self) -> "Jobs":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        running = [job.task for job in self._jobs.values() if job.task is not None and not job.task.done()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def start(self, call: Call, listener: Listener = unheard, run: Run | None = None) -> Job:
        """Run *call* in the background, with *run* if not as all others.

        Raises: Fault `overloaded` when too many run already.
        """
        self._expire()
        if sum(job.ended is None for job in self._jobs.values()) >= MAX_RUNNING:
            raise Fault("overloaded", f"{MAX_RUNNING} jobs run already.", hint="Come again later.", retry_after=1)
        job = Job(call.tool, self._clock())
        self._jobs[job.id] = job
        job.task = asyncio.create_task(self._work(job, call, listener, run or self._run), name=f"job {job.id}")
        return job

    async def finished(self, job: Job, seconds: float) -> bool:
        """Wait at most *seconds* for *job* and say whether it has ended; it runs on either way."""
        assert job.task is not None
        await asyncio.wait([job.task], timeout=seconds)
        return job.ended is not None

    def find(self, job_id: str) -> Job:
        """Give the job of that id. Raises: Fault `job_not_found`."""
        self._expire()
        job = self._jobs.get(job_id)
        if job is None:
            hint = "Ended jobs are kept for an hour, and only the last of them."
            raise Fault("job_not_found", f"There is no job {job_id[:64]!r}.", hint=hint)
        return job

    async def cancel(self, job: Job) -> None:
        """End *job*, and its process, if it runs; wait until it has ended."""
        assert job.task is not None
        job.task.cancel()
        await asyncio.wait([job.task])

    def report(self) -> dict[str, int]:
        """Give how many jobs run, and how many have ended and are kept."""
        self._expire()
        running = sum(job.ended is None for job in self._jobs.values())
        return {"running": running, "ended": len(self._jobs) - running}

    def forget(self, job: Job) -> None:
        """Keep *job* no longer."""
        self._jobs.pop(job.id, None)

    async def _work(self, job: Job, call: Call, listener: Listener, run: Run) -> None:
        def hear(kind: str, payload: Any) -> None:
            if kind == "progress":
                job.progress = payload
            elif kind == "print":
                job.printed.append(payload)
            listener(kind, payload)

        try:
            job.result = await run(call, hear)
        finally:
            job.ended = self._clock()
            job.size = len(json.dumps(job.outcome().to_json(), ensure_ascii=False, default=str))
            self._expire()

    def _expire(self) -> None:
        """Drop what ended long ago, and the oldest of what is too many."""
        ended = [job for job in self._jobs.values() if job.ended is not None]
        ended.sort(key=lambda job: job.ended or 0.0)
        since = self._clock() - KEPT_SECONDS
        left = MAX_KEPT_BYTES
        for number, job in enumerate(reversed(ended)):
            left -= job.size
            if (job.ended or 0.0) < since or number >= MAX_KEPT or (left < 0 and number):
                self.forget(job)
