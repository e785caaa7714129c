"""What the policy refuses or warns of, rule by rule, with the reason and what to write instead: data only."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Rule:
    """Why a construct is refused (or warned of) and what to write instead; both end up in docs/language.md."""

    reason: str
    hint: str


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "syntax": Rule(
            "The text is not Python as CPython's own parser reads it.",
            "Mend the marked place; the message is CPython's own.",
        ),
        "encoding": Rule(
            "The bytes are not text in the encoding they declare, or hold NUL characters.",
            "Save the file as UTF-8.",
        ),
        "too-deep": Rule(
            "Text nested this deep overflows the parser of Python itself.",
            "Give inner parts names of their own, or move data into a string and parse it with json.loads.",
        ),
        "builtin": Rule(
            "It runs text as code, or waits for a terminal that is not there.",
            "Write the code out; take arguments from `args` or the parameters of `main`.",
        ),
        "dunder-name": Rule(
            "Python itself reads this name from a namespace and acts on it.",
            "Choose another name.",
        ),
        "reserved-name": Rule(
            "The name is kept for the sandbox (`super` keeps its meaning, so that `super().__init__` is safe).",
            "Choose another name.",
        ),
        "attribute": Rule(
            "The attribute leads to the insides of the interpreter, from where everything can be reached.",
            "Use the public way: type(x), isinstance, dataclasses.fields, traceback.format_exc.",
        ),
        "attribute-write": Rule(
            "Python acts on this attribute when it is assigned, also for objects that are not the script's.",
            "Define it in the class body instead.",
        ),
        "format-field": Rule(
            "A format string can read attributes; it may read what plain syntax may, no more.",
            "Compute the value first and pass it as an argument.",
        ),
        "field-name": Rule(
            "A dataclass makes `__match_args__` of its field names, and match patterns read them.",
            "Choose another name for the field.",
        ),
        "special-method": Rule(
            "C code calls this hook with objects that are not the script's.",
            "Write an ordinary method, or one of the special methods that operators use.",
        ),
        "match-args": Rule(
            "Patterns read the attributes it names, so they must be known when the script is compiled.",
            'Write a literal tuple of public names: __match_args__ = ("x", "y").',
        ),
        "pattern": Rule(
            "A class pattern reads attributes past every run-time check.",
            "Match the class alone and compare the attribute in a guard: case Point() if ...",
        ),
        "metaclass": Rule(
            "A metaclass decides which names a class body sees and can make classes at run time.",
            "Use __init_subclass__, a class decorator, or abc.ABC.",
        ),
        "except-star": Rule(
            "CPython's except* confuses types when an exception group lies about itself.",
            "Handle each error where it rises, or catch the first one with `except`.",
        ),
        "template-string": Rule("Template strings have not been reviewed.", "Use an f-string."),
        "import-module": Rule(
            "Only modules that cannot reach the host are importable.",
            "docs/language.md lists the modules a script may import.",
        ),
        "import-name": Rule(
            "The module's face leaves this name out.",
            "docs/language.md lists what each module offers.",
        ),
        "import-private": Rule("Private parts of modules reach the host.", "Import a public name."),
        "import-relative": Rule(
            "A script is no package; helpers live in `lib/`.",
            "Write `from lib.NAME import ...` for lib/NAME.py.",
        ),
        "import-star": Rule(
            "The names a file uses must be known when it is compiled.",
            "Name what you need: from MODULE import a, b.",
        ),
        "future": Rule("Python knows no such feature.", "Remove the line."),
        "node": Rule(
            "This kind of syntax is newer than the last review of the policy.",
            "Write it in the syntax of Python 3.13.",
        ),
        "foreign-name": Rule("Another host injects this name; here it is not defined.", "Arguments are in `args`."),
        "missing-builtin": Rule("This builtin is not part of the sandbox.", "See docs/language.md."),
        "module-attribute": Rule(
            "The module's face leaves this name out, so reading it raises AttributeError.",
            "docs/language.md lists what each module offers.",
        ),
        "unavailable-import": Rule(
            "The import is not available and raises ImportError, which the script handles.",
            "Nothing to do if the other branch is enough.",
        ),
        "no-result": Rule(
            "A tool answers with what its file returns.",
            "Add `return VALUE` at the end, or define `main`.",
        ),
        "python-warning": Rule("CPython warns of this when it compiles the text.", "Mend the marked place."),
    }
)
"""Rule name to what it is for; every diagnostic's `rule` is one of these keys."""

WARNING_RULES = frozenset(
    {"foreign-name", "missing-builtin", "module-attribute", "unavailable-import", "no-result", "python-warning"}
)
"""The rules that warn; all others refuse."""


def _each(names: str, hint: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), hint)


_ARGS = "Arguments are in `args`, a dict (or are the parameters of `main`)."
_LOG = "Use print(...) or ctx.log.info(...)."

FOREIGN_NAMES: Mapping[str, str] = MappingProxyType(
    _each(
        "_input _items _item _json _node _query _data input_data inputData items item data event params payload inputs"
        " arguments kwargs argv msg context request doc variables",
        _ARGS,
    )
    | _each(
        "hass pyscript state task service trigger frappe flow node demisto demistoContext bpy unreal",
        "No application object is injected here; ask for values as arguments, or call another tool with ctx.call.",
    )
    | _each(
        "__user__ __event_emitter__ __event_call__ __metadata__ __request__ __model__ __chat_id__ __files__",
        "Chat hosts inject this name; here a tool knows only its arguments, and progress goes to ctx.progress(...).",
    )
    | _each("log logger _log", _LOG)
    | {
        "output": "Return the value: `return {...}`.",
        "result": "Return the value: `return result`; a name called result has no special meaning here.",
        "st": "There is no page to draw on; return the value.",
        "secrets_get": "Granted secrets are read with os.environ.get(NAME).",
    }
)
"""Names that other script hosts inject, and what to do here; used where the file does not define them."""

REFUSED_BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "exec": "Write the statements out, or keep functions in a dict and call the one you need.",
        "eval": "Use ast-free parsing: json.loads for data, int() and float() for numbers, operator for arithmetic.",
        "compile": "Write the code out; for patterns use re.compile.",
        "input": "A tool has no terminal: arguments are in `args` (or are the parameters of `main`).",
        "breakpoint": "A tool has no terminal: use print(...) or ctx.log.debug(...) and read the output.",
        "__import__": "Use an import statement.",
    }
)
"""Builtins whose use is refused (unless the script defines the name itself), and what to do instead."""

MISSING_BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "globals": "Keep the values in a dict of your own.",
        "locals": "Keep the values in a dict of your own.",
        "help": "Read the docstring: print(x.__doc__).",
        "exit": "Return, or raise ToolError(...) to end with a message.",
        "quit": "Return, or raise ToolError(...) to end with a message.",
        "unicode": "In Python 3 every str is Unicode.",
        "xrange": "In Python 3 it is called range.",
        "raw_input": "A tool has no terminal: arguments are in `args`.",
        "basestring": "In Python 3 use str.",
        "unichr": "In Python 3 it is called chr.",
        "reduce": "from functools import reduce.",
    }
)
"""Builtins that are not there (or no longer), and what to do instead; used where the file does not define them."""

ATTRIBUTE_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "__class__": "Use type(x); only x.__class__.__name__ and x.__class__.__qualname__ may be read.",
        "__subclasses__": "Keep a list of the classes yourself, for instance in __init_subclass__.",
        "__bases__": "Use issubclass(C, Base).",
        "__base__": "Use issubclass(C, Base).",
        "__mro__": "Use issubclass(C, Base).",
        "__annotations__": "Use dataclasses.fields(x), or keep a tuple of field names.",
        "__dataclass_fields__": "Use dataclasses.fields(x).",
        "__traceback__": "Use traceback.format_exc().",
        "__cause__": "traceback.format_exc() tells the chain of causes.",
        "__context__": "traceback.format_exc() tells the chain of causes.",
        "__wrapped__": "Keep a name for the original function.",
        "__globals__": "Keep the values in a dict of your own.",
        "__code__": "A script cannot look into functions.",
        "__closure__": "A script cannot look into functions.",
        "__defaults__": "Keep the default in a name of your own.",
        "__self__": "Keep a name for the object.",
        "__func__": "Keep a name for the function.",
        "__file__": "Modules have no files here; the script's own is `__file__`.",
        "__all__": "docs/language.md lists what each module offers.",
        "__args__": "Keep the types in a tuple of your own.",
        "__origin__": "Keep the types in a tuple of your own.",
    }
)
"""Refused attributes that have a public way, by name."""

MODULE_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "subprocess": "Scripts start no programs; use a granted tool with ctx.call.",
        "socket": "Use httpx with a `net` permission.",
        "urllib.request": "Use httpx with a `net` permission.",
        "urllib3": "Use httpx with a `net` permission.",
        "aiohttp": "Use httpx.AsyncClient with a `net` permission.",
        "http.client": "Use httpx with a `net` permission.",
        "threading": "Use asyncio.gather, asyncio.TaskGroup.",
        "multiprocessing": "Use asyncio.gather, asyncio.TaskGroup.",
        "concurrent.futures": "Use asyncio.gather, asyncio.TaskGroup.",
        "shutil": "Use open(...) with a `read` or `write` permission.",
        "tempfile": "Keep the data in io.StringIO or io.BytesIO.",
        "glob": "Use open(...) with a `read` permission.",
        "sqlite3": "Keep the data in lists and dicts.",
        "pickle": "Use json.",
        "marshal": "Use json.",
        "shelve": "Use json.",
        "yaml": "Use json.",
        "ast": "Use json.loads for data.",
        "inspect": "Use type(x), dataclasses.fields(x).",
        "importlib": "Use an import statement.",
        "builtins": "Builtins are there without import.",
        "ctypes": "Scripts call no C code; use struct and array for binary data.",
        "gc": "Memory is freed when the call ends.",
        "argparse": "Arguments are in `args` (or are the parameters of `main`).",
        "getpass": "Granted secrets are read with os.environ.get(NAME).",
        "platform": "sys.version_info tells the Python version.",
        "signal": "Limits end a call by themselves.",
        "numpy": "Use lists with math and statistics, or array.array.",
        "pandas": "Use csv, statistics and itertools.",
        "pytz": "Use zoneinfo.",
        "dateutil": "Use datetime.fromisoformat and zoneinfo.",
        "simplejson": "Use json.",
        "attr": "Use dataclasses.",
        "pydantic": "Use dataclasses or a typed `main`; arguments are checked against its signature.",
    }
)
"""Modules people reach for, and what is here instead."""

GUARDS: Mapping[str, str] = MappingProxyType(
    {
        "own!": "The set of classes the script made; `type!(x) in own!` tells its instances without a call.",
        "type!": "The real type(): the script's own `type` may be rebound, and answers itself for metaclasses.",
        "write!": "write!(x) -> x: attributes of classes, modules and objects of others are read-only.",
        "rename!": "rename!(x) -> x: as write!, but no helper module, whose globals are found by its `__name__`.",
        "priv!": "priv!(x) -> x: `_names` of library objects are their insides.",
        "fields!": "fields!(x) -> x: as priv!, but open for `_asdict`, `_fields`, `_make`, `_replace` of namedtuples.",
        "guarded!": "guarded!(x, name): format, mro, register... are power on some values; judged by what is read.",
        "class!": "class!(x): the safe type of x, for x.__class__.__name__, also where a class lies about itself.",
        "dict!": "dict!(x): the __dict__ of an instance of an own class; of a class or function it is a way round.",
        "power!": "power!(x, name): __init__, __new__, __setattr__... of own objects, super() or an open base only.",
        "shown!": "shown!(pattern): a pattern by position reads private attributes of an application's objects.",
        "typevar!": "typevar!('T' | '*Ts' | '**P'): one type variable a name, for type parameters used as values.",
        "Generic!": "typing.Generic, the base that a class with type parameters has in CPython.",
        "Any!": "typing.Any, what stands in a class body for an annotation that was removed; also for `type X = ...`.",
        "ClassVar!": "typing.ClassVar: dataclasses ask for it by identity.",
        "InitVar!": "dataclasses.InitVar: dataclasses ask for it by identity.",
        "KW_ONLY!": "dataclasses.KW_ONLY: dataclasses ask for it by identity.",
    }
)
"""Names in produced code that the run-time binds as builtins; a name that holds `!` cannot be spelt in source."""
