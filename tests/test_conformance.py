"""The official conformance suite of MCP, run whole against the tools of `conformance/`, for both eras."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.packages import NPM, node, npm
from tests.server import port_of, running

ROOT = Path(__file__).parent.parent
SUITE = "@modelcontextprotocol/conformance"


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """Give the command that runs the suite."""
    return [node(), str(npm({SUITE: "0.2.0-alpha.12"}) / SUITE / "dist/index.js")]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running([sys.executable, "-m", "tests.conformance.serve", "0"], cwd=ROOT) as printed:
        yield port_of(printed)


def printed_by(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=NPM)
    return done.stdout + done.stderr


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("version", "count"), [("2025-11-25", 30), ("2026-07-28", 37)])
def test_every_required_scenario_passes(suite: list[str], port: int, tmp_path: Path, version: str, count: int) -> None:
    listed = printed_by([*suite, "list", "--server", "--requirements", version])
    section = re.search(r"Server scenarios.*?\n((?:  - \S+\n)+)", listed)
    assert section, listed
    required = set(section[1].replace("  - ", "").split())
    assert len(required) == count
    url = f"http://127.0.0.1:{port}/mcp"
    report = printed_by([*suite, "server", "--url", url, "--requirements", version, "-o", str(tmp_path)])
    summary = report.partition("=== SUMMARY ===")[2]
    passed = set(re.findall(r"^✓ (\S+): [1-9]", summary, re.MULTILINE))
    assert required - passed == set(), summary
