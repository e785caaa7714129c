"""The examples that reach something, with what they ask for granted, against a test API and pages on loopback."""

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.secrecy import secret
from tests.server import SCRIPTOOL, Server, serving

EXAMPLES = Path(__file__).parents[2] / "examples"
KEY = secret("wk-5f0c-93ab-11")
CONFIG = """
[permissions]
net = ["127.0.0.1"]

[permissions.city_weather]
secrets = ["WEATHER_KEY"]

[permissions.folder_report]
read = ["data/"]
write = ["out/"]

[permissions."trip_*"]
tools = ["*"]
"""

WEATHER = {
    "Paris": {"name": "Paris", "temp_c": 12.34, "wind_kph": 20, "text": "light rain"},
    "Tokyo": {"name": "Tokyo", "temp_c": 18, "wind_kph": 8.05, "text": "clear"},
}
PAGE = """<!doctype html><html><head><title>News &amp; more</title><style>p {color: red}</style></head>
<body><script>alert(1)</script><h1>First   line</h1><p>Caf\u00e9 <b>opens</b> at 9.</p><ul><li>one<li>two</ul></body>"""


class Api(BaseHTTPRequestHandler):
    """The weather service, and a page."""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        city = parse_qs(url.query).get("q", [""])[0]
        if url.path == "/page":
            self.answer(200, PAGE.encode(), "text/html; charset=utf-8")
        elif self.headers["Authorization"] != f"Bearer {KEY}":
            self.answer(401, b"{}", "application/json")
        else:
            found = WEATHER.get(city)
            self.answer(200 if found else 404, json.dumps(found).encode(), "application/json")

    def answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("work") / "examples"
    shutil.copytree(EXAMPLES, path, ignore=shutil.ignore_patterns("out"))
    (path.parent / "scriptool.toml").write_text(CONFIG)
    (path.parent / "secrets.toml").write_text(f'WEATHER_KEY = "{KEY}"')
    (path.parent / "secrets.toml").chmod(0o600)
    return path


@pytest.fixture(scope="module")
def examples(folder: Path) -> Iterator[Server]:
    with serving(folder, "--config", str(folder.parent / "scriptool.toml")) as server:
        yield server


def value(answer: dict[str, Any]) -> Any:
    assert answer.get("error") is None
    return answer["result"]


@pytest.mark.timeout(60)
def test_the_weather_of_a_city_comes_with_a_secret(examples: Server, api: str) -> None:
    rain = {"city": "Paris", "celsius": 12.3, "wind_kmh": 20, "sky": "light rain"}
    assert value(examples.call("city_weather", city="Paris", api=api)) == rain
    error = examples.call("city_weather", city="Atlantis", api=api)["error"]
    assert (error["code"], error["details"]) == ("tool_error", {"city": "Atlantis"})
    assert KEY not in json.dumps(examples.get("/debug/calls"))


@pytest.mark.timeout(60)
def test_a_page_becomes_text(examples: Server, api: str) -> None:
    told = value(examples.call("page_text", url=f"{api}/page"))
    assert told["title"] == "News & more"
    assert told["text"].split("\n") == ["First line", "", "Caf\u00e9 opens at 9.", "", "one", "two"]
    assert (told["cut"], told["url"]) == (False, f"{api}/page")
    assert examples.call("page_text", url=f"{api}/nothing")["error"]["code"] == "tool_error"


@pytest.mark.timeout(60)
def test_a_folder_is_reported_on_and_the_report_saved(examples: Server, folder: Path) -> None:
    told = value(examples.call("folder_report", save=True))
    assert [(one["file"], one["rows"], one["sums"]) for one in told["files"]] == [
        ("april.csv", 1, {"price": 4.99}),
        ("march.csv", 3, {"price": 7.0}),
    ]
    report = (folder / "out/report.md").read_text()
    assert report.splitlines()[2] == "| april.csv | 1 | price 4.99 |"


@pytest.mark.timeout(60)
def test_one_tool_calls_three_others_and_gives_one_table(examples: Server, api: str) -> None:
    cities = {"Paris": "Europe/Paris", "Atlantis": "UTC", "Tokyo": "Asia/Tokyo"}
    told = value(examples.call("trip_table", cities=cities, moment="2026-03-01T12:00", api=api))
    assert told["table"].splitlines() == [
        "| city | local time | celsius | wind mph | sky |",
        "| --- | --- | --- | --- | --- |",
        "| Tokyo | 21:00 | 18 | 5.0 | clear |",
        "| Paris | 13:00 | 12.3 | 12.4 | light rain |",
        "| Atlantis | 12:00 |  |  | the weather service knows no city 'Atlantis' |",
    ]
    called = [call["tool"] for call in examples.get("/debug/calls")["calls"] if call["parent"]]
    assert sorted(set(called)) == ["city_weather", "convert_units", "world_clock"]


@pytest.mark.timeout(60)
def test_check_lists_what_is_asked_for_and_whether_it_is_granted(folder: Path) -> None:
    words = ["check", str(folder), "--allow", "page_*:net=*", "--config", str(folder.parent / "scriptool.toml")]
    done = subprocess.run([SCRIPTOOL, *words], capture_output=True, text=True, timeout=60, check=False)
    asked = [line for line in done.stdout.splitlines() if "asks for" in line]
    assert "page_text.py: asks for net *: granted" in asked
    assert "city_weather.py: asks for secrets WEATHER_KEY: granted" in asked
    assert "trip_table.py: asks for tools world_clock: granted" in asked
    (folder.parent / "empty.toml").write_text("")
    words = ["check", str(folder), "--config", str(folder.parent / "empty.toml")]
    done = subprocess.run([SCRIPTOOL, *words], capture_output=True, text=True, timeout=60, check=False)
    line = "city_weather.py: asks for secrets WEATHER_KEY: not granted (--allow secrets=WEATHER_KEY)"
    assert (line in done.stdout, done.returncode) == (True, 0)
    words = ["call", str(folder), "city_weather", "city=Paris", "--allow", "nonsense"]
    done = subprocess.run([SCRIPTOOL, *words], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "write KIND=VALUE" in done.stderr) == (2, True)
