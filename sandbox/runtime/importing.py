"""What runs where a script says `import`: faces, and helpers of `lib`, each executed once a run."""

import types
from typing import Any

from sandbox.language.modules import ALIASES, NAMES
from sandbox.language.names import is_dunder
from sandbox.language.rules import MODULE_HINTS
from sandbox.runtime.faces import Faces
from sandbox.runtime.run import Run

HELPERS = "lib"


class ImportStatement:
    """The import hook of one run."""

    def __init__(self, run: Run, faces: Faces, builtins: dict[str, Any]) -> None:
        self._run = run
        self._faces = faces
        self._builtins = builtins
        self._helpers: dict[str, types.ModuleType] = {}
        self._under_way: list[str] = []

    def begin(self) -> None:
        """Forget the helpers of an earlier run."""
        self._helpers.clear()
        self._under_way.clear()

    def load(self, name: str, _globals: Any = None, _locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        """Give what `builtins.__import__` gives: the module named last if *fromlist* has names, else the first."""
        if type(fromlist) is list and not fromlist:
            return None  # C code asks on its own behalf, and takes the module from sys.modules afterwards
        if level:
            raise ImportError("relative imports are not available; write `from lib.NAME import ...`")
        names = fromlist or ()
        if name.partition(".")[0] == HELPERS:
            return self._load_helper(name, names)
        module = ALIASES.get(name, name)
        if module not in NAMES:
            hint = MODULE_HINTS.get(name) or MODULE_HINTS.get(name.partition(".")[0], "")
            raise ModuleNotFoundError(f"the module {name} is not available in a script. {hint}".rstrip(), name=name)
        face = self._faces.face(module)
        for wanted in names:
            if wanted not in face.__dict__ or is_dunder(wanted):
                raise ImportError(f"cannot import name {wanted!r} from {name!r}", name=name)
        return face if names else self._faces.face(module.partition(".")[0])

    def _load_helper(self, name: str, names: tuple[str, ...]) -> types.ModuleType:
        module = self._helper(name)
        for wanted in names:
            if is_dunder(wanted):
                raise ImportError(f"cannot import name {wanted!r} from {name!r}", name=name)
            if wanted in module.__dict__ or "__getattr__" in module.__dict__:
                continue
            if self._is_there(f"{name}.{wanted}"):
                self._helper(f"{name}.{wanted}")
            else:
                raise ImportError(self._lack(name, wanted), name=name)
        return module if names else self._helper(HELPERS)

    def _lack(self, name: str, wanted: str) -> str:
        """Say why the helper *name* has no *wanted*: it may be in the middle of being executed."""
        if name not in self._under_way:
            return f"cannot import name {wanted!r} from {name!r} ({self._run.shown(name)})"
        circle = [*self._under_way[self._under_way.index(name) :], name]
        way = " -> ".join(self._run.shown(one) for one in circle)
        return (
            f"cannot import name {wanted!r} from {name!r} yet, for the imports go in a circle: {way}. "
            f"Move what both need into a third file, or the import into the function that needs it"
        )

    def _is_there(self, name: str) -> bool:
        return name in self._run.modules or any(module.startswith(f"{name}.") for module in self._run.modules)

    def _helper(self, name: str) -> types.ModuleType:
        """Give the helper or folder of helpers *name*, executed if it was not yet."""
        known = self._helpers.get(name)
        if known is not None:
            return known
        package, _, last = name.rpartition(".")
        parent = self._helper(package) if package else None
        if not self._is_there(name) and name != HELPERS:
            raise ModuleNotFoundError(f"there is no {self._run.shown(name)}", name=name)
        module = self._helpers[name] = types.ModuleType(name)
        self._run.own.add_module(module)
        if name in self._run.modules:
            self._execute(module, name)
        if parent is not None:
            setattr(parent, last, module)
        return module

    def _execute(self, module: types.ModuleType, name: str) -> None:
        module.__dict__.update({"__builtins__": self._builtins, "__file__": self._run.shown(name)})
        code, _ = self._run.modules[name]
        self._under_way.append(name)
        try:
            exec(code, module.__dict__)
        except BaseException:
            del self._helpers[name]
            raise
        finally:
            self._under_way.pop()
