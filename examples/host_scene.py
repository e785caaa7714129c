"""A small application with a scene, a camera, a selection and undo, whose tools are served from inside it.

Run it with `python examples/host_scene.py`, and point an MCP client or curl at the address it prints. Its tools lie in
`_host_scene/` beside it. This file itself is no tool: `host_scene.json` says so.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scriptool.embed import Serving, serve
from scriptool.host import Host
from scriptool.objects.scene import Scene

TOOLS = Path(__file__).parent / "_host_scene"


class Node:
    """Anything in the scene: it has a name and nodes below it."""

    def __init__(self, name: str, *children: "Node") -> None:
        self.name = name
        self.children = list(children)


class Light(Node):
    """A lamp."""

    def __init__(self, name: str, intensity: float, history: "History") -> None:
        super().__init__(name)
        self.intensity = intensity
        self._history = history

    def set_intensity(self, value: float) -> None:
        """Change how bright it is; scripts call this, for they may not set attributes of the application's objects."""
        before = self.intensity
        self._history.add(lambda: setattr(self, "intensity", before))
        self.intensity = value


class Camera(Node):
    """What the picture is taken with."""

    def __init__(self, name: str, position: tuple[float, float, float], fov: float) -> None:
        super().__init__(name)
        self.position = position
        self.fov = fov

    @property
    def distance(self) -> float:
        """How far it is from the middle of the scene."""
        return sum(one * one for one in self.position) ** 0.5


class History:
    """What can be undone: groups of steps, the last group first."""

    def __init__(self) -> None:
        self.groups: list[tuple[str, list[Callable[[], None]]]] = []
        self._open = False

    def add(self, undo: Callable[[], None]) -> None:
        """Remember how to undo a step, in the group that is open or else in one of its own."""
        if not self._open:
            self.groups.append(("Step", []))
        self.groups[-1][1].append(undo)

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Put all steps of the block into one group."""
        self.groups.append((title, []))
        self._open = True
        try:
            yield
        finally:
            self._open = False

    def undo(self) -> str:
        """Undo the last group and give its title."""
        title, steps = self.groups.pop()
        for step in reversed(steps):
            step()
        return title


class Application:
    """The application: what it shows, what is selected, and a loop that draws and pumps."""

    def __init__(self) -> None:
        self.history = History()
        self.lights = [Light("Lamp", 2.0, self.history), Light("Lamp", 0.5, self.history)]
        self.camera = Camera("Main Camera", (3.0, 4.0, 0.0), 60.0)
        self.scene = [Node("Stage", *self.lights), self.camera]
        self.selection = [self.lights[0]]
        self.frames = 0
        self.host = Host(
            roots={"app": self},
            selection=lambda: self.selection,
            objects={"camera": self.camera},
            scene=Scene(top=lambda: self.scene),
            views={"camera": self.camera},
            types=[Light, Camera],
            undo=self.history.group,
            objects_for_scripts={"lights": self.lights, "camera": self.camera},
        )

    def serve(self, port: int = 8750) -> Serving:
        """Serve the tools; their main-thread scripts run in `frame`."""
        return serve(self.host, TOOLS, main_thread_scripts=True, port=port)

    def frame(self) -> None:
        """Draw one frame, and do what the tools asked for meanwhile."""
        self.frames += 1
        self.host.pump()


def main() -> None:
    """Run until Ctrl-C."""
    application = Application()
    with application.serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8750) as serving:
        print(f"Tools: {serving.url}/tools\nMCP:   {serving.url}/mcp", flush=True)
        try:
            while True:
                application.frame()
                time.sleep(1 / 60)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
