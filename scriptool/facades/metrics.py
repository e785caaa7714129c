"""Metrics: counters and gauges of the server in the text format of Prometheus. Callers choose no label."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scriptool import __version__
from scriptool.app import App
from scriptool.errors import STATUS

_MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0)
"""Upper bounds of the histogram's buckets, in seconds: from what a fork costs to the longest call there can be."""

_FACADES: Final = frozenset({"http", "mcp", "host"})

Open = Mapping[str, Callable[[], int]]
"""What is open to clients now, by kind."""


@dataclass(frozen=True)
class _Family:
    """One metric: its name without the prefix all share, its kind, what it means, and its samples."""

    name: str
    kind: str
    help: str
    samples: tuple[tuple[str, float], ...]

    def lines(self) -> Iterator[str]:
        yield f"# HELP scriptool_{self.name} {self.help}"
        yield f"# TYPE scriptool_{self.name} {self.kind}"
        for labels, value in self.samples:
            yield f"scriptool_{self.name}{labels} {value:.15g}"


class Metrics:
    """Counts calls from the moment it is made, and shows that with what the parts count. Lives as long as the server.

    *streams* gives what is open to clients now.
    """

    def __init__(self, app: App, streams: Open) -> None:
        self._app = app
        self._streams = streams
        self._outcomes: Counter[tuple[str, str]] = Counter()
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0
        app.history.listeners.append(self.count)

    def routes(self) -> list[Route]:
        """Give the route that monitoring reads."""
        return [Route("/metrics", self._shown)]

    def count(self, call: Mapping[str, Any]) -> None:
        """Count a call as it was recorded."""
        code = call["error"]["code"] if call["error"] else "ok"
        facade = call["facade"] if call["facade"] in _FACADES else "other"
        self._outcomes[facade, code if code in STATUS or code == "ok" else "other"] += 1
        seconds = call["duration_ms"] / 1000
        self._buckets[bisect_left(BOUNDS, seconds)] += 1
        self._seconds += seconds

    async def _shown(self, _request: Request) -> Response:
        lines = [line for family in self._families() for line in family.lines()]
        return Response("\n".join([*lines, ""]), media_type=_MEDIA_TYPE)

    def _families(self) -> Iterator[_Family]:
        app = self._app
        yield _gauge("build_info", "The version that runs.", {f'{{version="{__version__}"}}': 1})
        yield _gauge("uptime_seconds", "Seconds since the server started.", {"": round(monotonic() - app.started, 3)})
        yield from self._calls()
        yield from _sandbox(app.sandbox.report())
        yield from _cache(app.sandbox.cache.report())
        yield _gauge("jobs", "Calls that outlast their request.", _by("state", app.jobs.report()))
        streams = {kind: number() for kind, number in self._streams.items()}
        yield _gauge("streams", "What is open to clients.", _by("kind", streams))
        yield from _catalog(app)

    def _calls(self) -> Iterator[_Family]:
        outcomes = {f'{{facade="{facade}",code="{code}"}}': n for (facade, code), n in sorted(self._outcomes.items())}
        yield _counter("calls_total", "Calls that ended, by the way they came and their error code or ok.", outcomes)
        buckets, total = {}, 0
        for bound, count in zip([*map(str, BOUNDS), "+Inf"], self._buckets, strict=True):
            total += count
            buckets[f'_bucket{{le="{bound}"}}'] = total
        samples = (*buckets.items(), ("_sum", round(self._seconds, 6)), ("_count", total))
        yield _Family("call_duration_seconds", "histogram", "How long calls took, waiting included.", samples)


def _sandbox(report: Mapping[str, Any]) -> Iterator[_Family]:
    yield _gauge("workers", "Calls that may run at once.", {"": report["workers"]})
    calls = {"running": report["running"], "waiting": report["waiting"], "begun": report["live"]}
    yield _gauge(
        "sandbox_calls", "Calls that compute, wait for a place, or have begun and not ended.", _by("state", calls)
    )
    children = {"spare": report["spares"], "living": report["children"]}
    yield _gauge("sandbox_children", "Processes that wait ready, and all there are.", _by("state", children))
    yield _counter("sandbox_restarts_total", "Times the zygote was started anew.", {"": report["zygote_restarts"]})
    levels = {level: int(level == report["level"]) for level in ("full", "strong", "weak", "none")}
    yield _gauge("sandbox_level", "1 for how well the walls stand.", _by("level", levels))


def _cache(report: Mapping[str, Any]) -> Iterator[_Family]:
    for name in ("hits", "misses", "compiles", "evictions"):
        yield _counter(
            f"cache_{name}_total", f"What the cache of compiled scripts counts as {name}.", {"": report[name]}
        )
    yield _gauge("cache_entries", "Compiled scripts and refusals kept.", {"": len(report["entries"])})
    yield _gauge("cache_bytes", "Bytes they take.", {"": report["bytes"]})
    yield _gauge("cache_max_bytes", "Bytes they may take.", {"": report["max_bytes"]})


def _catalog(app: App) -> Iterator[_Family]:
    catalog = app.library.catalog
    broken = sum(tool.blocked is not None for tool in catalog.tools.values())
    tools = {"usable": len(catalog.tools) - broken, "broken": broken}
    yield _gauge("tools", "Tools there are, without looking at any file.", _by("state", tools))
    yield _gauge("problems", "What is wrong with the files.", {"": len(catalog.problems)})


def _gauge(name: str, help: str, samples: Mapping[str, float]) -> _Family:
    return _Family(name, "gauge", help, tuple(samples.items()))


def _counter(name: str, help: str, samples: Mapping[str, float]) -> _Family:
    return _Family(name, "counter", help, tuple(samples.items()))


def _by(label: str, values: Mapping[str, float]) -> dict[str, float]:
    return {f'{{{label}="{key}"}}': value for key, value in values.items()}
