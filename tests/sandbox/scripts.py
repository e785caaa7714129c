"""Run a script in this process: compiler and namespace, without the walls around them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.errors import Fault
from sandbox.language import compiler
from sandbox.limits import Limits
from sandbox.runtime import namespace


@dataclass(frozen=True)
class Ran:
    """How a script ended, and what it told on the way."""

    ending: dict[str, Any]
    told: list[tuple[str, Any]]

    @property
    def value(self) -> Any:
        """What it returned."""
        assert self.ending["ok"], self.ending
        return self.ending["value"]

    @property
    def error(self) -> dict[str, Any]:
        """The error JSON it ended with."""
        assert not self.ending["ok"], self.ending
        error: dict[str, Any] = self.ending["error"]
        return error

    @property
    def printed(self) -> str:
        """All it printed."""
        return "".join(payload for kind, payload in self.told if kind == "print")


class Recorder:
    """A channel that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def tell(self, kind: str, payload: Any) -> None:
        """Keep it."""
        self.told.append((kind, payload))

    def ask(self, name: str, payload: Any) -> Any:
        """Nothing is granted here."""
        raise Fault(
            "permission_denied", f"{name} is not granted", hint="Grant it.", permission=name, value=json.dumps(payload)
        )

    async def async_ask(self, name: str, payload: Any) -> Any:
        """Nothing is granted here."""
        return self.ask(name, payload)


def run(
    text: str | bytes,
    args: Mapping[str, Any] | None = None,
    helpers: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    name: str = "script.py",
) -> Ran:
    """Compile and run *text*, with *helpers* by module name. Raises Refused."""
    compiled = {"": compiler.compile_module(text if isinstance(text, bytes) else text.encode())}
    for module, source in (helpers or {}).items():
        compiled[module] = compiler.compile_module(source.encode(), helper=True, filename=f"<{module}>")
    recorder = Recorder()
    modules = {module: (one.code, one.lines) for module, one in compiled.items()}
    ending = namespace.execute(modules, compiled[""].outline, name, dict(args or {}), recorder, limits or Limits())
    return Ran(ending, recorder.told)
