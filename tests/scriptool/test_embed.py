"""An application that serves tools from inside, driven by a real MCP client while its loop runs."""

import asyncio
import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp
import pytest

from scriptool.embed import Serving, serve
from scriptool.host import Host
from tests.application import running

EXAMPLE = Path(__file__).parents[2] / "examples" / "host_scene.py"

pytestmark = pytest.mark.timeout(60)


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location("host_scene", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Loop:
    """An application that draws frames on this thread, as fast as it can, while a client calls it from another."""

    def __init__(self) -> None:
        self.application = load_example().Application()

    def run(self, client: Any) -> Any:
        """Draw frames until *client*, an async function of the address, is done; give what it gives."""
        with self.application.serve(port=0) as serving, _Background(client(serving.url)) as work:
            while not work.over.wait(0.001):
                self.application.frame()
            return work.result


class _Background:
    """An async function in a thread of its own."""

    def __init__(self, coroutine: Any) -> None:
        self.over = threading.Event()
        self.result: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(coroutine,))

    def __enter__(self) -> "_Background":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self, coroutine: Any) -> None:
        try:
            self.result = asyncio.run(coroutine)
        except BaseException as error:
            self._error = error
        finally:
            self.over.set()


def value(result: mcp.types.CallToolResult) -> Any:
    assert not result.is_error, result.content
    return result.structured_content


def test_a_client_works_with_an_application_while_it_runs() -> None:
    loop = Loop()

    async def client(url: str) -> Any:
        async with mcp.Client(f"{url}/mcp", mode="legacy") as agent:
            names = [tool.name for tool in (await agent.list_tools()).tools]
            first = value(await agent.call_tool("camera_probe", {}))
            bumped = value(await agent.call_tool("light_bump", {}))
            second = value(await agent.call_tool("camera_probe", {}))
            checked = value(await agent.call_tool("look_check", {"factor": 2}))
            return names, first, bumped, second, checked

    names, first, bumped, second, checked = loop.run(client)
    lights = loop.application.lights
    assert {"camera_probe", "light_bump", "look_check"} <= set(names)
    assert (first["baseline"], first["changed"]) == (True, ["camera", "lights", "selected"])
    assert first["reads"]["camera"]["value"] == {
        "name": "Main Camera",
        "fov": 60.0,
        "position": [3.0, 4.0, 0.0],
        "distance": 5.0,
    }
    assert bumped == {"light": 0, "before": 2.0, "after": 3.0}
    assert second["reads"]["lights"]["value"][0] == {"name": "Lamp", "intensity": 3.0}
    assert second["changed"] == ["lights"]
    assert [step["ok"] for step in checked["steps"]] == [True, True, True]
    assert [light.intensity for light in lights] == [6.0, 1.5]
    assert [title for title, _ in loop.application.history.groups] == ["Step", "Look check"]
    assert loop.application.history.undo() == "Look check"
    assert [light.intensity for light in lights] == [3.0, 0.5]
    assert loop.application.frames > 0


def test_a_failing_step_closes_the_undo_group_too() -> None:
    loop = Loop()
    loop.application.lights.pop()
    loop.application.scene[0].children.pop()

    async def client(url: str) -> Any:
        async with httpx2.AsyncClient() as web:
            return (await web.post(f"{url}/tools/look_check", json={}, timeout=60)).json()

    error = loop.run(client)["error"]
    assert (error["code"], error["step"], error["cause"]["code"]) == ("step_failed", "second", "tool_error")
    assert not loop.application.history._open


SERVED: dict[str, str] = {
    "where.py": "return 'sandbox'",
    "here.json": '{"name": "here", "description": "d", "kind": "script", "file": "_here.py"}',
    "_here.py": "return box.add(args.get('n', 1))",
    "apart.json": '{"name": "apart", "description": "d", "kind": "script", "file": "_apart.py", "mainThread": false}',
    "_apart.py": "return box.add(1)",
    "slow.json": (
        '{"name": "slow", "description": "d", "kind": "script", "file": "_slow.py", "limits": {"seconds": 0.2}}'
    ),
    "_slow.py": "print('begun')\nwhile True: pass",
    "endless.json": '{"name": "endless", "description": "d", "kind": "script", "file": "_endless.py"}',
    "_endless.py": "box.add(1)\nwhile True: pass",
    "look.json": (
        '{"name": "look", "description": "d", "kind": "probe", "reads": [{"id": "n", "path": "@box/n"}],'
        ' "limits": {"seconds": 0.2}}'
    ),
}


class Box:
    def __init__(self) -> None:
        self.n = 0
        self.threads: set[str] = set()

    def add(self, n: int) -> int:
        self.n += n
        self.threads.add(threading.current_thread().name)
        return self.n


@contextmanager
def served(folder: Path, **options: Any) -> Iterator[tuple[Serving, Host, Box]]:
    for name, text in SERVED.items():
        (folder / name).write_text(text)
    box = Box()
    host = Host(roots={"box": box}, objects_for_scripts={"box": box})
    with serve(host, folder, port=0, **options) as serving:
        yield serving, host, box


def post(serving: Serving, tool: str, **arguments: Any) -> Any:
    return httpx2.post(f"{serving.url}/tools/{tool}", json=arguments, timeout=60).json()


def test_scripts_run_where_their_definition_says(folder: Path) -> None:
    with served(folder, main_thread_scripts=True) as (serving, host, box), running(host) as main:
        assert post(serving, "here", n=2)["result"] == 2
        assert box.threads == {main.name}
        assert post(serving, "where")["result"] == "sandbox"
        error = post(serving, "apart")["error"]
    assert error["message"].startswith("NameError: ")
    assert (box.n, error["code"]) == (2, "script_runtime_error")


def test_without_the_switch_scripts_stay_off_the_main_thread_and_say_so(folder: Path) -> None:
    with served(folder) as (serving, host, box), running(host):
        error = post(serving, "here")["error"]
        assert post(serving, "where")["result"] == "sandbox"
        assert post(serving, "look")["result"]["reads"]["n"]["value"] == 0
    assert error == {
        "code": "sandbox_unavailable",
        "message": "This script runs on the application's main thread, which the application does not allow.",
        "hint": "Serve with main_thread_scripts=True, or say mainThread: false in the definition.",
        "missing": ["main_thread_scripts"],
        "file": "_here.py",
    }
    assert box.n == 0


def test_an_application_that_does_not_pump_is_told_apart_from_a_slow_script(folder: Path) -> None:
    with served(folder, main_thread_scripts=True) as (serving, host, _):
        silent = [post(serving, "look")["error"], post(serving, "slow")["error"]]
        with running(host):
            slow = post(serving, "slow")
    assert [(one["code"], one["waited_for"]) for one in silent] == [("timeout", "pump")] * 2
    assert slow["error"]["message"] == (
        "The script ran longer than 0.2 seconds on the application's main thread and was ended."
    )
    assert (slow["error"]["code"], slow["output"]) == ("timeout", "begun\n")


def test_a_script_whose_caller_hangs_up_is_ended(folder: Path) -> None:
    with served(folder, main_thread_scripts=True) as (serving, host, box), running(host):
        with pytest.raises(httpx2.TimeoutException):
            httpx2.post(f"{serving.url}/tools/endless", json={}, timeout=1)
        assert post(serving, "here", n=5)["result"] == 6
    assert box.n == 6


def test_what_is_edited_counts_at_once_on_the_main_thread_too(folder: Path) -> None:
    with served(folder, main_thread_scripts=True) as (serving, host, _), running(host):
        for number in range(5):
            (folder / "_here.py").write_text(f"return {number}")
            assert post(serving, "here")["result"] == number
        (folder / "_here.py").write_text("return exec('1')")
        error = post(serving, "here")["error"]
    assert (error["code"], error["file"], error["diagnostics"][0]["line"]) == ("script_compile_error", "_here.py", 1)


def test_tools_that_change_the_application_do_not_claim_to_be_harmless(folder: Path) -> None:
    with served(folder, main_thread_scripts=True) as (serving, _, _box):
        tools = {tool["name"]: tool for tool in httpx2.get(f"{serving.url}/tools").json()["tools"]}
    assert {name: tools[name]["annotations"]["readOnlyHint"] for name in ("here", "apart", "where", "look")} == {
        "here": False,
        "apart": True,
        "where": True,
        "look": True,
    }


def test_closing_ends_the_thread_and_frees_the_address(folder: Path) -> None:
    with served(folder) as (serving, _, _box):
        port = int(serving.url.rpartition(":")[2])
        assert "scriptool" in {thread.name for thread in threading.enumerate()}
    assert "scriptool" not in {thread.name for thread in threading.enumerate()}
    with serve(Host(), folder, port=port) as again:
        assert again.url == serving.url
    again.close()  # a second time is none too many


def test_an_address_that_cannot_be_had_is_said_at_once(folder: Path) -> None:
    with served(folder) as (serving, _, _box):
        port = int(serving.url.rpartition(":")[2])
        with pytest.raises(OSError):
            serve(Host(), folder, port=port)
    with pytest.raises(ValueError, match="0.0.0.0 can be reached by others: set a token"):
        serve(Host(), folder, address="0.0.0.0")


def test_the_example_runs_as_its_page_says() -> None:
    command = [sys.executable, str(EXAMPLE), "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        answer = httpx2.post(f"{url}/light_bump", json={"factor": 4}, timeout=60).json()
    finally:
        process.terminate()
        process.communicate(timeout=20)
    assert json.dumps(answer["result"]) == '{"light": 0, "before": 2.0, "after": 8.0}'


@pytest.mark.parametrize("where", ["main", "sandbox"])
def test_scripts_reach_what_the_application_allows(folder: Path, where: str) -> None:
    main_thread = str(where == "main").lower()
    head = f'# /// tool\n# permissions = {{read = ["data/"], tools = ["where"]}}\n# mainThread = {main_thread}\n# ///\n'
    (folder / "data").mkdir()
    (folder / "data/x.txt").write_text("hello")
    (folder / "reads.py").write_text(f"{head}return [open('data/x.txt').read(), ctx.call('where')]")
    allow = ["read=data/", "tools=*"]
    with served(folder, main_thread_scripts=True, allow=allow) as (serving, host, _), running(host):
        assert post(serving, "reads")["result"] == ["hello", "sandbox"]
    with served(folder, main_thread_scripts=True) as (serving, host, _), running(host):
        assert post(serving, "reads")["error"]["code"] == "permission_denied"
