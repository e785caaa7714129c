"""Schemathesis: requests made from the examples' OpenAPI document; every answer must be one that the document names."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.server import Server, serving

ROOT = Path(__file__).parent.parent

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "missing_required_header",
)
"""Not those that want every odd request refused: what fits without loss is taken, with a warning, and a tool may have
reasons of its own to refuse what its schema allows."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(ROOT / "examples") as one:
        while httpx2.get(f"{one.url}/ready", timeout=20).status_code == 503:
            pass
        yield one


@pytest.mark.timeout(240)
def test_every_answer_is_one_that_the_document_names(server: Server, tmp_path: Path) -> None:
    document = f"{server.url}/openapi.json"
    options = ["--checks", ",".join(CHECKS), "--max-examples", "10", "--seed", "1", "--continue-on-failure"]
    program = Path(sys.executable).parent / "schemathesis"
    command = [str(program), "run", document, *options, "--request-timeout", "30"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    operations = len(httpx2.get(document, timeout=30).json()["paths"])
    assert re.search(rf"Tested: {operations}\b", done.stdout), done.stdout
    assert httpx2.get(f"{server.url}/ready", timeout=30).status_code == 200
