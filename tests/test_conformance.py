"""The official conformance suite of MCP, run whole against the tools of `conformance/`, for both eras."""

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.server import port_of, running

ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".conformance"
SUITE = ("@modelcontextprotocol/conformance", "0.2.0-alpha.12")
NODE = (f"node-linux-{ {'x86_64': 'x64', 'aarch64': 'arm64'}.get(platform.machine(), platform.machine()) }", "22.23.3")
"""The suite needs Node 22; what is installed on a machine is often older, or none."""


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """Give the command that runs the suite, installed at first use into a folder that is not tracked."""
    packages = CACHE / "node_modules"
    node, script = packages / NODE[0] / "bin/node", packages / SUITE[0] / "dist/index.js"
    if not (node.exists() and script.exists()):
        install()
    return [str(node), str(script)]


def install() -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, and the conformance suite comes from there")
    CACHE.mkdir(exist_ok=True)
    (CACHE / "package.json").write_text('{"name": "conformance-suite", "private": true}\n')
    wanted = [f"{name}@{version}" for name, version in (SUITE, NODE)]
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *wanted]
    done = subprocess.run(command, cwd=CACHE, capture_output=True, text=True, timeout=240)
    if done.returncode:
        unreachable = re.search(r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)\b", done.stderr)
        if unreachable:
            pytest.skip(f"npm cannot be reached ({unreachable[1]}), and the conformance suite comes from there")
        pytest.fail(f"npm could not install the conformance suite: {done.stderr[-2000:]}")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running([sys.executable, "-m", "tests.conformance.serve", "0"], cwd=ROOT) as printed:
        yield port_of(printed)


def printed_by(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=CACHE)
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
