"""Which names of which faces are not the library's own: the one table of replacements for a run."""

import decimal
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.runtime.asking import Asking
from sandbox.runtime.event_loop import EventLoop
from sandbox.runtime.faces import surroundings, typed
from sandbox.runtime.faces.alarms import Alarms
from sandbox.runtime.faces.calendars import CALENDAR
from sandbox.runtime.faces.concurrency import Concurrency
from sandbox.runtime.faces.copying import Copier
from sandbox.runtime.faces.functional import Functional, SingleDispatch, SingleDispatchMethod
from sandbox.runtime.faces.logs import Logging
from sandbox.runtime.faces.printing import PrettyPrinting
from sandbox.runtime.faces.records import Records
from sandbox.runtime.faces.tracebacks import Tracebacks
from sandbox.runtime.faces.web import web_faces
from sandbox.runtime.output import Redirection, Stream
from sandbox.runtime.reflection import Reflection
from sandbox.runtime.run import Run
from sandbox.runtime.wrappers import UserDict, UserList


class Replacements:
    """Makes the table for *run*; *stdout* and *stderr* are its streams, *event_loop* gives its loop, *asking* leads to
    the parent.
    """

    def __init__(
        self, run: Run, asking: Asking, stdout: Stream, stderr: Stream, event_loop: Callable[[], EventLoop]
    ) -> None:
        self._run = run
        self._asking = asking
        self._stdout = stdout
        self._stderr = stderr
        self._event_loop = event_loop

    def table(self, reflection: Reflection) -> dict[str, Mapping[str, Any]]:
        """Give the replacements by module and name."""
        return self._about_classes() | self._about_attributes(reflection) | self._about_surroundings()

    def _about_classes(self) -> dict[str, Mapping[str, Any]]:
        own = self._run.own
        copier = Copier(own)
        records = Records(own, copier)
        makers = ("dataclass", "make_dataclass", "asdict", "astuple", "fields", "replace")
        return {
            "abc": typed.ABC | {"abstractmethod": typed.Abstract(own).abstractmethod},
            "collections": {"namedtuple": records.namedtuple, "UserDict": UserDict, "UserList": UserList},
            "copy": {"copy": copier.copy, "deepcopy": copier.deepcopy},
            "dataclasses": {name: getattr(records, name) for name in makers},
            "typing": typed.TYPING,
        }

    def _about_attributes(self, reflection: Reflection) -> dict[str, Mapping[str, Any]]:
        functional = Functional(self._run.own, reflection)
        functions = ("update_wrapper", "wraps")
        return {
            "functools": {name: getattr(functional, name) for name in functions}
            | {
                "total_ordering": functional.total_ordering,
                "singledispatch": SingleDispatch,
                "singledispatchmethod": SingleDispatchMethod,
            },
            "operator": {"attrgetter": functional.attrgetter, "methodcaller": functional.methodcaller},
        }

    def _about_surroundings(self) -> dict[str, Mapping[str, Any]]:
        contexts = ("DefaultContext", "BasicContext", "ExtendedContext")
        return {
            "asyncio": Concurrency(self._event_loop, self._run.own).names(),
            "calendar": CALENDAR,
            "contextlib": {
                "redirect_stdout": lambda target: Redirection(self._stdout, target),
                "redirect_stderr": lambda target: Redirection(self._stderr, target),
            },
            "decimal": {name: getattr(decimal, name).copy() for name in contexts},
            "logging": Logging(self._stderr, lambda error: self._run.report.traceback(error)).names(),
            "os": surroundings.os_face(surroundings.Environment(self._asking, self._run.warn)),
            "os.path": surroundings.OS_PATH,
            "pathlib": surroundings.PATHLIB,
            "pprint": PrettyPrinting(self._stdout).names(),
            "sys": surroundings.SYS | {"stdout": self._stdout, "stderr": self._stderr},
            "traceback": Tracebacks(self._run, self._stderr).names(),
            "warnings": Alarms(self._run.warn).names(),
            "zoneinfo": surroundings.ZONEINFO,
        } | web_faces(self._asking)
