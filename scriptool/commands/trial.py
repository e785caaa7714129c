"""Trial: the `tests` that authors wrote into definitions, run as calls."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from scriptool.app import App
from scriptool.call import Call, Caller, Result
from scriptool.fields import Check
from scriptool.folders.catalog import Catalog
from scriptool.schema import shown


@dataclass(frozen=True)
class Trial:
    """How one test of a tool ended: *failure* says what differs, and is empty where it passed."""

    tool: str
    number: int
    failure: str = ""

    def __str__(self) -> str:
        return f"{self.tool} {self.number}: {self.failure or 'ok'}"


async def trials(app: App, catalog: Catalog) -> AsyncIterator[Trial]:
    """Run every test of every tool in *catalog*, one after the other."""
    for name, tool in catalog.tools.items():
        for number, check in enumerate(tool.tests, 1):
            result = await app.dispatcher.call(Call(name, check.args, Caller("test")))
            yield Trial(name, number, _difference(check, result))


def _difference(check: Check, result: Result) -> str:
    if check.error is not None:
        if result.error is None:
            return f"expected the error {check.error}, got {shown(result.value)}"
        code = result.error["code"]
        return "" if code == check.error else f"expected the error {check.error}, got {_said(result)}"
    if result.error is not None:
        return f"expected {shown(check.result)}, got the error {_said(result)}"
    return "" if same(check.result, result.value) else f"expected {shown(check.result)}, got {shown(result.value)}"


def _said(result: Result) -> str:
    error = result.error or {}
    return f"{error.get('code')}: {error.get('message')}"


def same(one: Any, other: Any) -> bool:
    """Say whether two JSON values are the same: 1 and 1.0 are, 1 and true are not."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
        case list(), list():
            return len(one) == len(other) and all(map(same, one, other))
        case bool(), _:
            return one is other
        case int() | float(), int() | float():
            return not isinstance(other, bool) and one == other
        case _:
            return type(one) is type(other) and bool(one == other)
