"""An application in small: objects of every sort, a host that shows them, and a thread that pumps it."""

import enum
import json
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scriptool.host import Host
from scriptool.objects.scene import Scene


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Node:
    name: str
    children: list["Node"] = field(default_factory=list)
    size: float = 1.0
    _secret: str = "hidden"

    def grow(self) -> None:
        self.size += 1


class Camera:
    """A class with every sort of member."""

    aspect = 1.5
    lens: "Camera | None" = None

    def __init__(self) -> None:
        self.fov = 60
        self.tags = {"main", "first"}
        self.on_change = lambda: None
        self.os = os
        self.kind = Node
        self._private = 1

    @property
    def angle(self) -> float:
        return math.radians(self.fov)

    @cached_property
    def matrix(self) -> list[list[int]]:
        return [[1, 0], [0, 1]]

    def look_at(self) -> None: ...

    @staticmethod
    def create() -> None: ...


class Broken:
    good = 1

    @property
    def raising(self) -> int:
        raise ValueError("no value yet")

    @property
    def leaving(self) -> int:
        raise SystemExit(3)

    @property
    def lying(self) -> int:
        raise AttributeError("inner thing is missing")

    def __str__(self) -> str:
        raise RuntimeError("never asked")


def host(**shown: Any) -> Host:
    buttons = [Node("Button", size=2.0), Node("Button", size=3.0)]
    scene = [Node("Canvas", [*buttons, Node("Label")]), Node("Main Camera")]
    return Host(
        roots={"app": {"title": "Test", "camera": Camera()}, "now": lambda: 7, **shown},
        selection=lambda: [buttons[1]],
        objects={"n1": buttons[0]},
        scene=Scene(top=lambda: scene),
        views={"camera": Camera()},
        types=[Camera, "decimal.Decimal", "collections.OrderedDict", "email.message.Message", "nowhere.Nothing"],
    )


def read(path: str, on: Host | None = None, **how: Any) -> dict[str, Any]:
    entry = (on or host()).answer({"do": "read", "reads": [{"id": "it", "path": path, **how}]})["reads"]["it"]
    assert entry.pop("path") == path
    json.dumps(entry, allow_nan=False)
    return dict(entry)


def pumping(one: Host, until: threading.Event) -> threading.Thread:
    """Let a thread be the application's main thread until the event."""

    def loop() -> None:
        while not until.wait(0.001):
            one.pump()
        one.pump()

    thread = threading.Thread(target=loop)
    thread.start()
    return thread


@contextmanager
def running(one: Host) -> Iterator[threading.Thread]:
    over = threading.Event()
    thread = pumping(one, over)
    try:
        yield thread
    finally:
        over.set()
        thread.join()
