"""Pool: the Sandbox. Bytes of source and JSON in, JSON or a Fault out; every compile and every run in its own child."""

import asyncio
import functools
import os
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Self

from sandbox.errors import Fault
from sandbox.limits import MAX_COMPILE_SECONDS, Limits, Spent
from sandbox.process.cache import Cache, Compiled
from sandbox.process.compilation import Refusal, compile_text
from sandbox.process.execution import Ask, Execution, Outcome, Tell
from sandbox.process.nursery import Nursery, shutting_down
from sandbox.process.places import Places
from sandbox.process.program import MAIN, Module, Program, helper_path, module_digest, program_digest
from sandbox.runtime.additions import check_additions

NO_HELPERS: Mapping[str, bytes] = MappingProxyType({})
_DEFAULT_LIMITS = Limits()
_LEAST_SECONDS = 0.001
_KIBIBYTE = 1 << 10
_MEBIBYTE = 1 << 20


def _say_nothing(_kind: str, _payload: Any) -> None:
    """Take what a script says and do nothing with it."""


async def _know_nothing(name: str, _: Any) -> Any:
    """Answer what a script asks where nobody is there to answer."""
    raise Fault("permission_denied", f"Nobody answers {name} here.", permission=name)


class Sandbox:
    """Compiles and runs scripts in confined processes; lives as long as the application, as an async context manager.

    *places* calls run at once (two per processor), *line* wait, none longer than *queue_seconds*; *live* have begun and
    not ended. *spares* is how many children wait ready at least and at most, *zygote_lifetime* how many one zygote
    makes. *weak* lets scripts run though a wall they must stay behind is missing; *without* names layers that are
    left off to see what they are worth, *imports* modules that the children hold without showing them to scripts.
    *modules* are further ones that scripts may import: what those can reach, scripts reach.
    """

    def __init__(
        self,
        *,
        places: int | None = None,
        line: int = 256,
        live: int = 64,
        queue_seconds: float = 30.0,
        spares: tuple[int, int] | None = None,
        zygote_lifetime: int = 10_000,
        cache_bytes: int = 64 * _MEBIBYTE,
        weak: bool = False,
        without: Collection[str] = (),
        imports: Collection[str] = (),
        modules: Collection[str] = (),
    ) -> None:
        check_additions(modules)
        self._modules = tuple(sorted(modules))
        size = places or 2 * (os.cpu_count() or 1)
        # Four calls in a row find a spare each; more wait ready only where the load asks for them.
        least, most = spares or (min(4, size), 2 * size)
        self._places = Places(size, line=line, alive=live, patience=queue_seconds)
        self._nursery = Nursery(
            least=least,
            most=most,
            lifetime=zygote_lifetime,
            weak=weak,
            skip=without,
            imports=imports,
            modules=self._modules,
        )
        self.cache = Cache(cache_bytes)
        self._closing = False

    async def __aenter__(self) -> Self:
        """Start the zygote and try its walls; where scripts may not run, `compile` and `run` say so."""
        try:
            await self._nursery.start()
        except BaseException:
            await self._nursery.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every process. Calls under way fail with `shutting_down`."""
        self._closing = True
        await self._nursery.close()

    def digest(self, source: bytes, helpers: Mapping[str, bytes] = NO_HELPERS) -> str:
        """Name the program of these texts, compiled or not; *helpers* go by dotted name, `lib.geometry`."""
        return program_digest(self._digests(source, helpers).items())

    def peek(
        self, source: bytes, name: str = "script.py", helpers: Mapping[str, bytes] = NO_HELPERS
    ) -> Program | Fault | None:
        """Give the program of these texts, or the fault of compiling them, as far as it is known already."""
        known = {module: self.cache.look(digest) for module, digest in self._digests(source, helpers).items()}
        compiled = {module: each for module, each in known.items() if each is not None}
        if any(isinstance(each, Refusal) for each in compiled.values()):
            return _refused(name, compiled)
        return self._linked(compiled) if len(compiled) == len(known) else None

    async def compile(
        self,
        source: bytes,
        name: str,
        helpers: Mapping[str, bytes] = NO_HELPERS,
        *,
        limits: Limits = _DEFAULT_LIMITS,
        nested: bool = False,
        spent: Spent | None = None,
    ) -> Program:
        """Give the program of *source* and its *helpers*; only texts that are not in the cache are compiled.

        *name* is the path of the main file, shown in errors. `Program.missing` tells which helpers to add. The time
        taken counts against what *spent* leaves of the limit, and is added to it; waiting for a place is not.

        Raises:
            Fault: `script_compile_error` with all `diagnostics`, `timeout`, `worker_lost`, `overloaded`,
                `sandbox_unavailable`, `shutting_down`.
        """
        digests = self._digests(source, helpers)
        compiled: dict[str, Compiled] = {}
        spent = spent or Spent()
        for module, digest in digests.items():
            text = source if module == MAIN else helpers[module]
            _check_size(name if module == MAIN else helper_path(module), text, digest, limits)
            seconds = max(min(limits.seconds, MAX_COMPILE_SECONDS) - spent.seconds, _LEAST_SECONDS)
            job = functools.partial(self._compile, name, module, text, digest, seconds, nested, spent)
            compiled[module] = await self._compiled_once(digest, job, seconds)
        if any(isinstance(each, Refusal) for each in compiled.values()):
            raise _refused(name, compiled)
        program = self._linked(compiled)
        if len(digests) > 1:
            self.cache.remember(program.digest, digests.values())
        return program

    async def run(
        self,
        program: Program,
        name: str,
        args: Mapping[str, Any],
        limits: Limits = _DEFAULT_LIMITS,
        *,
        tell: Tell = _say_nothing,
        ask: Ask = _know_nothing,
        patient: Collection[str] = (),
        spent: float = 0.0,
        nested: bool = False,
    ) -> Outcome:
        """Run *program* with *args*, which are JSON, in a child of its own.

        *tell* takes what it prints, logs and reports as it happens; *ask* answers what it asks. While it waits for an
        answer it holds no place, and for one whose name is in *patient* its clock stands still. *spent* seconds of
        its limit were used up before, by compiling. *nested* says that another running call waits for this one.
        Cancelling the caller ends the child at once.

        Raises:
            Fault: What the script, a limit or the child made of it.
        """
        self._check_open()
        place = await self._places.take(name, nested=nested)
        try:
            worker = await self._nursery.take()
            try:
                execution = Execution(worker, place, limits, tell=tell, ask=ask, patient=patient)
                outcome = await execution.run(program, name, args, spent=spent)
            except BaseException as failure:
                self._nursery.discard(worker)
                raise self._closing_fault(failure) from None
            # Only when the answer is on its way: ending a process and forking another takes longer than the call.
            asyncio.get_running_loop().call_soon(self._nursery.discard, worker)
            return outcome
        finally:
            place.leave()

    def keep(self, digests: Iterable[str]) -> None:
        """Name the programs that are in use; of all others the cache keeps only a few."""
        self.cache.keep(digests)

    def report(self) -> dict[str, Any]:
        """Give the state of walls, children and places, as JSON."""
        places = self._places
        return self._nursery.report() | {
            "workers": places.size,
            "running": places.running,
            "waiting": places.waiting,
            "live": places.begun,
            "modules": list(self._modules),
        }

    def _digests(self, source: bytes, helpers: Mapping[str, bytes]) -> dict[str, str]:
        texts = {MAIN: source} | {name: helpers[name] for name in sorted(helpers)}
        return {name: module_digest(name, text, self._modules) for name, text in texts.items()}

    def _linked(self, compiled: Mapping[str, Compiled]) -> Program:
        modules = {name: each for name, each in compiled.items() if isinstance(each, Module)}
        return Program(program_digest((name, each.digest) for name, each in modules.items()), modules, self._modules)

    async def _compiled_once(self, digest: str, job: Callable[[], Awaitable[Compiled]], seconds: float) -> Compiled:
        while True:
            try:
                return await self.cache.get(digest, job)
            except Fault as fault:
                # Whoever started the compile that this one joined may have allowed it less.
                if fault.code != "timeout" or fault.details["allowed"] >= seconds:
                    raise

    async def _compile(
        self, name: str, module: str, text: bytes, digest: str, seconds: float, nested: bool, spent: Spent
    ) -> Compiled:
        self._check_open()
        place = await self._places.take(name, nested=nested)
        try:
            worker = await self._nursery.take()
            began = time.monotonic()
            try:
                return await compile_text(worker, module, text, digest, seconds)
            except BaseException as failure:
                raise self._closing_fault(failure) from None
            finally:
                spent.seconds += time.monotonic() - began
                self._nursery.discard(worker)
        finally:
            place.leave()

    def _check_open(self) -> None:
        if self._closing:
            raise shutting_down()

    def _closing_fault(self, failure: BaseException) -> BaseException:
        """Give what a call is told that fails with *failure*: while closing, that its child is gone is our doing."""
        lost = isinstance(failure, Fault) and failure.code == "worker_lost"
        return shutting_down() if self._closing and lost else failure


def _refused(name: str, compiled: Mapping[str, Compiled]) -> Fault:
    """Make one fault of all refusals, each diagnostic with its file."""
    diagnostics = [
        {"file": name if module == MAIN else helper_path(module), **diagnostic}
        for module, refusal in compiled.items()
        if isinstance(refusal, Refusal)
        for diagnostic in refusal.diagnostics
    ]
    first = diagnostics[0]
    more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
    return Fault(
        "script_compile_error",
        f"{first['file']}:{first['line']}:{first['column']}: {first['message']}{more}",
        hint=first.get("hint") or "",
        file=name,
        digest=program_digest((module, each.digest) for module, each in compiled.items()),
        diagnostics=diagnostics,
    )


def _check_size(file: str, text: bytes, digest: str, limits: Limits) -> None:
    allowed, used = limits.source_kb, -(-len(text) // _KIBIBYTE)
    if used <= allowed:
        return
    message = f"The file is {used} KB long, more than the {allowed} KB that are allowed."
    hint = "Split it into helpers, or move data out of it."
    place = {"line": 1, "column": 1, "end_line": 1, "end_column": 1, "source": ""}
    diagnostic = {"file": file, "rule": "size", "severity": "error", "message": message, **place, "hint": hint}
    details = {"limit": "source_kb", "allowed": allowed, "used": used}
    raise Fault(
        "script_compile_error", message, hint=hint, file=file, digest=digest, diagnostics=[diagnostic], **details
    )
