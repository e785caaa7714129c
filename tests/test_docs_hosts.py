"""What the pages on probes and hosts claim, run: definitions in real applications, calls by real clients."""

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from scriptool.embed import serve
from scriptool.errors import STATUS
from scriptool.host import Host
from tests.application import running
from tests.scriptool.test_embed import load_example
from tests.server import serving
from tests.test_docs import ROOT, blocks

PROBES, HOSTS = ROOT / "docs/probes.md", ROOT / "docs/hosts.md"

Asked = dict[str, Any]


def calls(page: Path, *heads: str) -> list[tuple[str, str]]:
    return [(head, text) for head, text in blocks(page) if head in heads]


def put(page: Path, folder: Path, word: str, suffix: str = "") -> None:
    """Write the blocks headed `LANGUAGE WORD=NAME` to files of the folder."""
    for head, text in blocks(page):
        if match := re.fullmatch(rf"\w+ {word}=(\S+)", head):
            path = folder / f"{match[1]}{suffix}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)


def post(url: str, request: str) -> Any:
    tool, arguments = request.split(" ", 1)
    headers = {"X-Client-Id": "a reader"}
    return httpx2.post(f"{url}/tools/{tool}", json=json.loads(arguments), headers=headers, timeout=60).json()


def check(url: str, head: str, text: str) -> None:
    """Make the call of a block and compare: a whole result, the reads of one, or an error's code and words of it."""
    request, expected = text.split("\n", 1)
    answer = post(url, request)
    code = expected.split()[0]
    if code in STATUS:
        assert answer["error"]["code"] == code
        told = json.dumps(answer["error"])
        assert [word for word in expected.split()[1:] if word not in told] == []
        return
    result = answer["result"]["reads"] if head.startswith("reads") else answer["result"]
    wanted = json.loads(expected)
    if isinstance(wanted, dict) and wanted.get("snapshot") == "...":
        assert len(result.pop("snapshot")) == 16
        del wanted["snapshot"]
    assert result == wanted


@pytest.mark.timeout(60)
def test_the_probes_of_the_page_show_what_it_says(folder: Path) -> None:
    put(PROBES, folder, "definition", ".json")
    host = load_example().Application().host
    with serve(host, folder, port=0) as one, running(host):
        for head, text in calls(PROBES, "call", "reads"):
            check(one.url, head, text)


@pytest.mark.timeout(60)
def test_a_server_of_its_own_shows_itself_as_the_page_says(folder: Path) -> None:
    put(PROBES, folder, "standalone", ".json")
    with serving(folder) as one:
        for head, text in calls(PROBES, "reads standalone"):
            check(one.url, head, text)


@pytest.fixture
def application(tmp_path: Path) -> Iterator[str]:
    """Run the page's application; give its address."""
    put(HOSTS, tmp_path, "file")
    app = tmp_path / "app.py"
    app.write_text(app.read_text().replace("port=8750", "port=0"))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "app.py"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        yield url
        post(url, 'add {"amount": 100}')  # its loop ends there
        assert process.wait(20) == 0


@pytest.mark.timeout(60)
def test_the_application_of_the_page_works_as_it_says(application: str) -> None:
    for head, text in calls(HOSTS, "call", "reads"):
        check(application, head, text)


def test_a_host_in_another_process_answers_as_the_page_says() -> None:
    ((_, program),) = calls(HOSTS, "python remote")
    ((_, exchange),) = calls(HOSTS, "exchange")
    request, answer = exchange.strip().split("\n")
    run = subprocess.run(
        [sys.executable, "-S", "-c", program],
        input=request + "\n",
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert json.loads(run.stdout) == json.loads(answer)


def test_the_page_names_every_argument_of_a_host() -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", HOSTS.read_text(), re.MULTILINE))
    assert named == set(inspect.signature(Host).parameters)
