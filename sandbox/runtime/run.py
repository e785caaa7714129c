"""What belongs to one run of a script; guards and faces ask it, so that they themselves can be made ahead."""

from collections.abc import Mapping
from types import CodeType
from typing import Any

from sandbox.limits import Limits
from sandbox.runtime.cut import cut
from sandbox.runtime.output import Channel, Output
from sandbox.runtime.ownership import Ownership
from sandbox.runtime.report import Report, Source

Modules = Mapping[str, tuple[CodeType, list[str]]]
"""The texts of a script: "" is the main file, `lib.geometry` a helper; code and decoded lines of each."""

_MAX_WARNINGS = 20
_MAX_WARNING = 1000
"""Characters of one warning."""


class Run:
    """The state of one run; `begin` makes it anew, so that one namespace can serve a rehearsal and the call."""

    output: Output
    channel: Channel
    report: Report
    limits: Limits

    def __init__(self, own: Ownership) -> None:
        self.own = own
        self.name = ""
        self.modules: Modules = {}
        self.warnings: list[str] = []

    def begin(self, modules: Modules, name: str, channel: Channel, limits: Limits) -> None:
        """Belong to a run of *modules*, whose main file is shown as *name*."""
        self.own.forget()
        self.name = name
        self.modules = modules
        self.channel = channel
        self.limits = limits
        self.output = Output(channel, limits.output_kb)
        self.warnings = []
        self.report = Report(
            {code.co_filename: Source(self.shown(module), lines) for module, (code, lines) in modules.items()}
        )

    def shown(self, module: str) -> str:
        """Give the file that *module* is shown as in errors and `__file__`."""
        return module.replace(".", "/") + ".py" if module else self.name

    def warn(self, text: str) -> None:
        """Put *text* among the warnings that come with the result."""
        if len(self.warnings) < _MAX_WARNINGS:
            text = text.encode("utf-8", "backslashreplace").decode()
            self.warnings.append(cut(text, _MAX_WARNING))

    def tell(self, kind: str, payload: dict[str, Any], size: int) -> None:
        """Tell the parent something of *size* bytes, within what the run may output."""
        if self.output.spend(size):
            self.channel.tell(kind, payload)
