"""Scripts run in this very process, among objects shown to them, as in an application that serves its own tools."""

import gc
from concurrent.futures import Future
from typing import Any

from sandbox import Fault, Limits, Outcome, Program, Sandbox
from sandbox.here import run_here

STANDARD = Limits()


class Light:
    def __init__(self) -> None:
        self.intensity = 2.0
        self._secret = "hidden"

    def set_intensity(self, value: float) -> float:
        self.intensity = value
        return value


def nobody(name: str, payload: Any) -> "Future[Any]":
    answer: Future[Any] = Future()
    answer.set_exception(Fault("permission_denied", f"no {name}", permission=name))
    return answer


async def run(
    sandbox: Sandbox, text: str, objects: dict[str, Any], limits: Limits = STANDARD, **args: Any
) -> tuple[Outcome, list[Any]]:
    """Compile and run a script among *objects*; give its outcome and what it told."""
    program = await sandbox.compile(text.encode(), "light.py")
    told: list[Any] = []
    outcome = hosted(
        program,
        text.encode(),
        objects,
        limits=limits,
        args=args,
        tell=lambda kind, payload: told.append((kind, payload)),
    )
    return outcome, told


def objects_of_scripts() -> list[Any]:
    """Give the classes that scripts defined, and what there is of them."""
    return [one for one in gc.get_objects() if "script" in (_module_of(type(one)), _module_of(one))]


def added_to(before: list[Any]) -> list[Any]:
    """Give those of them that were not there *before*."""
    known = set(map(id, before))
    return [one for one in objects_of_scripts() if id(one) not in known]


def hosted(program: Program, text: bytes, objects: dict[str, Any], **options: Any) -> Outcome:
    """Run a script on this thread, with the *options* of `run_here`, which has defaults here."""
    given: dict[str, Any] = {"args": {}, "limits": STANDARD, "tell": lambda *_: None, "ask": nobody} | options
    return run_here(program, {"": text}, "light.py", objects=objects, **given)


def _module_of(one: Any) -> Any:
    return type.__getattribute__(one, "__dict__").get("__module__") if issubclass(type(one), type) else None
