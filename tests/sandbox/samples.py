"""One object of each kind that calls into faces give a script, for a walk over what can be reached from it."""

import ast
import asyncio
import contextlib
import functools
import types
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

EXPRESSIONS = """\
array.array('i', [1])
asyncio.Barrier(1)
asyncio.Condition()
asyncio.Event()
asyncio.Future()
asyncio.Lock()
asyncio.Queue()
asyncio.PriorityQueue()
asyncio.Semaphore()
asyncio.TaskGroup()
asyncio.as_completed([])
asyncio.create_task(asyncio.sleep(0))
asyncio.gather()
asyncio.timeout(1)
calendar.HTMLCalendar()
calendar.TextCalendar()
calendar.day_name
collections.ChainMap({})
collections.Counter('a')
collections.OrderedDict(a=1)
collections.UserDict()
collections.UserList()
collections.defaultdict(list)
collections.deque([1])
collections.namedtuple('P', 'x y')
contextlib.ExitStack()
contextlib.AsyncExitStack()
contextlib.closing([])
contextlib.aclosing([])
contextlib.contextmanager(len)
contextlib.contextmanager(iter)([])
contextlib.asynccontextmanager(len)
contextlib.nullcontext()
contextlib.redirect_stdout(None)
contextlib.suppress()
csv.DictReader(io.StringIO('a'))
csv.DictWriter(io.StringIO(), ['a'])
csv.Sniffer()
csv.excel()
csv.reader([])
csv.writer(io.StringIO())
dataclasses.field()
dataclasses.make_dataclass('M', ['x'])
dataclasses.make_dataclass('M', ['x'])(1)
datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
decimal.getcontext()
decimal.localcontext()
decimal.Decimal(1)
difflib.Differ()
difflib.HtmlDiff()
difflib.SequenceMatcher(None, 'a', 'b')
enum.Enum('E', 'a')
enum.Enum('E', 'a')['a']
enum.auto()
fractions.Fraction(1)
functools.cached_property(len)
functools.cmp_to_key(len)
functools.lru_cache(len)
functools.partial(len)
functools.partialmethod(len)
functools.singledispatch(len)
functools.singledispatchmethod(len)
graphlib.TopologicalSorter()
hashlib.sha256()
hashlib.new('md5')
hmac.new(b'', b'', 'md5')
html.parser.HTMLParser()
httpx.AsyncClient()
httpx.AsyncClient().stream('GET', 'http://x')
httpx.Client()
httpx.Headers([])
httpx.Request('GET', 'x')
httpx.Response(dict(status=1, reason='', version='', url='', headers=[], cookies={}, seconds=0, history=[], body=''), 1)
httpx.Timeout(1)
io.BytesIO()
io.StringIO()
ipaddress.ip_network('10.0.0.0/8')
ipaddress.ip_interface('10.0.0.1/8')
itertools.chain([])
itertools.groupby([])
itertools.tee([])
json.JSONDecoder()
json.JSONEncoder()
logging.getLogger('x')
logging.Formatter()
logging.StreamHandler()
memoryview(b'a')
operator.attrgetter('a')
operator.itemgetter(1)
operator.methodcaller('a')
os.environ
pathlib.PurePosixPath('a')
pathlib.PureWindowsPath('a')
pathlib.PurePosixPath('a').parents
pprint.PrettyPrinter()
property(len)
queue.Queue()
queue.SimpleQueue()
random.Random()
random.SystemRandom()
re.compile('a')
re.match('a', 'a')
re.finditer('a', 'a')
requests.Session()
shlex.split
statistics.NormalDist()
statistics.linear_regression([1, 2], [3, 4])
struct.Struct('i')
struct.iter_unpack('i', b'')
sys.flags
sys.implementation
sys.stdout
textwrap.TextWrapper()
time.gmtime()
time.get_clock_info('time')
types.MappingProxyType({})
types.SimpleNamespace()
typing.Annotated[int, 1]
typing.Callable[[int], str]
typing.List[int]
typing.NewType('N', int)
typing.Optional[int]
typing.ParamSpec('P')
typing.Type[int]
typing.TypeVar('T')
typing.TypeVarTuple('Ts')
typing.NamedTuple('N', [('x', int)])
typing.TypedDict('D', {'x': int})
typing.Union[int, str]
int | str
list[int]
type[int]
urllib.parse.urlsplit('http://a/b')
uuid.uuid4()
warnings.catch_warnings()
zlib.compressobj()
zlib.decompressobj()
zoneinfo.ZoneInfo('UTC')
ctx
ctx.log
ToolError('x', a=1)
AttributeError('x')
ImportError('x')
ExceptionGroup('x', [ValueError()])
OSError(1, 'x')
StopIteration(1)
UnicodeDecodeError('utf-8', b'a', 0, 1, 'x')
iter([])
iter({}.items())
enumerate([])
zip([])
map(len, [])
filter(None, [])
reversed([])
slice(1)
super
range(3)
{}.keys()
[].append
int.__add__
"""


class _Faces(dict[str, Any]):
    """Names of modules as scripts see them, made when they are asked for."""

    def __init__(self, face: Callable[[str], Any], builtins: dict[str, Any]) -> None:
        super().__init__(builtins)
        self._face = face

    def __missing__(self, name: str) -> Any:
        return self._face(name)


async def _all(names: dict[str, Any]) -> list[tuple[str, Any]]:
    found = []
    for line in EXPRESSIONS.splitlines():
        with contextlib.suppress(AttributeError):  # not a name of this face
            found.append(
                (line, eval(compile(ast.parse(line, mode="eval"), "sample", "eval"), {"__builtins__": {}}, names))
            )
    return found


def _of_python() -> Iterator[tuple[str, Any]]:
    def generator() -> Iterator[int]:
        yield 1

    async def asynchronous() -> AsyncIterator[int]:
        yield 1

    async def coroutine() -> None:
        """Never runs."""

    class Bound:
        def method(self) -> None:
            """Only to be looked at."""

    yield "generator", generator()
    yield "async generator", asynchronous()
    unused = coroutine()
    unused.close()
    yield "coroutine", unused
    yield "method", Bound().method
    yield "partial", functools.partial(generator)
    try:
        raise ValueError("told")
    except ValueError as error:
        yield "exception", error
        assert isinstance(error.__traceback__, types.TracebackType)


def samples(face: Callable[[str], Any], builtins: dict[str, Any]) -> list[tuple[str, Any]]:
    """Give the objects with the expressions that made them; *face* gives a module's face."""
    names = _Faces(face, builtins)
    return [*asyncio.run(_all(names)), *_of_python()]
