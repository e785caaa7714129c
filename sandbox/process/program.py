"""Program: a script and its helpers, checked and compiled, named by a digest of their text."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sandbox.process.frames import BLOB, encode

MAIN = ""
"""The name of a program's main module; helpers have dotted names such as `lib.geometry`."""

Diagnostic = dict[str, Any]
"""One refusal or warning: rule, severity, message, line, column, end_line, end_column, source, hint."""

Outline = dict[str, Any]
"""What the compiler child learned of one text, as JSON."""


def _own_fingerprint() -> bytes:
    """Digest the sandbox's own text, so that a change of the policy or the wrapper changes every digest."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


FINGERPRINT = _own_fingerprint()


def module_digest(name: str, source: bytes, added: Iterable[str] = ()) -> str:
    """Name the text of one file, compiled where the modules *added* may be imported beside those of the language.

    A helper's own name counts, since its errors are reported under it.
    """
    additions = ",".join(sorted(added)).encode()
    return hashlib.sha256(b"\0".join([FINGERPRINT, additions, name.encode(), source])).hexdigest()


def program_digest(modules: Iterable[tuple[str, str]]) -> str:
    """Name a closure by the (name, digest) pairs of its modules; a script without helpers by its own digest."""
    parts = sorted(modules)
    if len(parts) == 1:
        return parts[0][1]
    return hashlib.sha256("\0".join(part for pair in parts for part in pair).encode()).hexdigest()


def helper_path(name: str) -> str:
    """Give the file of the helper called *name*: `lib.geometry` is `lib/geometry.py`."""
    return name.replace(".", "/") + ".py"


@dataclass(frozen=True)
class Module:
    """One text, compiled. *product* is a child's bytes: opaque, and opened in another child only."""

    digest: str
    outline: Outline
    warnings: tuple[Diagnostic, ...]
    product: bytes

    @property
    def size(self) -> int:
        """About how many bytes it keeps in memory."""
        return len(self.product) + self.outline_size

    @cached_property
    def outline_size(self) -> int:
        return 512 + 4 * len(repr(self.outline)) + 4 * len(repr(self.warnings))

    @property
    def imports(self) -> tuple[str, ...]:
        """Dotted names of the helpers its text imports."""
        return tuple(self.outline["imports"])


@dataclass(frozen=True)
class Program:
    """A main module and its helpers. The same text has the same digest wherever it lies.

    *added* are the modules it may import beside those of the language.
    """

    digest: str
    modules: Mapping[str, Module]
    added: tuple[str, ...] = ()

    @property
    def outline(self) -> Outline:
        """What is known of the main file: form, docstring, parameters, classes."""
        return self.modules[MAIN].outline

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Diagnostics of all modules that do not keep the program from running."""
        return tuple(warning for module in self.modules.values() for warning in module.warnings)

    @property
    def imports(self) -> tuple[str, ...]:
        """Dotted names of all helpers that the main file or a helper imports."""
        return tuple(sorted({name for module in self.modules.values() for name in module.imports}))

    @property
    def missing(self) -> tuple[str, ...]:
        """Imports that were not among the helpers it was compiled with."""
        return tuple(name for name in self.imports if name not in self.modules)

    @cached_property
    def blobs(self) -> bytes:
        """The products as frames, in the order of `modules`: what a run child is sent after its request."""
        return b"".join(encode(BLOB, module.product) for module in self.modules.values())
