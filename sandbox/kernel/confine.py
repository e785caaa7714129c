"""Confine: the layers below the language, put on in order, then tried; each is reported as on or by why it is not."""

import os
import signal
from collections.abc import Callable, Collection

from sandbox.kernel import landlock, namespaces, privileges, rlimits, seccomp
from sandbox.kernel.attempts import CHILD_ATTEMPTS, ZYGOTE_ATTEMPTS, held
from sandbox.kernel.layer import LAYERS, ON, LayerMissing
from sandbox.limits import Limits

Report = dict[str, str]
"""Layer to ON, or to the reason it is not on."""


class Confinement:
    """The layers of one zygote and of its children; lives as long as the zygote.

    *skip* names layers to leave off without a word, so that the attempts have something to notice: only tests and the
    layer table of the documentation do that.
    """

    def __init__(self, skip: Collection[str] = ()) -> None:
        if unknown := set(skip) - set(LAYERS):
            raise ValueError(f"no such layer: {', '.join(sorted(unknown))}")
        self.skip = frozenset(skip)
        self.report: Report = {}
        self.warm_bytes = 0
        self._zygote = 0
        self._filter: seccomp.Filter | None = None

    def confine_zygote(self) -> None:
        """Confine this process, after its last import and before it forks any child; fills *report*.

        Where namespaces can be had this returns in a forked process, the first of its namespace, while the caller
        waits outside and holds nothing. There must be one thread only.
        """
        parent = os.getppid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # the tries below are judged by how they end
        self.warm_bytes = rlimits.address_space()
        drop_root = "uid" not in self.skip
        self._apply("namespaces", lambda: namespaces.enter(drop_root=drop_root))
        self._apply("filesystem", namespaces.empty_root)
        self._apply("uid", privileges.drop_root)
        self._apply("capabilities", privileges.drop_capabilities)
        self._apply("no_new_privs", privileges.forbid_new_privileges)
        self._apply("undumpable", privileges.forbid_dumps)
        self._apply("parent_death", lambda: privileges.die_with(0 if os.getpid() == 1 else parent))
        self._apply("landlock", landlock.restrict)
        self._apply("rlimits", rlimits.bound_all)
        self._apply("seccomp", self._build_filter)
        self._zygote = os.getpid()
        self._try_layers()
        self.report = {layer: self.report[layer] for layer in LAYERS}

    def confine_child(self) -> None:
        """Confine a forked child, warmed and before its first user byte.

        Puts on what is a child's own; raises LayerMissing rather than go on with less than the report says.
        """
        if self._is_on("parent_death"):
            privileges.die_with(self._zygote)
        if self._is_on("rlimits"):
            rlimits.bound_child()
        if self._filter:
            self._filter.load()

    def limit_call(self, limits: Limits) -> None:
        """Bound this child's processor time and memory for the call it was handed; works once confined."""
        if self._is_on("rlimits"):
            rlimits.bound_call(limits.seconds, limits.memory_mb, self.warm_bytes)

    def _is_on(self, layer: str) -> bool:
        return layer not in self.skip and self.report[layer] == ON

    def _build_filter(self) -> None:
        self._filter = seccomp.allow_list()

    def _apply(self, layer: str, put_on: Callable[[], object]) -> None:
        try:
            if layer not in self.skip:
                put_on()
        except LayerMissing as missing:
            self.report[layer] = missing.why
        else:
            self.report[layer] = ON

    def _try_layers(self) -> None:
        """Try each layer by what it alone holds; one that does not hold is not on, whatever was set."""
        holds = {layer: held(attempt) for layer, (_, attempt) in ZYGOTE_ATTEMPTS.items()}
        holds |= {layer: self._holds_in_child(layer) for layer in CHILD_ATTEMPTS}
        for layer, (what, _) in {**ZYGOTE_ATTEMPTS, **CHILD_ATTEMPTS}.items():
            if self.report[layer] == ON and not holds[layer]:
                self.report[layer] = f"{what} got through"

    def _holds_in_child(self, layer: str) -> bool:
        """Try *layer* in a child of its own, whose death by the layer counts as held, but not by its own failing."""
        child = os.fork()
        if child == 0:
            through = True
            try:
                self.confine_child()
                through = not held(CHILD_ATTEMPTS[layer][1])
            finally:
                os._exit(through)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status) <= 0
