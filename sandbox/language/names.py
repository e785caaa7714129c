"""Which names are what: `kind(name)` decides how an attribute may be read, for every reader there is.

The compiler, getattr and its kin, format fields, attrgetter and match patterns all ask here and nowhere else.
"""

import _string  # type: ignore[import-not-found]  # the parser behind str.format; typeshed leaves it out
import string
from typing import Literal

from RestrictedPython.transformer import INSPECT_ATTRIBUTES

Kind = Literal["native", "guarded", "private", "power", "access", "class", "dict", "refused"]


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _dunder(words: str) -> frozenset[str]:
    return frozenset(f"__{word}__" for word in words.split())


_FRAME_ATTRIBUTES = frozenset(INSPECT_ATTRIBUTES) | _words(
    "tb_lasti f_lasti f_lineno f_trace_lines f_trace_opcodes f_generator"
    " co_consts co_names co_varnames co_cellvars co_freevars co_exceptiontable co_linetable co_lnotab co_filename"
    " co_code_adaptive _co_code_adaptive co_lines co_positions co_branches"
    " gi_suspended cr_suspended ag_suspended gi_running cr_running ag_running"
)
"""Attributes of frames, code, tracebacks, generators and coroutines: refused everywhere, nobody needs them."""

_GUARDED = _words(
    "format format_map obj mro parser register get_loop get_stack print_stack get_coro get_context __members__"
    " groupindex buffer_info from_file"
)
"""Ordinary words on the script's own objects, power on a few of the library's; judged by what the read gives."""

NAMED_TUPLE_NAMES = _words("_fields _asdict _replace _make")
"""`_names` that every namedtuple offers, also those of libraries."""

INSIDES = _words(
    "_convert_ _create_ _find_new_ _find_data_type_ _find_data_repr_ _get_mixins_ _check_for_existing_members_"
    " _add_member_ _new_member_ _add_alias_ _add_value_alias_ _member_type_ _use_args_ _value_repr_"
    " _abc_impl _abc_registry_clear _abc_caches_clear _dump_registry"
    " _is_protocol _is_runtime_protocol"
)
"""What a class of the script has from a library's metaclass or base, and what makes classes or reads modules there."""

READABLE_DUNDERS = _dunder("name qualname doc module version notes")
"""Dunder attributes that are plain text (or an exception's notes) wherever they occur."""

_OPERATORS = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"

SYNTAX_DUNDERS = _dunder(
    "repr str bytes format lt le eq ne gt ge hash bool len length_hint getitem setitem delitem missing iter next"
    " reversed contains call neg pos abs invert complex int float index round trunc floor ceil enter exit aenter aexit"
    " await aiter anext class_getitem fspath post_init replace "
    + " ".join(prefix + word for prefix in ("", "r", "i") for word in _OPERATORS.split())
)
"""Special methods that syntax or a builtin calls anyway, so reading them gives nothing new."""

POWER_DUNDERS = _dunder("init new del get set delete set_name init_subclass getattr copy deepcopy")
"""Special methods that write on whatever they are handed: own objects, `super()` and open base classes only."""

ACCESS_DUNDERS = _dunder("getattribute setattr delattr")
"""Special methods that take an attribute name: a read gives a wrapper that checks the name."""

DEFINABLE_DUNDERS = (
    SYNTAX_DUNDERS | POWER_DUNDERS | ACCESS_DUNDERS | _dunder("dir sizeof slots match_args doc hash all version author")
)
"""What a class of the script may define."""

UNUSABLE_NAMES = _dunder(
    "builtins import build_class class loader spec package annotations annotate path dict cached module qualname"
    " classcell classdict classdictcell globals conditional_annotations static_attributes firstlineno"
)
"""Dunder names that may not even stand as variables: the interpreter or a C function reads them from a namespace."""

FIXED_NAMES = _dunder("name file debug")
"""Names a script may read and not bind: library code finds a module's real globals by `__name__`."""

_KNOWN_DUNDERS = (
    DEFINABLE_DUNDERS
    | READABLE_DUNDERS
    | UNUSABLE_NAMES
    | FIXED_NAMES
    | _dunder(
        "abstractmethods alloc args base bases basicsize bound breakpointhook buffer callable_proto_members_only"
        " callback cause closure code concat constraints context contravariant copyright covariant credits ctype_be"
        " ctype_le ctypes_from_outparam custom_mangle date default defaults dictoffset displayhook evaluate_value"
        " excepthook members"
        " final flags forward_arg forward_code forward_evaluated forward_is_argument forward_is_class forward_module"
        " forward_value func getformat getinitargs getitem_inner getnewargs getnewargs_ex getstate iconcat"
        " infer_variance instancecheck interactivehook inv isabstractmethod itemsize kwdefaults libmpdec_version"
        " mro mro_entries new_member newobj newobj_ex no_type_check non_callable_proto_members not objclass"
        " optional_keys mutable_keys readonly_keys orig_bases orig_class origin parameters pos prepare protocol_attrs"
        " reduce reduce_ex release_buffer required_keys self self_class setformat setstate signature spec status stderr"
        " stdin stdout subclasscheck subclasses subclasshook suppress_context text_signature thisclass total traceback"
        " type_params typing_is_unpacked_typevartuple typing_prepare_subst typing_subst typing_unpacked_tuple_args"
        " unittest_skip unittest_skip_why unpacked unraisablehook value vectorcalloffset weakref weakrefoffset wrapped"
        " dataclass_fields dataclass_params dataclass_transform attrs_attrs override deprecated supertype"
    )
)
"""Every dunder name that CPython 3.11 to 3.14 or its library gives a meaning; any other is an author's own."""

RESERVED_NAMES = _words(
    "_getattr_ _getitem_ _getiter_ _write_ _inplacevar_ _apply_ _print_ _print"
    " _iter_unpack_sequence_ _unpack_sequence_ __metaclass__ super"
)
"""Names no script binds: RestrictedPython's own, and `super`, because `super().__init__` is judged by its text."""

WRITABLE_DUNDERS = _dunder("name qualname doc")
"""Dunder attributes that may be assigned, on the script's own functions and classes."""


def is_dunder(name: str) -> bool:
    """Say whether *name* has the form of a special name."""
    return len(name) > 4 and name[:2] == "__" == name[-2:]


def is_known_dunder(name: str) -> bool:
    """Say whether *name* is a special name that Python or its library gives a meaning."""
    return name in _KNOWN_DUNDERS


def kind(name: str) -> Kind:
    """Say how the attribute *name* may be read.

    `native`: by anyone, as CPython does. `guarded`: judged at run time by the value that was read. `private`: on the
    script's own objects. `power`: on own objects, `super()` and open bases. `access`: as a wrapper that checks names.
    `class`: only for its `__name__`. `dict`: on instances of own classes. `refused`: never.
    """
    known = _KINDS.get(name)
    if known is not None:
        return known
    if name[:1] != "_" or name == "_":
        return "native"
    return "private"


def check_format(text: str) -> None:
    """Raise ValueError unless every field of the format string *text* reads only what plain attribute syntax may."""
    unsafe = unsafe_field(text)
    if unsafe is not None:
        raise ValueError(f"A format field may not read .{unsafe}")


def unsafe_field(text: str) -> str | None:
    """Give the first attribute a field of the format string *text* reads that plain attribute syntax may not.

    Raise the ValueError that `str.format` raises where the text is malformed.
    """
    for _, field, spec, _ in string.Formatter().parse(text):
        if field is not None:
            _, path = _string.formatter_field_name_split(field)
            for is_attribute, part in path:
                if is_attribute and kind(part) != "native":
                    return str(part)
        unsafe = unsafe_field(spec) if spec else None
        if unsafe is not None:
            return unsafe
    return None


def _kinds() -> dict[str, Kind]:
    kinds: dict[str, Kind] = dict.fromkeys(_KNOWN_DUNDERS, "refused")
    kinds |= dict.fromkeys(READABLE_DUNDERS | SYNTAX_DUNDERS, "native")
    kinds |= dict.fromkeys(POWER_DUNDERS, "power")
    kinds |= dict.fromkeys(ACCESS_DUNDERS, "access")
    kinds |= dict.fromkeys(_GUARDED, "guarded")
    kinds |= dict.fromkeys(_FRAME_ATTRIBUTES | INSIDES, "refused")
    return kinds | {"__class__": "class", "__dict__": "dict"}


_KINDS = _kinds()

CLOSED_NAMES = frozenset(name for name, how in _KINDS.items() if how in ("refused", "class", "dict"))
"""Names that no script reads as they are, of whatever object."""
