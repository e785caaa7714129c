"""Each tool of examples/ is called over HTTP with the values someone would send."""

import base64
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import mcp
import pytest
from mcp import types
from mcp.client import ClientRequestContext

from tests.server import Server, serving

EXAMPLES = Path(__file__).parents[2] / "examples"

CALLS: list[tuple[str, dict[str, Any], Any]] = [
    (
        "text_stats",
        {"text": "One fine day. Another fine day!\n\nLast words?", "top": 1},
        {
            "words": 8,
            "sentences": 3,
            "paragraphs": 2,
            "characters": 44,
            "reading_minutes": 0.0,
            "frequent": [{"word": "fine", "count": 2}],
        },
    ),
    (
        "text_diff",
        {"before": "a\nb\nc", "after": "a\nB\nc\nd", "context": 0},
        {
            "same": False,
            "added": 2,
            "removed": 1,
            "diff": "--- before\n+++ after\n@@ -2 +2 @@\n-b\n+B\n@@ -3,0 +4 @@\n+d",
        },
    ),
    ("text_diff", {"before": "same", "after": "same"}, {"same": True, "added": 0, "removed": 0, "diff": ""}),
    (
        "work_days",
        {"start": "2026-12-21", "end": "2027-01-03", "holidays": ["2026-12-25", "2026-12-26", "2027-01-01"]},
        {
            "working_days": 8,
            "days": 14,
            "holidays_on_weekdays": ["2026-12-25", "2027-01-01"],
            "last_working_day": "2026-12-31",
        },
    ),
    (
        "world_clock",
        {"moment": "2026-03-01T20:00", "cities": ["Asia/Tokyo", "America/New_York"], "home": "Europe/Berlin"},
        [
            {"city": "Asia/Tokyo", "time": "04:00", "day": "Monday (+1 day)", "iso": "2026-03-02T04:00:00+09:00"},
            {"city": "America/New_York", "time": "14:00", "day": "Sunday", "iso": "2026-03-01T14:00:00-05:00"},
        ],
    ),
    (
        "split_bill",
        {"total": "100.00", "people": ["Ann", "Bo", "Cy"], "tip_percent": 10},
        {"due": "110.00", "shares": {"Ann": "36.68", "Bo": "36.66", "Cy": "36.66"}},
    ),
    (
        "loan_plan",
        {"amount": "1000", "yearly_percent": "12", "months": 3},
        {
            "monthly": "340.02",
            "total_interest": "20.07",
            "plan": [
                {"month": 1, "payment": "340.02", "interest": "10.00", "repaid": "330.02", "left": "669.98"},
                {"month": 2, "payment": "340.02", "interest": "6.70", "repaid": "333.32", "left": "336.66"},
                {"month": 3, "payment": "340.03", "interest": "3.37", "repaid": "336.66", "left": "0.00"},
            ],
        },
    ),
    (
        "csv_to_json",
        {"text": "name;code;price\nbread;01067;2.40\nmilk;80331;1\n"},
        {
            "columns": ["name", "code", "price"],
            "rows": [
                {"name": "bread", "code": "01067", "price": 2.4},
                {"name": "milk", "code": 80331, "price": 1},
            ],
        },
    ),
    (
        "json_table",
        {"rows": [{"name": "Ann", "home": {"city": "Bonn"}}, {"name": "Bo", "tags": ["x", "y"]}], "format": "markdown"},
        "| name | home.city | tags |\n| --- | --- | --- |\n| Ann | Bonn |  |\n| Bo |  | x, y |",
    ),
    ("json_table", {"rows": [{"a": {"b": 1}}]}, [{"a.b": 1}]),
    ("json_table", {"rows": [{"a": {"b": 1}, "c": 2}], "columns": ["c", "a.b"], "format": "csv"}, "c,a.b\n2,1\n"),
    (
        "describe_numbers",
        {"numbers": [1, 2, 3, 4, 100], "buckets": 2},
        {
            "count": 5,
            "mean": 22.0,
            "deviation": pytest.approx(43.617657),
            "minimum": 1,
            "quartiles": [2.0, 3.0, 4.0],
            "maximum": 100,
            "outliers": [100],
            "histogram": [{"from": 1.0, "count": 4}, {"from": 50.5, "count": 1}],
        },
    ),
    ("convert_units", {"value": 5, "source": "mi", "target": "km"}, {"value": 8.04672, "unit": "km"}),
    (
        "find_contacts",
        {"text": "Write to ann@example.org (see https://example.org/a?b=1). Call +49 (30) 123-456; ann@example.org"},
        {"emails": ["ann@example.org"], "links": ["https://example.org/a?b=1"], "phones": ["+4930123456"]},
    ),
    (
        "order_total",
        {
            "items": [{"name": "tea", "price": 3.5, "quantity": 2}, {"name": "cup", "price": 4.99, "quantity": 1}],
            "discount_percent": 10,
        },
        {"net": "11.99", "discount": "1.20", "tax": "2.05", "total": "12.84"},
    ),
    ("invite", {"guest": "Ann", "day": "2026-12-24"}, "Dear Ann,\n\nplease come on Thursday, 24 December.\n"),
    ("invite", {"guest": "Bo"}, "Dear Bo,\n\nplease come one of these days.\n"),
]

REFUSALS: list[tuple[str, dict[str, Any], str, str]] = [
    ("work_days", {"start": "2026-02-01", "end": "2026-01-01"}, "tool_error", "end is before start"),
    ("split_bill", {"total": 1, "people": []}, "tool_error", "nobody is there to pay"),
    ("convert_units", {"value": 1, "source": "kg", "target": "km"}, "tool_error", "do not measure the same thing"),
    ("csv_to_json", {"text": "a,b\n1,2,3\n"}, "tool_error", "row 2 has another number of cells than the header"),
    ("world_clock", {"moment": "2026-03-01T20:00", "cities": ["Mars/Base"]}, "tool_error", "'Mars/Base'"),
    ("bar_chart", {"values": {"a": -1}}, "tool_error", "none below"),
    ("order_total", {"items": [{"name": "tea", "price": 1}]}, "invalid_params", "quantity"),
    ("convert_units", {"value": 1, "source": "mile", "target": "km"}, "invalid_params", "/source"),
]


@pytest.fixture(scope="module")
def examples() -> Iterator[Server]:
    with serving(EXAMPLES) as server:
        yield server


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tool", "arguments", "result"), CALLS)
def test_example_gives(examples: Server, tool: str, arguments: dict[str, Any], result: Any) -> None:
    answer = examples.call(tool, **arguments)
    assert answer.get("error") is None
    assert answer["result"] == result


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tool", "arguments", "code", "words"), REFUSALS)
def test_example_refuses(examples: Server, tool: str, arguments: dict[str, Any], code: str, words: str) -> None:
    error = examples.call(tool, **arguments)["error"]
    assert (error["code"], words in error["message"]) == (code, True)


def test_cache_probe_shows_what_the_server_did(examples: Server) -> None:
    examples.call("text_stats", text="Compiled once.")
    reads = examples.call("cache_probe")["result"]["reads"]
    assert set(reads) == {"compiles", "hits", "evictions", "bytes", "calls", "problems"}
    assert (reads["compiles"]["value"] >= 1, reads["problems"]["value"]) == (True, [])


def test_bar_chart_draws_a_picture_and_says_which_bar_is_which(examples: Server) -> None:
    picture, legend = examples.call("bar_chart", values={"tea": 3, "cup": 1.5})["result"]
    data = base64.b64decode(picture["data"])
    assert (picture["type"], picture["mimeType"]) == ("image", "image/png")
    assert (data[:8], struct.unpack(">II", data[16:24])) == (b"\x89PNG\r\n\x1a\n", (320, 46))
    assert legend == "From top to bottom:\n1. tea: 3\n2. cup: 1.5"


async def test_invite_asks_for_the_day_it_lacks(examples: Server) -> None:
    async def person(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert params.message == "When shall Ann come?"
        return types.ElicitResult(action="accept", content={"day": "2026-12-24"})

    async with mcp.Client(f"{examples.url}/mcp", elicitation_callback=person) as client:
        result = await client.call_tool("invite", {"guest": "Ann"})
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    assert block.text == "Dear Ann,\n\nplease come on Thursday, 24 December.\n"


def test_every_example_is_called_and_healthy(examples: Server) -> None:
    listed = {tool["name"] for tool in examples.get("/tools")["tools"]}
    reaching = {"city_weather", "page_text", "folder_report", "trip_table"}  # in test_reaching_examples.py
    called = {tool for tool, _, _ in CALLS} | {"bar_chart", "cache_probe"} | reaching
    assert listed - {"definitions_list", "job_status", "job_cancel"} == called
    assert examples.get("/debug/errors") == {"problems": []}


@pytest.mark.timeout(60)
def test_the_cache_probe_tells_each_client_what_changed_since_its_last_look(examples: Server) -> None:
    def look(client: str) -> Any:
        headers = {"X-Client-Id": client}
        answer = httpx2.post(f"{examples.url}/tools/cache_probe", json={}, headers=headers, timeout=60).json()
        return answer["result"]

    assert set(look("ann")["changed"]) == {"compiles", "hits", "evictions", "bytes", "calls", "problems"}
    look("bob")
    examples.call("text_diff", before="a", after="b")
    for client in ("ann", "bob"):
        assert {"hits", "calls"} <= set(look(client)["changed"]) <= {"hits", "calls", "bytes", "compiles"}
