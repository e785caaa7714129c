"""Which modules a script may import, which public names each has, and what is left out and why: data only.

A face with these names is built by `sandbox.runtime.faces`; the compiler refuses other imports by the same table. A
name that this version of Python lacks is refused when the script runs, as Python itself would do.
"""

from collections import ChainMap
from collections.abc import Iterable, Mapping
from types import MappingProxyType


def _table(texts: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    return MappingProxyType({module: frozenset(names.split()) for module, names in texts.items()})


LANGUAGE: Mapping[str, frozenset[str]] = _table(
    {
        # numbers
        "math": (
            "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 "
            "expm1 fabs factorial floor fma fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm "
            "ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt "
            "sumprod tan tanh tau trunc ulp"
        ),
        "cmath": (
            "acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log log10 nan nanj "
            "phase pi polar rect sin sinh sqrt tan tanh tau"
        ),
        "statistics": (
            "NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean kde kde_random "
            "linear_regression mean median median_grouped median_high median_low mode multimode pstdev pvariance "
            "quantiles stdev variance"
        ),
        "random": (
            "Random SystemRandom betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits "
            "getstate lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed "
            "setstate shuffle triangular uniform vonmisesvariate weibullvariate"
        ),
        "decimal": (
            "BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple DefaultContext "
            "DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext FloatOperation Inexact "
            "InvalidContext InvalidOperation MAX_EMAX MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ROUND_CEILING "
            "ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal Underflow "
            "getcontext localcontext setcontext"
        ),
        "fractions": "Fraction",
        "numbers": "Complex Integral Number Rational Real",
        # dates and times
        "datetime": "MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo",
        "time": (
            "altzone asctime ctime daylight get_clock_info gmtime localtime mktime monotonic monotonic_ns perf_counter "
            "perf_counter_ns process_time process_time_ns sleep strftime strptime struct_time thread_time "
            "thread_time_ns time time_ns timezone tzname"
        ),
        "calendar": (
            "APRIL AUGUST Calendar DECEMBER Day FEBRUARY FRIDAY HTMLCalendar IllegalMonthError IllegalWeekdayError "
            "JANUARY JULY JUNE MARCH MAY MONDAY Month NOVEMBER OCTOBER SATURDAY SEPTEMBER SUNDAY THURSDAY TUESDAY "
            "TextCalendar WEDNESDAY calendar day_abbr day_name firstweekday isleap leapdays month month_abbr "
            "month_name monthcalendar monthrange timegm weekday weekheader"
        ),
        "zoneinfo": "InvalidTZPathWarning ZoneInfo ZoneInfoNotFoundError available_timezones",
        # text
        "string": (
            "ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable punctuation "
            "whitespace"
        ),
        "re": (
            "A ASCII DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern PatternError RegexFlag S U UNICODE "
            "VERBOSE X compile error escape findall finditer fullmatch match search split sub subn"
        ),
        "textwrap": "TextWrapper dedent fill indent shorten wrap",
        "unicodedata": (
            "bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup "
            "mirrored name normalize numeric ucd_3_2_0 unidata_version"
        ),
        "difflib": (
            "Differ HtmlDiff IS_CHARACTER_JUNK IS_LINE_JUNK Match SequenceMatcher context_diff diff_bytes "
            "get_close_matches ndiff restore unified_diff"
        ),
        "html": "entities escape parser unescape",
        "html.entities": "codepoint2name entitydefs html5 name2codepoint",
        "html.parser": "HTMLParser",
        "pprint": "PrettyPrinter isreadable isrecursive pformat pp pprint saferepr",
        "shlex": "join quote split",
        "fnmatch": "filter fnmatch fnmatchcase translate",
        "keyword": "iskeyword issoftkeyword kwlist softkwlist",
        # data formats
        "json": "JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads",
        "csv": (
            "Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC QUOTE_NOTNULL "
            "QUOTE_STRINGS Sniffer excel excel_tab get_dialect list_dialects reader register_dialect "
            "unix_dialect unregister_dialect writer"
        ),
        "struct": "Struct calcsize error iter_unpack pack pack_into unpack unpack_from",
        "array": "ArrayType array typecodes",
        "base64": (
            "a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode b32hexencode b64decode b64encode "
            "b85decode b85encode decodebytes encodebytes standard_b64decode standard_b64encode urlsafe_b64decode "
            "urlsafe_b64encode z85decode z85encode"
        ),
        "binascii": (
            "Error Incomplete a2b_base64 a2b_hex a2b_qp a2b_uu b2a_base64 b2a_hex b2a_qp b2a_uu crc32 crc_hqx hexlify "
            "unhexlify"
        ),
        "zlib": (
            "DEFLATED DEF_BUF_SIZE DEF_MEM_LEVEL MAX_WBITS ZLIB_RUNTIME_VERSION ZLIB_VERSION Z_BEST_COMPRESSION "
            "Z_BEST_SPEED Z_BLOCK Z_DEFAULT_COMPRESSION Z_DEFAULT_STRATEGY Z_FILTERED Z_FINISH Z_FIXED Z_FULL_FLUSH "
            "Z_HUFFMAN_ONLY Z_NO_COMPRESSION Z_NO_FLUSH Z_PARTIAL_FLUSH Z_RLE Z_SYNC_FLUSH Z_TREES adler32 compress "
            "compressobj crc32 decompress decompressobj error"
        ),
        "hashlib": (
            "algorithms_available algorithms_guaranteed blake2b blake2s md5 new pbkdf2_hmac scrypt sha1 sha224 sha256 "
            "sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256"
        ),
        "hmac": "HMAC compare_digest digest new",
        "secrets": "SystemRandom choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe",
        "uuid": (
            "NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 RESERVED_FUTURE RESERVED_MICROSOFT RESERVED_NCS "
            "RFC_4122 SafeUUID UUID uuid3 uuid4 uuid5"
        ),
        "ipaddress": (
            "AddressValueError IPV4LENGTH IPV6LENGTH IPv4Address IPv4Interface IPv4Network IPv6Address IPv6Interface "
            "IPv6Network NetmaskValueError collapse_addresses get_mixed_type_key ip_address ip_interface ip_network "
            "summarize_address_range v4_int_to_packed v6_int_to_packed"
        ),
        "urllib": "parse",
        "urllib.parse": (
            "DefragResult DefragResultBytes ParseResult ParseResultBytes SplitResult SplitResultBytes parse_qs "
            "parse_qsl quote quote_from_bytes quote_plus unquote unquote_plus unquote_to_bytes urldefrag urlencode "
            "urljoin urlparse urlsplit urlunparse urlunsplit"
        ),
        "http": "HTTPMethod HTTPStatus",
        "io": "BytesIO DEFAULT_BUFFER_SIZE SEEK_CUR SEEK_END SEEK_SET StringIO UnsupportedOperation",
        "colorsys": "hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb",
        # containers and functions
        "collections": "ChainMap Counter OrderedDict UserDict UserList abc defaultdict deque namedtuple",
        "collections.abc": (
            "AsyncGenerator AsyncIterable AsyncIterator Awaitable Buffer ByteString Callable Collection Container "
            "Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping "
            "MutableSequence MutableSet Reversible Sequence Set Sized ValuesView"
        ),
        "itertools": (
            "accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile "
            "filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest"
        ),
        "functools": (
            "WRAPPER_ASSIGNMENTS WRAPPER_UPDATES cache cached_property cmp_to_key lru_cache partial partialmethod "
            "reduce singledispatch singledispatchmethod total_ordering update_wrapper wraps"
        ),
        "operator": (
            "abs add and_ attrgetter call concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat "
            "ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not isub itemgetter "
            "itruediv ixor le length_hint lshift lt matmul methodcaller mod mul ne neg not_ or_ pos pow rshift setitem "
            "sub truediv truth xor"
        ),
        "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
        "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
        "graphlib": "CycleError TopologicalSorter",
        "queue": "Empty Full LifoQueue PriorityQueue Queue ShutDown SimpleQueue",
        "copy": "Error copy deepcopy replace",
        # classes and types
        "dataclasses": (
            "Field FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple dataclass field fields is_dataclass "
            "make_dataclass replace"
        ),
        "enum": (
            "CONFORM CONTINUOUS EJECT Enum EnumCheck Flag FlagBoundary IntEnum IntFlag KEEP NAMED_FLAGS ReprEnum "
            "STRICT StrEnum UNIQUE auto member nonmember unique verify"
        ),
        "typing": (
            "AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable "
            "BinaryIO ByteString Callable ChainMap ClassVar Collection Concatenate Container ContextManager Coroutine "
            "Counter DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable IO ItemsView Iterable Iterator "
            "KeysView List Literal LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet "
            "NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict ParamSpec Pattern Protocol ReadOnly "
            "Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat "
            "SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text TextIO Tuple Type TypeAlias TypeGuard TypeIs "
            "TypeVar TypeVarTuple TypedDict Union Unpack ValuesView assert_never assert_type cast final get_args "
            "get_origin is_typeddict overload override runtime_checkable"
        ),
        "types": (
            "AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CoroutineType EllipsisType GeneratorType "
            "MappingProxyType NoneType NotImplementedType SimpleNamespace UnionType"
        ),
        "abc": "ABC ABCMeta abstractmethod",
        "contextlib": (
            "AbstractAsyncContextManager AbstractContextManager AsyncExitStack ContextDecorator ExitStack aclosing "
            "asynccontextmanager closing contextmanager nullcontext redirect_stderr redirect_stdout suppress"
        ),
        # the surroundings
        "asyncio": (
            "ALL_COMPLETED Barrier BoundedSemaphore BrokenBarrierError CancelledError Condition Event FIRST_COMPLETED "
            "FIRST_EXCEPTION Future InvalidStateError LifoQueue Lock PriorityQueue Queue QueueEmpty QueueFull "
            "QueueShutDown Semaphore Task TaskGroup TimeoutError as_completed create_task current_task ensure_future "
            "gather get_event_loop get_running_loop iscoroutine iscoroutinefunction isfuture new_event_loop run "
            "set_event_loop shield sleep timeout timeout_at to_thread wait wait_for"
        ),
        "logging": (
            "CRITICAL DEBUG ERROR FATAL Formatter INFO Logger NOTSET NullHandler StreamHandler WARN WARNING "
            "basicConfig critical debug disable error exception fatal getLevelName getLogger info log warn warning"
        ),
        "warnings": "catch_warnings filterwarnings resetwarnings simplefilter warn",
        "pathlib": "Path PurePath PurePosixPath PureWindowsPath",
        "os": "environ fspath getenv linesep name path sep",
        "os.path": (
            "abspath altsep basename commonpath commonprefix curdir dirname extsep isabs join normcase normpath pardir "
            "pathsep relpath sep split splitdrive splitext"
        ),
        "sys": (
            "byteorder exit float_info getrecursionlimit getsizeof hexversion implementation int_info intern maxsize "
            "maxunicode platform stderr stdout version version_info"
        ),
        "traceback": "format_exc format_exception format_exception_only print_exc print_exception",
        "httpx": (
            "AsyncClient BasicAuth Client CloseError ConnectError ConnectTimeout DecodingError HTTPError "
            "HTTPStatusError Headers InvalidURL LocalProtocolError NetworkError PoolTimeout ProtocolError ReadError "
            "ReadTimeout RemoteProtocolError Request RequestError Response Timeout TimeoutException TooManyRedirects "
            "TransportError UnsupportedProtocol WriteError WriteTimeout codes delete get head options patch post put "
            "request stream"
        ),
        "requests": (
            "JSONDecodeError auth ConnectTimeout ConnectionError HTTPError InvalidSchema InvalidURL MissingSchema "
            "ReadTimeout RequestException Response Session Timeout TooManyRedirects ChunkedEncodingError "
            "ContentDecodingError codes delete exceptions get head options patch post put request session"
        ),
        "requests.auth": "HTTPBasicAuth",
        "requests.exceptions": (
            "JSONDecodeError ConnectTimeout ConnectionError HTTPError InvalidSchema InvalidURL MissingSchema "
            "ReadTimeout RequestException Timeout TooManyRedirects ChunkedEncodingError ContentDecodingError"
        ),
        "scriptool": "ToolError args ctx",
    }
)
"""The modules of the language, each with the public names its face has."""

_added: dict[str, frozenset[str]] = {}

NAMES: Mapping[str, frozenset[str]] = MappingProxyType(ChainMap(_added, dict(LANGUAGE)))
"""Those, and what the operator added. Helpers (`from lib.geometry import area`) are found by text, not here."""


def allow(module: str, names: Iterable[str]) -> None:
    """Let scripts of this process import *module* too, with these public *names*, and the packages it lies in."""
    package, _, last = module.rpartition(".")
    if package:
        allow(package, NAMES.get(package, frozenset()) | {last})
    _added[module] = NAMES.get(module, frozenset()) | frozenset(names)


ALIASES: Mapping[str, str] = MappingProxyType({"typing_extensions": "typing"})
"""Modules that are another module's face under a second name."""


_REACH = "reads or writes the machine's files, processes or settings"
_STATE = "changes the interpreter's own state"
_ANY_NAME = "reads or sets attributes by any name, dunder names too"
_FRAMES = "hands out frames, code objects or the classes that make them"
_MEMORY = "shows or reads memory that is not the script's"
_EVALUATES = "evaluates text as unrestricted Python"

LEFT_OUT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "abc": {"ABCMeta.register, get_cache_token, update_abstractmethods": "make isinstance say what is not so"},
        "array": {"array.buffer_info": _MEMORY},
        "asyncio": {
            "streams, subprocesses, servers": _REACH,
            "event loops, policies, runners, transports": "reach selectors and threads; get_event_loop gives a loop's "
            "create_task, create_future, run_until_complete, run_in_executor, call_soon, call_later and time",
            "all_tasks, run_coroutine_threadsafe, wrap_future": "there is one loop and one thread",
        },
        "calendar": {
            "setfirstweekday": _STATE,
            "prcal, prmonth, TextCalendar.prmonth, prweek, pryear": "print past the captured output; "
            "print(calendar.month(...)) does the same",
            "LocaleTextCalendar, LocaleHTMLCalendar": _STATE,
        },
        "collections": {"UserString": "its format method " + _ANY_NAME},
        "contextlib": {"chdir": _REACH},
        "csv": {"field_size_limit": _STATE},
        "dataclasses": {"make_dataclass(namespace=...)": "defines special methods that no check has seen"},
        "decimal": {"HAVE_CONTEXTVAR, HAVE_THREADS": "say how the interpreter was built"},
        "enum": {
            "EnumMeta, EnumType": "a metaclass makes classes that no check has seen",
            "property": "wanted by nobody so far",
            "global_enum, pickle_by_enum_name": _STATE,
        },
        "functools": {
            "wraps(assigned=..., updated=...), update_wrapper(assigned=..., updated=...)": _ANY_NAME,
            "singledispatch by annotation": _EVALUATES + "; register(type) works",
        },
        "hashlib": {"file_digest": _REACH},
        "http": {"client, server, cookies": "the network is reached through `ctx.http` or `httpx`"},
        "io": {"open, FileIO, TextIOWrapper and other streams": _REACH + "; `open` is a builtin that asks for a grant"},
        "logging": {
            "files, handlers, filters, configuration": _REACH,
            "Formatter(style='{' or '$')": "fields of `{` read attributes; % style works",
        },
        "os": {
            "files, folders, processes, users": _REACH,
            "listing environ": "`os.environ.get(name)` gives a secret the tool was granted, nothing else",
        },
        "os.path": {"exists, isfile, getsize, realpath, expanduser, expandvars": _REACH},
        "pathlib": {"Path.open, read_text, exists, glob and all that touch files": _REACH + "; Path is PurePosixPath"},
        "re": {"template, purge, Scanner": "undocumented, or empties a cache others use"},
        "string": {"Formatter, Template": _ANY_NAME},
        "sys": {
            "modules, path, argv, stdin, settrace, setrecursionlimit": _STATE,
            "exc_info, _getframe, exception": _FRAMES,
        },
        "time": {"tzset, clock_settime": _STATE, "clock_gettime, pthread_getcpuclockid": "profile other threads"},
        "traceback": {"extract_stack, walk_tb, TracebackException, StackSummary": _FRAMES},
        "types": {
            "FunctionType, LambdaType, MethodType, CodeType, FrameType, TracebackType, ModuleType": _FRAMES,
            "new_class, GenericAlias, DynamicClassAttribute": "make classes that no check has seen",
        },
        "typing": {
            "get_type_hints, ForwardRef": _EVALUATES,
            "runtime_checkable": "is accepted and does nothing: isinstance against a Protocol raises TypeError",
            "get_overloads, no_type_check, dataclass_transform": _STATE,
        },
        "unicodedata": {"UCD": "a class nobody can make"},
        "uuid": {"uuid1, getnode": "tell the machine's network address"},
        "warnings": {"showwarning, formatwarning, warn_explicit": _STATE},
        "zoneinfo": {"TZPATH, reset_tzpath": _REACH, "ZoneInfo.from_file": _MEMORY},
        "httpx": {"transports, proxies, event hooks, authentication classes": "the server makes the request"},
        "requests": {"adapters, hooks, authentication classes": "the request is made by the server, not here"},
    }
)
"""Module to what its face leaves out, with the reason."""


_BUILTIN_TEXT = (
    "Ellipsis NotImplemented abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod "
    "complex dict divmod enumerate filter float format frozenset hash hex id int isinstance issubclass iter len "
    "list map max memoryview min next object oct ord pow property range repr reversed round set slice sorted "
    "staticmethod str sum super tuple zip EnvironmentError IOError ExceptionGroup BaseExceptionGroup"
)

BUILTINS: tuple[str, ...] = tuple(_BUILTIN_TEXT.split())
"""Builtins that are CPython's own; exceptions too. getattr, open, print, type and their like are ours."""
