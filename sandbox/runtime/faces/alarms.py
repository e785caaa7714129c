"""`warnings` for scripts: a warning is told once beside the result, unless a filter of the script says otherwise."""

import builtins
from collections.abc import Callable
from typing import Any

_ACTIONS = ("default", "error", "ignore", "always", "module", "once")


class WarningMessage:
    """What `catch_warnings(record=True)` collects."""

    def __init__(self, message: Warning, category: type[Warning]) -> None:
        self.message = message
        self.category = category

    def __str__(self) -> str:
        return f"{self.category.__name__}: {self.message}"


class Alarms:
    """The module for one run; *tell* takes the text of each warning."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._filters: list[tuple[str, type[Warning]]] = []
        self._told: set[str] = set()
        self._record: list[WarningMessage] | None = None

    def __repr__(self) -> str:
        return "<warnings>"

    def names(self) -> dict[str, Any]:
        """Give what the face has, by name."""
        return {
            "warn": self.warn,
            "simplefilter": self.filter,
            "filterwarnings": self.filter,
            "resetwarnings": self.reset,
            "catch_warnings": lambda **options: _Catching(self, **options),
        }

    def warn(self, message: Any, category: Any = None, stacklevel: int = 1, **_options: Any) -> None:  # noqa: ARG002 - taken as CPython does
        """`warnings.warn`; what only chooses the place that is shown changes nothing, since no place is shown."""
        warning = message if isinstance(message, Warning) else (category or UserWarning)(message)
        if not isinstance(warning, Warning):
            raise TypeError("category must be a Warning subclass")
        told = WarningMessage(warning, type(warning))
        action = next((action for action, kind in self._filters if isinstance(warning, kind)), "default")
        if action == "error":
            raise warning
        if action == "ignore" or (action != "always" and str(told) in self._told):
            return
        self._told.add(str(told))
        if self._record is not None:
            self._record.append(told)
        else:
            self._tell(str(told))

    def filter(self, action: str, *texts: Any, category: Any = builtins.Warning, **_options: Any) -> None:
        """`warnings.simplefilter` and `filterwarnings`; texts and modules of filters are not looked at."""
        if action not in _ACTIONS:
            raise ValueError(f"invalid action: {action!r}")
        kind = next((text for text in texts if isinstance(text, type)), category)
        self._filters.insert(0, (action, kind))

    def reset(self) -> None:
        """`warnings.resetwarnings`."""
        self._filters.clear()


class _Catching:
    """`warnings.catch_warnings`: filters set in the block end with it."""

    def __init__(self, alarms: Alarms, *, record: bool = False, action: Any = None, **_options: Any) -> None:
        self._alarms = alarms
        self._recorded: list[WarningMessage] | None = [] if record else None
        self._action = action
        self._before: list[Any] = []

    def __enter__(self) -> list[WarningMessage] | None:
        alarms = self._alarms
        self._before.append((list(alarms._filters), alarms._record, set(alarms._told)))
        alarms._record = self._recorded if self._recorded is not None else alarms._record
        if self._action is not None:
            alarms.filter(self._action)
        return self._recorded

    def __exit__(self, *_error: object) -> None:
        self._alarms._filters, self._alarms._record, self._alarms._told = self._before.pop()
