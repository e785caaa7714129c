"""What the page on running it claims, and the Dockerfile: run where that can be, else held against what it names."""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from sandbox import Sandbox
from scriptool.allowance import read_config
from scriptool.connection import Bounds
from scriptool.settings import DEFAULT_PORT, MAX_BODY
from tests.secrecy import secret
from tests.server import SCRIPTOOL, Server, port_of, running, serving
from tests.test_docs import ROOT, assert_printed, blocks, commands, shell

PAGE = ROOT / "docs/operations.md"
BLOCKS = dict(blocks(PAGE))
UNIT = BLOCKS["ini unit"]
TOKEN = secret("a-token-of-the-operator")


def setting(name: str) -> str:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as its documentation says to keep capitals
    parser.read_string(UNIT)
    return parser["Service"][name]


@pytest.fixture(scope="module")
def examples() -> Iterator[Server]:
    with serving(ROOT / "examples") as server:
        yield ready(server)


def ready(server: Server) -> Server:
    """Give the server once it has looked at every file."""
    headers = {"authorization": f"Bearer {TOKEN}"}
    while httpx2.get(f"{server.url}/ready", headers=headers, timeout=20).status_code == 503:
        pass
    return server


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve as the unit does, with its very options, on other places."""
    place = tmp_path_factory.mktemp("service")
    (place / "tools").mkdir()
    (place / "tools/one.py").write_text("return 1")
    _, *options = shlex.split(setting("ExecStart").replace("/srv/tools", str(place / "tools")))
    environment = {"SCRIPTOOL_TOKEN": TOKEN, "XDG_DATA_HOME": str(place / "data")}
    command = ["env", *(f"{name}={value}" for name, value in environment.items()), str(SCRIPTOOL), *options]
    with running([*command, "--port", "0"], cwd=place) as printed:
        yield ready(Server(port_of(printed)))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "scriptool.service"
    unit.write_text(UNIT.replace("/opt/scriptool/bin/scriptool", str(SCRIPTOOL)))
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit)]
    verdict = subprocess.run(command, capture_output=True, text=True, timeout=60)
    about = [line for line in (verdict.stdout + verdict.stderr).splitlines() if "scriptool.service" in line]
    assert about == []


def test_the_unit_leaves_the_sandbox_what_it_is_built_from() -> None:
    assert "RestrictNamespaces" not in UNIT
    refused = setting("SystemCallFilter")
    assert refused.startswith("~")
    assert not set(refused.split()) & {"@mount", "@process", "@sandbox", "@debug", "@privileged", "@resources"}


@pytest.mark.timeout(60)
def test_the_service_admits_its_host_and_its_token_and_tells_strangers_nothing(service: Server) -> None:
    proxied = {"host": "tools.example.com", "x-forwarded-for": "192.0.2.1"}
    with httpx2.Client(base_url=service.url, headers=proxied) as client:
        assert client.get("/health").json() == {"ok": True}
        assert {client.get(path).status_code for path in ("/", "/ready", "/metrics", "/tools", "/mcp")} == {401}
        client.headers["authorization"] = f"Bearer {TOKEN}"
        assert client.get("/ready").json()["ready"] is True
        assert "definitionsDir" in client.get("/health").json()
        assert client.get("/metrics").status_code == 200
        client.headers["host"] = "other.example.com"
        assert client.get("/tools").status_code == 403


@pytest.mark.timeout(60)
def test_a_call_is_logged_with_the_fields_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("return 1")
    options = ["--no-shared", "--port", "0", "--log-format", "json", "--log-level", "info"]
    with subprocess.Popen(
        [SCRIPTOOL, "serve", tmp_path, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stderr
        try:
            answer = Server(port_of(process.stdout.readline())).call("one")
            logged = next(line for line in process.stderr if '"scriptool.calls"' in line)
        finally:
            process.terminate()
    shown = json.loads(BLOCKS["json log"])
    assert json.loads(logged).keys() == shown.keys()
    assert json.loads(logged)["call_id"] == answer["call_id"]


@pytest.mark.timeout(60)
def test_commands_on_the_page_print_what_it_says(examples: Server) -> None:
    for text in (text for head, text in blocks(PAGE) if head == "console"):
        for command, expected in commands(text):
            assert_printed(command, shell(command.replace("8750", str(examples.port)), ROOT), expected)


def test_metrics_are_those_on_the_page(examples: Server) -> None:
    examples.call("split_bill", total=1, people=["Ann"])
    text = httpx2.get(f"{examples.url}/metrics").text
    served = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
    assert set(re.findall(r"`(scriptool_\w+)`", PAGE.read_text())) == served


def test_numbers_and_files_on_the_page_are_those_of_the_code() -> None:
    text, bounds = PAGE.read_text(), Bounds()
    assert (bounds.head_bytes, bounds.head_seconds) == (64 * 1024, 10)
    assert "headers 64 KiB within 10 seconds" in text
    assert (MAX_BODY, bounds.body_seconds, bounds.connections) == (8 * 1024 * 1024, 60, 4000)
    assert "a body 8 MiB within 60 seconds, 4,000 connections" in text
    assert bounds.read_seconds == 60
    assert "Who reads nothing of an answer for 60 seconds is cut off." in text
    _, standard = read_config(BLOCKS["toml scriptool"].encode())
    assert (standard.limits.seconds, standard.ceiling.memory_mb) == (20, 512)


async def test_without_user_namespaces_the_level_is_what_the_page_says() -> None:
    async with Sandbox(without=("namespaces", "filesystem")) as sandbox:
        report = sandbox.report()
    assert {name: report[name] for name in ("level", "missing")} == json.loads(BLOCKS["json strong"])


@pytest.mark.parametrize("head", ["nginx", "caddy"])
def test_proxies_lead_to_the_usual_port_and_braces_close(head: str) -> None:
    text = BLOCKS[head]
    assert f"127.0.0.1:{DEFAULT_PORT}" in text
    assert text.count("{") == text.count("}")
    if head == "nginx":
        statements = [line.strip() for line in text.splitlines() if line.strip()]
        assert [line for line in statements if not line.endswith((";", "{", "}"))] == []


def instructions() -> list[tuple[str, str]]:
    """Give the Dockerfile's instructions, each with its arguments on one line."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(kind, rest.strip()) for kind, _, rest in (line.partition(" ") for line in text.splitlines() if line)]


def test_the_image_is_built_from_files_there_are_and_runs_as_an_ordinary_user() -> None:
    found = instructions()
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK"}
    assert {kind for kind, _ in found} <= known | {"ENTRYPOINT", "CMD"}
    sources = [word for kind, rest in found if kind == "COPY" and "--from" not in rest for word in rest.split()[:-1]]
    assert [source for source in sources if not (ROOT / source).exists()] == []
    kept = (ROOT / ".dockerignore").read_text().split()
    assert {f"!{source}" for source in sources} <= set(kept)
    images = {rest.split()[0] for kind, rest in found if kind == "FROM"}
    assert images == {"python:3.13-slim"}  # named without the address of a registry
    user = next(rest for kind, rest in found if kind == "USER")
    assert int(user.partition(":")[0]) > 0
    assert [kind for kind, _ in found].index("USER") < [kind for kind, _ in found].index("CMD")
    assert dict(found)["EXPOSE"] == str(DEFAULT_PORT)


@pytest.mark.timeout(60)
def test_what_the_image_starts_is_a_command_that_serves_once_it_has_a_token(tmp_path: Path) -> None:
    found = dict(instructions())
    (program,), command = json.loads(found["ENTRYPOINT"]), json.loads(found["CMD"])
    argv = [str(SCRIPTOOL.parent / program), *command, "--port", "0"]
    argv[argv.index("/tools")] = str(tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "SCRIPTOOL_TOKEN"}
    refused = subprocess.run(argv, capture_output=True, text=True, timeout=60, env=environment)
    assert (refused.returncode, "SCRIPTOOL_TOKEN" in refused.stderr) == (2, True)
    with running(["env", f"SCRIPTOOL_TOKEN={TOKEN}", *argv]) as printed:
        port = port_of(printed)
        check = json.loads(found["HEALTHCHECK"].partition("CMD ")[2])
        check = [word.replace(str(DEFAULT_PORT), str(port)) for word in check]
        assert subprocess.run(check, capture_output=True, timeout=30).returncode == 0
