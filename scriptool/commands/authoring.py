"""Authoring: the commands for those who write tools: new, test, schema and client-config."""

import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from scriptool.app import App
from scriptool.commands.clients import CLIENTS, connected, started
from scriptool.commands.starter import files_of
from scriptool.commands.terminal import (
    Allow,
    Config,
    Modules,
    Weak,
    count,
    fail,
    print_json,
    run,
    say,
    settings_of,
    settled,
    show,
    with_allowance,
    with_modules,
)
from scriptool.commands.trial import trials
from scriptool.definitions.fieldschema import KINDS, any_schema, schema_of
from scriptool.definitions.judgement import NAME, RESERVED
from scriptool.errors import did_you_mean
from scriptool.excerpt import excerpt
from scriptool.settings import Settings

Starter = Literal["script", "prompt", "resource"]
Kind = Annotated[str | None, typer.Argument(help=f"One of {', '.join(KINDS)}; else JSON of any kind.")]
ClientName = Annotated[str, typer.Argument(metavar="CLIENT", help=f"One of {', '.join(CLIENTS)}.")]


def add_to(cli: typer.Typer) -> None:
    """Add the commands to the command line."""
    cli.command()(new)
    cli.command()(test)
    cli.command()(schema)
    cli.command("client-config")(client_config)


def new(
    name: Annotated[str, typer.Argument(help="Name of the tool: lower-case letters, digits and _.")],
    folder: Annotated[Path, typer.Option("--dir", help="Folder of tools.", exists=True, file_okay=False)] = Path("."),
    kind: Annotated[Starter, typer.Option(help="What to begin.")] = "script",
) -> None:
    """Write a first tool, prompt or resource, to be changed into what is wanted."""
    if not NAME.fullmatch(name) or name in RESERVED:
        fail(f"{name!r} is no name for it: use lower-case letters, digits and _, a letter first.")
    texts = {folder / place: text for place, text in files_of(kind, name).items()}
    for path in texts:
        if path.exists() or path.is_symlink():
            fail(f"{path} is there already.")
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            print(path)
    except OSError as error:
        fail(f"it cannot be written: {error.strerror}.")


def test(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", exists=True, file_okay=False)] = Path("."),
    allow: Allow = None,
    config: Config = None,
    module: Modules = None,
    weak_sandbox: Weak = False,
) -> None:
    """Run the tests that stand in definitions; exits 1 if one fails, or a file is wrong."""
    settings = with_allowance(with_modules(settings_of(folder, weak_sandbox), module), config, allow)
    if run(_tested(settings)):
        raise typer.Exit(1)


async def _tested(settings: Settings) -> int:
    """Run all tests, say how each ended, and give how much is wrong."""
    async with App(settings) as app:
        catalog = await settled(app)
        for problem in catalog.problems:
            show("\n".join(excerpt(problem.to_json())))
        ran = failed = 0
        async for trial in trials(app, catalog):
            show(str(trial))
            ran, failed = ran + 1, failed + bool(trial.failure)
    problems = f", {count(len(catalog.problems), 'problem')}" if catalog.problems else ""
    say(f"{count(ran, 'test')}, {failed} failed{problems}.")
    return failed + len(catalog.problems)


def schema(kind: Kind = None) -> None:
    """Print the JSON Schema of definitions, for editors and checkers."""
    if kind is not None and kind not in KINDS:
        fail(f"{kind!r} is no kind of definition. {did_you_mean(kind, KINDS)}".strip())
    print_json(schema_of(kind) if kind is not None else any_schema())


def client_config(
    client: ClientName,
    folders: Annotated[list[Path] | None, typer.Argument(metavar="[DIR]...", help="Folders it shall serve.")] = None,
    url: Annotated[str | None, typer.Option(help="Connect to this running server instead of starting one.")] = None,
) -> None:
    """Print what an MCP client wants in its settings to connect to a folder of tools."""
    known = CLIENTS.get(client)
    if known is None:
        fail(
            f"{client!r} is no client whose settings are known. {did_you_mean(client, CLIENTS)}".strip()
            + f" Known are {', '.join(CLIENTS)}."
        )
    if url is not None and folders:
        fail("name folders to serve, or the --url of a server, but not both.")
    try:
        entry = connected(known, url) if url is not None else started(known, _command(), _absolute(folders))
    except ValueError as error:
        fail(f"{client}: {error}.")
    print_json(entry)
    say(f"It belongs into {known.file}.")


def _absolute(folders: list[Path] | None) -> list[str]:
    return [str(folder.absolute()) for folder in folders or []]


def _command() -> str:
    """Give the path of this program: clients start it without the paths a shell knows."""
    beside = Path(sys.executable).with_name("scriptool")
    return str(beside) if beside.exists() else shutil.which("scriptool") or "scriptool"
