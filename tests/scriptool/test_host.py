"""The host: where a path leads, and how it is told that it leads nowhere."""

import math
import sys
from collections.abc import Generator
from typing import Any

import pytest

from scriptool.host import Host
from tests.application import Broken, Camera, host, read

VALUES: dict[str, tuple[str, Any]] = {
    '@app["title"]': ("str", "Test"),
    "@app/title": ("str", "Test"),
    "app/camera/fov": ("int", 60),
    "@now": ("int", 7),
    "@id:n1/size": ("float", 2.0),
    "@selection[0]/size": ("float", 3.0),
    "@selection[-1]/name": ("str", "Button"),
    "@sceneview:camera/angle": ("float", math.radians(60)),
    "@sceneview:camera/matrix[1]": ("list", [0, 1]),
    "@scene:/Canvas/Button[1]/size": ("float", 3.0),
    "@scene:/Canvas/Label/name": ("str", "Label"),
    "@scene:/Canvas/children[0]/size": ("float", 2.0),
    "@scene:/Main Camera/size": ("float", 1.0),
    "Camera/aspect": ("float", 1.5),
}


@pytest.mark.parametrize("path", VALUES)
def test_a_path_leads_to_its_value(path: str) -> None:
    kind, value = VALUES[path]
    assert read(path) == {"type": kind, "value": value}


def test_a_type_is_read_by_its_full_name() -> None:
    assert read(f"@type:{Camera.__module__}.Camera/aspect", Host(types=[Camera])) == {"type": "float", "value": 1.5}


def test_a_type_named_in_text_is_imported_when_it_is_first_read() -> None:
    entry = read("@type:fractions.Fraction", Host(types=["fractions.Fraction"]), depth=1)
    assert entry["type"] == "ABCMeta"


ERRORS: dict[str, tuple[str, str, str]] = {
    "@nothing": ("not_found", "this host has no root named 'nothing'", "Known: app, now."),
    "@ap": ("not_found", "this host has no root named 'ap'", 'Did you mean "app"?'),
    "Nothing": ("not_found", "there is no class 'nowhere.Nothing'", ""),
    "Camara/fov": ("not_found", "no type that may be read is named 'Camara'", 'Did you mean "Camera"?'),
    "@type:os.PathLike": (
        "not_found",
        "'os.PathLike' is not among the types that may be read",
        "Known: collections.OrderedDict, decimal.Decimal, email.message.Message, nowhere.Nothing, "
        f"{Camera.__module__}.Camera.",
    ),
    "@id:n9": ("not_found", "there is no object with id 'n9'", ""),
    "@sceneview:camra": ("not_found", "this host has no view named 'camra'", 'Did you mean "camera"?'),
    "@scene:/Canvs": ("not_found", "the scene has no top node 'Canvs'", 'Did you mean "Canvas"?'),
    "@scene:/Canvas/Labl": (
        "not_found",
        "the node 'Canvas' has no child and no member 'Labl'",
        'Did you mean "Label"?',
    ),
    "@scene:/Canvas/Button/size": (
        "ambiguous",
        "2 siblings are named 'Button'",
        "Say which by number: Button[0] to Button[1].",
    ),
    "@scene:/Canvas/Button[2]": ("not_found", "there is no Button[2]", "There are 2, counted from 0."),
    "@scene:/Canvas/Label[1]": ("not_found", "there is no Label[1]", "There is one."),
    "@scene:/Canvas/grow": (
        "bad_path",
        "Node.grow is a function or an inside of a class",
        "A probe reads data; to call something write a script.",
    ),
    "@app/camera/fob": ("not_found", "Camera has no member 'fob'", 'Did you mean "fov"?'),
    "@app/camera/os": (
        "bad_path",
        "Camera.os is a module",
        "A probe reads data; to call something write a script.",
    ),
    "@app/camera/on_change": (
        "bad_path",
        "Camera.on_change is a function or an inside of a class",
        "A probe reads data; to call something write a script.",
    ),
    "Camera/angle": (
        "bad_path",
        "type.angle is a function or an inside of a class",
        "A probe reads data; to call something write a script.",
    ),
    "@app/titel": ("not_found", "dict has no member 'titel'", 'Did you mean "title"?'),
    '@app["titel"]': ("not_found", "there is no dict['titel']", 'Did you mean "title"?'),
    "@selection[5]": ("not_found", "there is no list[5]", "It has 1 items, counted from 0."),
    '@selection["x"]': ("bad_path", "list has no item 'x'", "Its items go by number: [0]."),
    "@app/camera[0]": ("bad_path", "Camera has no items", "Name a member with /name."),
    "@app/camera/_private": ("bad_path", "'_private' is private", "Names that begin with _ are never read."),
}


@pytest.mark.parametrize("path", ERRORS)
def test_a_path_that_leads_nowhere_is_an_error_with_a_hint(path: str) -> None:
    code, message, hint = ERRORS[path]
    assert read(path) == {"error": {"code": code, "message": message} | ({"hint": hint} if hint else {})}


class Engine:
    """Something of an application that holds what leads into its code."""

    def __init__(self) -> None:
        self.steps = self.run()
        next(self.steps)
        self.job = self.wait()
        self.frame = sys._getframe()
        self.names = {"math": math, "frame": self.frame}
        try:
            raise ValueError("no")
        except ValueError as error:
            self.failure = [error.__traceback__]
        self.code = [self.frame.f_code]

    def run(self) -> Generator[int, None, None]:
        yield 1

    async def wait(self) -> None:
        pass


@pytest.mark.parametrize(
    "path",
    [
        "@engine/steps/gi_frame",
        '@engine/steps/gi_frame/f_globals["math"]/pi',
        "@engine/job/cr_frame/f_globals",
        "@engine/frame/f_back/f_locals",
        "@engine/failure[0]/tb_frame/f_globals",
        "@engine/code[0]/co_consts",
        '@engine/names["math"]/pi',
        "@engine/names/math/pi",
        "@engine/names/frame",
    ],
)
def test_no_path_leads_through_running_code_or_modules(path: str) -> None:
    engine = Engine()
    entry = read(path, Host(roots={"engine": engine}))
    engine.job.close()
    assert entry["error"]["code"] == "bad_path"
    assert entry["error"]["message"].endswith((" is an inside of running code", " is a module"))


def test_running_code_is_shown_by_its_name_only() -> None:
    engine = Engine()
    shown = read("@engine", Host(roots={"engine": engine}))["value"]
    engine.job.close()
    assert "steps" not in shown
    assert shown["names"] == {"math": "<module>", "frame": "<frame>"}


def test_a_name_of_two_types_is_ambiguous() -> None:
    host = Host(types=["email.message.Message", "mailbox.Message"])
    assert read("Message", host)["error"] == {
        "code": "ambiguous",
        "message": "'Message' may be any of email.message.Message, mailbox.Message",
        "hint": "Write one of @type:email.message.Message, @type:mailbox.Message.",
    }


def test_a_host_that_shows_nothing_says_so() -> None:
    bare = Host()
    told = {path: read(path, bare)["error"]["message"] for path in ("@selection", "@scene:/A", "@id:1", "@x", "T")}
    assert told == {
        "@selection": "this host has no selection",
        "@scene:/A": "this host has no scene",
        "@id:1": "there is no object with id '1'",
        "@x": "this host has no root named 'x'",
        "T": "no type that may be read is named 'T'",
    }


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("@broken/raising", "reading Broken.raising raised ValueError: no value yet"),
        ("@broken/leaving", "reading Broken.leaving raised SystemExit: 3"),
        ("@broken/lying", "reading Broken.lying raised AttributeError: inner thing is missing"),
        ("@broken", "reading Broken.leaving raised SystemExit: 3"),
        ("@missing", "reading the root missing raised KeyError: 'gone'"),
    ],
)
def test_whatever_a_getter_raises_is_the_error_of_that_read_alone(path: str, message: str) -> None:
    def missing() -> None:
        raise KeyError("gone")

    reads = [{"id": "bad", "path": path}, {"id": "good", "path": "@broken/good"}]
    answer = host(broken=Broken(), missing=missing).answer({"do": "read", "reads": reads})
    assert answer["reads"] == {
        "bad": {"path": path, "error": {"code": "getter_failed", "message": message}},
        "good": {"path": "@broken/good", "type": "int", "value": 1},
    }


def test_names_for_scripts_must_be_names_scripts_can_write() -> None:
    with pytest.raises(ValueError, match="scripts cannot find an object under the name '_x'"):
        Host(objects_for_scripts={"_x": 1})
