"""Calling: `scriptool call`, which calls a tool of a folder, or one that the running server of this project has."""

import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from scriptool.app import App
from scriptool.call import Call, Caller, Result
from scriptool.commands.person import Person, hear
from scriptool.commands.remote import Unreachable, call_there
from scriptool.commands.terminal import (
    Allow,
    Config,
    Modules,
    Weak,
    fail,
    print_json,
    run,
    say,
    settings_of,
    with_allowance,
    with_modules,
)
from scriptool.excerpt import story
from scriptool.instance import running
from scriptool.jsontext import NotJson, parse
from scriptool.questions import NOBODY
from scriptool.settings import Settings, choose_folders

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[DIR] NAME [KEY=VALUE]...",
        help="Folder of tools, else the running server of this project has them; name of the tool; its arguments, "
        "KEY:=JSON for other than text.",
    ),
]
Project = Annotated[Path | None, typer.Option(help="Project whose running server is asked; else this folder.")]


class _Wish(NamedTuple):
    """What the words of a command line name: a *folder* or None, a tool, its arguments."""

    folder: Path | None
    name: str
    pairs: list[str]


def add_to(cli: typer.Typer) -> None:
    """Add the command to the command line."""
    cli.command()(call)


def call(
    words: Words,
    json_text: Annotated[str | None, typer.Option("--json", help="All arguments as one JSON object.")] = None,
    envelope: Annotated[bool, typer.Option("--envelope", help="Print the whole answer as JSON.")] = False,
    project: Project = None,
    allow: Allow = None,
    config: Config = None,
    module: Modules = None,
    weak_sandbox: Weak = False,
) -> None:
    """Call one tool. Its result goes to the output, what it printed and what went wrong to the error output.

    What it asks is asked at the terminal, if there is one and the tool is one of DIR.
    """
    wish = _wish(words)
    arguments = _arguments(wish.pairs, json_text)
    if wish.folder is not None:
        settings = with_allowance(with_modules(settings_of(wish.folder, weak_sandbox), module), config, allow)
        result = run(_called(settings, Call(wish.name, arguments, Caller("cli"))))
    elif allow or config or module or weak_sandbox:
        fail("what a running server allows was decided when it was started; name a folder, or leave these options out.")
    else:
        result = _called_there(choose_folders([], project=project or Path.cwd()), wish.name, arguments)
    if envelope:
        print_json(result.to_json())
    else:
        _show(result)
    raise typer.Exit(0 if result.ok else 1)


def _wish(words: list[str]) -> _Wish:
    """Tell `DIR NAME ...` from `NAME ...`: an argument has a `=`, the name of a tool never."""
    if len(words) == 1 or "=" in words[1]:
        return _Wish(None, words[0], words[1:])
    folder = Path(words[0])
    if not folder.is_dir():
        fail(f"{words[0]} is no folder. To call {words[0]} of the running server, write its arguments as KEY=VALUE.")
    return _Wish(folder, words[1], words[2:])


async def _called(settings: Settings, wish: Call) -> Result:
    async with App(settings) as app:
        respondent = Person() if sys.stdin.isatty() else NOBODY
        return await app.dispatcher.call(wish, hear, respondent=respondent)


def _called_there(settings: Settings, name: str, arguments: dict[str, Any]) -> Result:
    found = running(settings)
    if found is None and Path(name).is_dir():
        fail(f"name a tool of {name}: `scriptool call {name} NAME`.")
    if found is None:
        hint = "Start it with `scriptool serve`, or name the folder: `scriptool call DIR NAME`."
        fail(f"no server of the project {settings.project} is running. {hint}")
    try:
        return call_there(found, name, arguments, hear)
    except Unreachable as lost:
        fail(f"{lost}.")
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _arguments(pairs: list[str], text: str | None) -> dict[str, Any]:
    """Give the arguments a command line holds: KEY=VALUE as text, KEY:=VALUE as JSON, over those of --json."""
    found: Any = {}
    if text is not None:
        found = _json(text, "--json")
        if not isinstance(found, dict):
            fail("--json takes an object, as in --json '{\"price\": 9.5}'.")
    for pair in pairs:
        try:
            pair.encode()
        except UnicodeEncodeError:
            fail(f"{ascii(pair)} holds bytes that are no UTF-8.")
        key, equals, value = pair.partition("=")
        if not equals or not key.rstrip(":"):
            fail(f"{pair!r} is no argument; write KEY=VALUE, or KEY:=JSON.")
        found[key.removesuffix(":")] = _json(value, key.removesuffix(":")) if key.endswith(":") else value
    return dict(found)


def _json(text: str, name: str) -> Any:
    try:
        return parse(text.encode("utf-8", "surrogateescape"))
    except NotJson as error:
        fail(f"{name} is not JSON: {error.message} (line {error.line}, column {error.column}). {error.hint}".strip())


def _show(result: Result) -> None:
    if result.output:
        say(result.output.removesuffix("\n"))
    for warning in result.warnings:
        say(f"warning: {warning}")
    if result.error is None:
        print_json(result.value)
    else:
        say("\n".join(story(result.error)))
