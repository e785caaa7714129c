"""Other people's programs for the tests, from npm and PyPI: installed at first use, into untracked folders."""

import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NPM = ROOT / ".conformance"
VENVS = ROOT / ".clients"

_MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
_NODE = f"node-linux-{_MACHINE}"
_NODE_VERSION = "22.23.3"
_UNREACHABLE = re.compile(
    r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)\b"
    r"|(NewConnectionError|Failed to establish a new connection|Name or service not known|Read timed out)"
)


def npm(wanted: Mapping[str, str]) -> Path:
    """Give the folder of node modules that holds the *wanted* packages at those versions."""
    missing = [f"{name}@{version}" for name, version in wanted.items() if _installed(name) != version]
    if missing:
        if shutil.which("npm") is None:
            pytest.skip(f"npm is not installed, and {', '.join(missing)} come from there")
        NPM.mkdir(exist_ok=True)
        if not (NPM / "package.json").exists():
            (NPM / "package.json").write_text('{"name": "test-clients", "private": true}\n')
        options = ["--save-exact", "--no-audit", "--no-fund", "--ignore-scripts"]
        _install("npm", ["npm", "install", *options, *missing], NPM)
    return NPM / "node_modules"


def node() -> str:
    """Give a Node that is new enough for all of them; what is installed on a machine is often older, or none."""
    return str(npm({_NODE: _NODE_VERSION}) / _NODE / "bin/node")


def venv(name: str, *requirements: str) -> Path:
    """Give the folder of programs of a virtual environment with exactly these requirements."""
    place = VENVS / name
    stamp = place / "requirements"
    text = "\n".join(requirements)
    if not stamp.exists() or stamp.read_text() != text:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True, timeout=120)
        pip = [str(place / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "1"]
        _install("PyPI", [*pip, *requirements], ROOT)
        stamp.write_text(text)
    return place / "bin"


def _install(registry: str, command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)
    if done.returncode:
        unreachable = _UNREACHABLE.search(done.stderr)
        if unreachable:
            pytest.skip(f"{registry} cannot be reached ({unreachable[0]})")
        pytest.fail(f"{registry}: {' '.join(command[-2:])} could not be installed: {done.stderr[-2000:]}")


def _installed(name: str) -> str | None:
    """Give the version of a package that is there."""
    about = NPM / "node_modules" / name / "package.json"
    return str(json.loads(about.read_text())["version"]) if about.exists() else None
