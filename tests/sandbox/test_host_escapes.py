"""Attacks on the process of an application: after each it finds everything as it was, and nothing is left."""

import calendar
import csv
import dataclasses
import datetime
import decimal
import fractions
import ipaddress
import json
import random
import re
import struct
import textwrap
import types
import typing
import urllib.parse
from concurrent.futures import Future
from typing import Any

import pytest

from sandbox import Fault, Limits, Program
from sandbox.here import run_here
from sandbox.process.program import MAIN, module_digest, program_digest
from tests.sandbox.forked import in_child
from tests.sandbox.hosted import added_to, objects_of_scripts
from tests.sandbox.test_escapes import ROWS, source_of

ATTACKS = [pytest.param(row, id=row["id"]) for row in ROWS if row["oracle"] == "host"]
LIBRARY = {
    module.__name__.partition(".")[0]: module
    for module in (calendar, csv, datetime, decimal, fractions, ipaddress, random, re, struct, textwrap, typing)
} | {"urllib": urllib}


@dataclasses.dataclass
class Lamp:
    """An object of the application, as its author would write it."""

    name: str = "lamp"
    _secret: str = "hidden"

    def __lt__(self, other: object) -> bool:
        return False


@dataclasses.dataclass
class Application:
    """What is shown to the scripts."""

    lamp: Lamp = dataclasses.field(default_factory=Lamp)
    box: Any = dataclasses.field(default_factory=lambda: types.SimpleNamespace(size=1, _key="hidden"))
    context: Any = dataclasses.field(default_factory=lambda: decimal.Context(prec=7))
    wrapper: Any = dataclasses.field(default_factory=textwrap.TextWrapper)
    error: Any = dataclasses.field(default_factory=lambda: ValueError("as it was"))


def run_in_application(text: bytes, application: Application) -> Any:
    """Run *text* among the objects of the *application*; give what it returns, or why it failed."""
    program = Program(program_digest([(MAIN, module_digest(MAIN, text))]), {})
    answers: Future[Any] = Future()
    answers.set_exception(Fault("permission_denied", "nothing is granted"))
    try:
        return run_here(
            program,
            {MAIN: text},
            "attack.py",
            {},
            {"application": application},
            limits=Limits(seconds=2),
            tell=lambda *_: None,
            ask=lambda *_: answers,
        ).value
    except Fault as fault:
        return fault.message


@pytest.mark.parametrize("row", ATTACKS)
def test_an_application_finds_everything_as_it_was(row: dict[str, Any]) -> None:
    def work() -> Any:
        application = Application()
        names = {"application": application, "Lamp": Lamp, **LIBRARY}
        exec(row.get("before", ""), names)
        before = objects_of_scripts()
        said = run_in_application(source_of(row), application)
        left = sorted({type(one).__name__ for one in added_to(before)})
        return [eval(row["check"], names), left, json.dumps(said)]

    found, left, said = in_child(work).value
    assert (found, left) == (row["good"], []), said
    assert "hidden" not in said
