"""Compilation: one text compiled in one child; a Module or a Refusal out, neither of which was opened here."""

from dataclasses import dataclass
from functools import cached_property

from sandbox import values
from sandbox.errors import Fault
from sandbox.limits import MAX_COMPILE_SECONDS, Limits
from sandbox.process import testimony
from sandbox.process.clock import Clock
from sandbox.process.frames import BLOB, COMPILED, CRASHED, REFUSED, REQUEST, OversizedFrame, encode
from sandbox.process.program import MAIN, Diagnostic, Module
from sandbox.process.worker import Worker, WorkerLost

_MEBIBYTE = 1 << 20
_CAPS = {BLOB: 32 * _MEBIBYTE, COMPILED: 8 * _MEBIBYTE, REFUSED: 4 * _MEBIBYTE, CRASHED: 1 << 14}


@dataclass(frozen=True)
class Refusal:
    """A text that is not a script under the policy, and why."""

    digest: str
    diagnostics: tuple[Diagnostic, ...]

    @cached_property
    def size(self) -> int:
        """About how many bytes it keeps in memory."""
        return 512 + 4 * len(repr(self.diagnostics))


async def compile_text(
    worker: Worker, name: str, source: bytes, digest: str, seconds: float = MAX_COMPILE_SECONDS
) -> Module | Refusal:
    """Compile *source*, the main module or the helper called *name*, in a child that was just handed out.

    Raises:
        Fault: `timeout`, `worker_lost`.
    """
    filename = "<script>" if name == MAIN else f"<{name}>"
    request = {"do": "compile", "filename": filename, "helper": name != MAIN, "limits": vars(Limits())}
    clock = Clock(seconds, lambda: worker.fail(_too_slow(seconds)))
    worker.open(encode(REQUEST, values.dumps(request)) + encode(BLOB, source), _CAPS)
    clock.start()
    try:
        kind, product = await worker.frame()
        if kind == REFUSED:
            return Refusal(digest, tuple(testimony.refusal(product)))
        kind_of_rest, payload = await worker.frame() if kind == BLOB else (kind, product)
        if kind_of_rest != COMPILED:
            raise WorkerLost(f"it crashed: {payload.decode(errors='replace')!r}")
        outline, warnings = testimony.compiled(payload)
        return Module(digest, outline, tuple(warnings), product)
    except OversizedFrame as oversized:
        raise WorkerLost(str(oversized)).to_fault() from None
    except WorkerLost as lost:
        raise lost.to_fault() from None
    finally:
        clock.stop()


def _too_slow(seconds: float) -> Fault:
    """Make the fault of a text that takes longer than *seconds* to compile."""
    return Fault(
        "timeout",
        f"Compiling the script took longer than {seconds:g} seconds and was ended.",
        hint="Split the file, or make very long expressions and literals shorter.",
        limit="seconds",
        allowed=seconds,
        used=seconds,
    )
