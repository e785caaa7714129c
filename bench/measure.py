"""Measuring contenders side by side: in turns, so that a busy moment of the machine hits all of them."""

import statistics
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Call = Callable[[], object]


@dataclass(frozen=True)
class Latency:
    """Milliseconds of one contender's calls, one caller at a time."""

    median: float
    fastest_quarter: float
    slowest_quarter: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ms ({self.fastest_quarter:.2f} to {self.slowest_quarter:.2f})"


def latencies(contenders: Mapping[str, Call], rounds: int) -> dict[str, Latency]:
    """Call each contender once a round, in an order that turns, and give the quartiles of each."""
    for call in contenders.values():
        call()
        call()
    times: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            started = time.perf_counter()
            contenders[name]()
            times[name].append(1000 * (time.perf_counter() - started))
    return {name: quartiles(found) for name, found in times.items()}


def quartiles(times: list[float]) -> Latency:
    first, median, third = statistics.quantiles(times, n=4, method="inclusive")
    return Latency(median, first, third)


def throughputs(contenders: Mapping[str, list[Call]], blocks: int, seconds: float) -> dict[str, float]:
    """Let all callers of one contender run for a block, then those of the next; give the median calls a second."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(blocks):
        for name, callers in contenders.items():
            rates[name].append(rate(callers, seconds))
    return {name: statistics.median(found) for name, found in rates.items()}


def rate(callers: list[Call], seconds: float) -> float:
    counts = [0] * len(callers)
    failures: list[Exception] = []
    started = time.perf_counter()
    stop = started + seconds

    def work(index: int, call: Call) -> None:
        try:
            while time.perf_counter() < stop:
                call()
                counts[index] += 1
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sum(counts) / (time.perf_counter() - started)
