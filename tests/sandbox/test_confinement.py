"""Attacks that have left the language, in real children of a real sandbox: no layer lets one through.

ESCAPES_DIR names another folder of attacks with a manifest of the same form.
"""

import os
from pathlib import Path

import pytest

from sandbox.kernel.layer import LAYERS
from tests.sandbox.confinement import ESCAPES, ROOT, Verdict, attack_as, load, python_for_users, summary
from tests.sandbox.forked import as_root_and_user

FOLDER = Path(os.environ.get("ESCAPES_DIR", ESCAPES))


@pytest.fixture(autouse=True)
def open_to(identity: str) -> None:
    """Skip what the user cannot do because the checkout or the interpreter is closed to others."""
    if identity == "user" and os.getuid() == 0:
        if not all(folder.stat().st_mode & 0o001 for folder in (ROOT, *ROOT.parents)):
            pytest.skip("this checkout is closed to other users")
        try:
            python_for_users()
        except FileNotFoundError as error:
            pytest.skip(str(error))


def told(verdicts: list[Verdict]) -> list[str]:
    return [f"{verdict.attack} {verdict.said}" for verdict in verdicts if verdict.through and not verdict.residual]


@pytest.mark.timeout(300)
@as_root_and_user
def test_no_attack_gets_through(identity: str, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = attack_as(identity, load(FOLDER))
    with capsys.disabled():
        print(f"\n{FOLDER} as {identity}: {summary(verdicts)}")
    assert told(verdicts) == []
    assert verdicts, "the folder lists no attack"


@pytest.mark.timeout(300)
@as_root_and_user
def test_most_attacks_get_through_where_no_layer_is_on(identity: str, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = attack_as(identity, [attack for attack in load(FOLDER) if attack.on_layers], without=LAYERS)
    with capsys.disabled():
        print(f"\n{FOLDER} as {identity}, every layer off: {summary(verdicts)}")
    assert len(told(verdicts)) > len(verdicts) / 2
