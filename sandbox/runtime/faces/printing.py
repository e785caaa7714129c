"""`pprint` for scripts: the library's functions write to the stdout of their process, these to the script's."""

from pprint import PrettyPrinter, pformat
from typing import Any

from sandbox.runtime.output import Stream


class PrettyPrinting:
    """The printing parts of that module, writing to *stdout* unless told otherwise."""

    def __init__(self, stdout: Stream) -> None:
        self._stdout = stdout

    def __repr__(self) -> str:
        return "<pprint>"

    def names(self) -> dict[str, Any]:
        """Give them by name."""
        return {"pprint": self.pprint, "pp": self.pp, "PrettyPrinter": self.printer}

    def pprint(self, object: Any, stream: Any = None, *rest: Any, **options: Any) -> None:
        """`pprint.pprint`."""
        (stream or self._stdout).write(pformat(object, *rest, **options) + "\n")

    def pp(self, object: Any, *rest: Any, sort_dicts: bool = False, **options: Any) -> None:
        """`pprint.pp`: keeps dicts in their own order."""
        self.pprint(object, *rest, sort_dicts=sort_dicts, **options)

    def printer(self, *rest: Any, **options: Any) -> PrettyPrinter:
        """`pprint.PrettyPrinter`."""
        if len(rest) < 4:
            options.setdefault("stream", self._stdout)
        return PrettyPrinter(*rest, **options)
