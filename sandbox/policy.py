"""Which syntax and names a script may use, and the guards that remain where a compile-time check cannot decide."""

from collections.abc import Mapping
from types import MappingProxyType

from sandbox.names import kind
from sandbox.rules import FOREIGN_NAMES, RULES, Rule

__all__ = ["FOREIGN_NAMES", "GUARDS", "RULES", "Rule", "kind"]

GUARDS: Mapping[str, str] = MappingProxyType(
    {
        "own!": "The set of classes the script made; `type!(x) in own!` tells its instances without a call.",
        "type!": "The real type(): the script's own `type` may be rebound, and answers itself for metaclasses.",
        "write!": "write!(x) -> x: attributes of classes, modules and objects of others are read-only.",
        "priv!": "priv!(x) -> x: `_names` of library objects are their insides; lets through all that write! does.",
        "guarded!": "guarded!(x, name): format, mro, register... are power on some values; judged by what is read.",
        "class!": "class!(x): the safe type of x, for x.__class__.__name__, also where a class lies about itself.",
        "dict!": "dict!(x): the __dict__ of an instance of an own class; of a class or function it is a way round.",
        "power!": "power!(x, name): __init__, __new__, __setattr__... of own objects, super() or an open base, else refused.",
        "typevar!": "typevar!('T' | '*Ts' | '**P'): one type variable a name, for erased type parameters used as values.",
        "Generic!": "typing.Generic, the base that a class with type parameters has in CPython.",
        "Any!": "typing.Any, what stands in a class body for an annotation that was read and removed; also `type X = ...`.",
        "ClassVar!": "typing.ClassVar: dataclasses ask for it by identity.",
        "InitVar!": "dataclasses.InitVar: dataclasses ask for it by identity.",
        "KW_ONLY!": "dataclasses.KW_ONLY: dataclasses ask for it by identity.",
    }
)
"""Names in produced code that the run-time binds as builtins; a name that holds `!` cannot be spelt in source."""
