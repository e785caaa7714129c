"""How often one caller may ask."""

import pytest

from sandbox import Fault
from scriptool.facades.rate import BURST_SECONDS, Rate


def test_a_caller_may_ask_in_a_burst_and_then_at_its_rate() -> None:
    now = 100.0
    rate = Rate(2, clock=lambda: now)
    for _ in range(2 * BURST_SECONDS):
        rate.take("a")
    with pytest.raises(Fault) as raised:
        rate.take("a")
    assert (raised.value.code, raised.value.details) == ("rate_limited", {"retry_after": 0.5})
    rate.take("b")
    now += 0.5
    rate.take("a")
    with pytest.raises(Fault):
        rate.take("a")


def test_without_a_rate_everything_is_admitted() -> None:
    rate = Rate(None)
    for _ in range(100_000):
        rate.take("a")


def test_callers_are_remembered_up_to_a_bound() -> None:
    rate = Rate(1, clock=lambda: 0.0)
    for number in range(30_000):
        rate.take(str(number))
    assert len(rate._filled) == 10_000
