"""Terminal: what commands share: settings of one folder, plain words on both outputs, a failure as an exit code."""

import asyncio
import json
import re
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, TypeVar

import typer

from sandbox import Fault, check_additions
from scriptool.allowance import decided
from scriptool.app import App
from scriptool.folders.catalog import Catalog
from scriptool.settings import Settings, choose_folders

T = TypeVar("T")

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of tools.", exists=True, file_okay=False)]
Config = Annotated[
    Path | None, typer.Option("--config", help="What tools are allowed; else scriptool.toml of this folder.")
]
Allow = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="[TOOL:]KIND=VALUE", help="Allow tools to reach something: net=api.example.com."),
]
Modules = Annotated[
    list[str] | None,
    typer.Option("--module", metavar="NAME", help="Let scripts import a further module, and reach what it can reach."),
]
Weak = Annotated[bool, typer.Option("--weak-sandbox", help="Run scripts although the kernel confines them less.")]


async def checked(settings: Settings) -> Catalog:
    """Give the catalog once every file has been compiled."""
    async with App(settings) as app:
        return await settled(app)


async def settled(app: App) -> Catalog:
    """Give the catalog of *app* once every file has been compiled."""
    catalog = await app.library.fresh()
    while any(tool.checking for tool in catalog.tools.values()):
        catalog = await app.library.fresh()
    return catalog


def settings_of(folder: Path, weak_sandbox: bool) -> Settings:
    """Give the settings of a command that looks at one folder once."""
    chosen = choose_folders([folder], project=Path.cwd(), shared=False)
    return chosen.model_copy(update={"watch": False, "weak_sandbox": weak_sandbox})


def with_modules(settings: Settings, modules: list[str] | None) -> Settings:
    """Give the settings with the modules that the operator adds."""
    try:
        check_additions(modules or ())
    except ValueError as error:
        fail(f"the module cannot be added: {error}.")
    return settings.model_copy(update={"modules": tuple(dict.fromkeys(modules or ()))})


def with_allowance(settings: Settings, config: Path | None, allow: list[str] | None) -> Settings:
    """Give the settings with what the operator allows."""
    try:
        return decided(settings, config, allow or (), Path.cwd())
    except (OSError, ValueError) as error:
        fail(f"the permissions cannot be used: {error}")


def show(text: str) -> None:
    """Print *text* on the output."""
    print(_plain(text))


def print_json(value: Any) -> None:
    """Print *value* on the output."""
    show(json.dumps(value, ensure_ascii=False, indent=2))


def count(number: int, noun: str) -> str:
    """Give a number of things in words."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def say(text: str) -> None:
    """Print *text* on the error output."""
    print(_plain(text), file=sys.stderr)


def prompt(text: str) -> None:
    """Print *text* on the error output, where what follows on the same line is typed."""
    print(_plain(text), end="", file=sys.stderr, flush=True)


def _plain(text: str) -> str:
    """Give *text* of which a terminal shows every character: no tool is to move its cursor or to turn a line round.

    The escapes are those of JSON.
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text.encode("utf-8", "replace").decode())


def fail(message: str) -> NoReturn:
    """Say why the command cannot be carried out as it was given."""
    say(f"scriptool: {message}")
    raise typer.Exit(2)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run *work*; a fault of the whole server is said in words, and Ctrl-C is no failure."""
    try:
        return asyncio.run(work)
    except Fault as fault:
        fail(f"{fault.message} {fault.hint}".strip())
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
