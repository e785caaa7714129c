"""`logging` for scripts: records become lines of the captured output. No files, no configuration, no frames."""

import sys
import time
from collections.abc import Callable
from typing import Any

from sandbox.runtime.output import Stream

LEVELS: dict[str, int] = {"NOTSET": 0, "DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
_LEVEL_NAMES = {number: name for name, number in LEVELS.items()}
_DEFAULT_FORMAT = "%(levelname)s:%(name)s:%(message)s"


def level_name(level: Any) -> Any:
    """`logging.getLevelName`: the name of a number, the number of a name."""
    if isinstance(level, str):
        return LEVELS.get(str.__str__(level), f"Level {level}")
    return _LEVEL_NAMES.get(level, f"Level {level}")


def _number(level: Any) -> int:
    if isinstance(level, str) and level.upper() in LEVELS:
        return LEVELS[level.upper()]
    if isinstance(level, int):
        return int(level)
    raise ValueError(f"Unknown level: {level!r}")


class Formatter:
    """`logging.Formatter` with `%` style; fields of the other styles read attributes."""

    def __init__(self, fmt: Any = None, datefmt: Any = None, style: str = "%", **_options: Any) -> None:
        if style != "%":
            raise ValueError("logging.Formatter has only style='%' in a script")
        self._format = str(fmt) if fmt is not None else "%(message)s"
        self._date_format = str(datefmt) if datefmt is not None else "%Y-%m-%d %H:%M:%S"

    def format(self, record: dict[str, Any]) -> str:
        """Give the line of a record."""
        moment = time.strftime(self._date_format, time.localtime(record["created"]))
        return self._format % (record | {"asctime": moment})


class NullHandler:
    """A handler that does nothing."""

    def __init__(self, level: Any = 0) -> None:
        self.level = _number(level)
        self.formatter: Any = None

    def setLevel(self, level: Any) -> None:
        """Take records of *level* and above."""
        self.level = _number(level)

    def setFormatter(self, formatter: Any) -> None:
        """Write records as *formatter* says."""
        self.formatter = formatter

    def handle(self, record: dict[str, Any]) -> None:
        """Take one record."""

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is held."""


class StreamHandler(NullHandler):
    """A handler that writes lines to a stream with a `write` method."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self.stream = stream

    def handle(self, record: dict[str, Any]) -> None:
        """Write one record."""
        if record["levelno"] >= self.level:
            line = (self.formatter or Formatter()).format(record)
            self.stream.write(line + "\n")


class Logger:
    """A logger by *name*; what has no handler of its own goes to the root's."""

    def __init__(self, logging: "Logging", name: str) -> None:
        self._logging = logging
        self.name = name
        self.level = 0
        self.propagate = True
        self.disabled = False
        self.handlers: list[Any] = []

    def setLevel(self, level: Any) -> None:
        """Log records of *level* and above."""
        self.level = _number(level)

    def getEffectiveLevel(self) -> int:
        """Give the level that counts: its own, else the root's."""
        return self.level or self._logging.root.level

    def isEnabledFor(self, level: Any) -> bool:
        """Say whether a record of *level* would be written."""
        return not self.disabled and _number(level) >= max(self.getEffectiveLevel(), self._logging.disabled_below)

    def addHandler(self, handler: Any) -> None:
        """Write records to *handler* too."""
        if handler not in self.handlers:
            self.handlers.append(handler)

    def removeHandler(self, handler: Any) -> None:
        """Write records to *handler* no more."""
        if handler in self.handlers:
            self.handlers.remove(handler)

    def hasHandlers(self) -> bool:
        """Say whether records go to a handler."""
        return bool(self.handlers or self._logging.root.handlers)

    def getChild(self, suffix: str) -> "Logger":
        """Give the logger below this one."""
        return self._logging.get_logger(suffix if self is self._logging.root else f"{self.name}.{suffix}")

    def log(self, level: Any, message: Any, *arguments: Any, exc_info: Any = None, **extra: Any) -> None:
        """Write a record of *level*; *arguments* fill the `%` fields of the message."""
        if not self.isEnabledFor(level):
            return
        text = str(message)
        if arguments:
            first = arguments[0]
            text = text % (first if len(arguments) == 1 and isinstance(first, dict) and first else arguments)
        if exc_info:
            text += "\n" + self._logging.traceback(exc_info).rstrip("\n")
        self._logging.emit(self, _number(level), text, extra.get("extra") or {})

    def debug(self, message: Any, *arguments: Any, **options: Any) -> None:
        """Write a record of level DEBUG."""
        self.log(10, message, *arguments, **options)

    def info(self, message: Any, *arguments: Any, **options: Any) -> None:
        """Write a record of level INFO."""
        self.log(20, message, *arguments, **options)

    def warning(self, message: Any, *arguments: Any, **options: Any) -> None:
        """Write a record of level WARNING."""
        self.log(30, message, *arguments, **options)

    warn = warning

    def error(self, message: Any, *arguments: Any, **options: Any) -> None:
        """Write a record of level ERROR."""
        self.log(40, message, *arguments, **options)

    def exception(self, message: Any, *arguments: Any, exc_info: Any = True, **options: Any) -> None:
        """Write a record of level ERROR with the traceback of the exception that is being handled."""
        self.log(40, message, *arguments, exc_info=exc_info, **options)

    def critical(self, message: Any, *arguments: Any, **options: Any) -> None:
        """Write a record of level CRITICAL."""
        self.log(50, message, *arguments, **options)

    fatal = critical


class Logging:
    """The module for one run: its loggers, writing to *stream*; *told* gives the traceback of an exception as text."""

    def __init__(self, stream: Stream, told: Callable[[BaseException], str]) -> None:
        self._stream = stream
        self._told = told
        self._loggers: dict[str, Logger] = {}
        self.disabled_below = 0
        self.root = Logger(self, "root")
        self.root.level = LEVELS["WARNING"]

    def __repr__(self) -> str:
        return "<logging>"

    def names(self) -> dict[str, Any]:
        """Give what the face has, by name."""
        functions = ("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log")
        return {
            **LEVELS,
            "FATAL": 50,
            "WARN": 30,
            **{name: getattr(self.root, name) for name in functions},
            "getLogger": self.get_logger,
            "getLevelName": level_name,
            "basicConfig": self.configure,
            "disable": self.disable,
            "Logger": Logger,
            "Formatter": Formatter,
            "NullHandler": NullHandler,
            "StreamHandler": lambda stream=None: StreamHandler(stream or self._stream),
        }

    def get_logger(self, name: Any = None) -> Logger:
        """`logging.getLogger`."""
        if not name or name == "root":
            return self.root
        return self._loggers.setdefault(str(name), Logger(self, str(name)))

    def configure(
        self, *, level: Any = None, format: Any = None, datefmt: Any = None, stream: Any = None, **_options: Any
    ) -> None:
        """`logging.basicConfig`."""
        if level is not None:
            self.root.setLevel(level)
        if not self.root.handlers:
            handler = StreamHandler(stream or self._stream)
            handler.setFormatter(Formatter(format or _DEFAULT_FORMAT, datefmt))
            self.root.addHandler(handler)

    def disable(self, level: Any = 50) -> None:
        """`logging.disable`: write nothing of *level* and below."""
        self.disabled_below = _number(level) + 1

    def emit(self, logger: Logger, level: int, text: str, extra: dict[str, Any]) -> None:
        """Hand a record to the handlers that want it."""
        record = {
            "name": logger.name,
            "levelno": level,
            "levelname": level_name(level),
            "message": text,
            "created": time.time(),
            **extra,
        }
        handlers = list(logger.handlers)
        if logger is not self.root and logger.propagate:
            handlers += self.root.handlers
        if not handlers and logger.propagate:
            self._stream.write(_DEFAULT_FORMAT % record + "\n")
        for handler in handlers:
            handler.handle(record)

    def traceback(self, error: Any) -> str:
        """Give the traceback of an exception, or of the one that is being handled."""
        if isinstance(error, tuple):
            error = error[1]
        if not isinstance(error, BaseException):
            error = sys.exception()
        return "NoneType: None" if error is None else self._told(error)
