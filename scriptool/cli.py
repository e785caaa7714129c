"""CLI: serve a folder of tools, call one, list them, check them."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from scriptool import __version__
from scriptool.app import App
from scriptool.commands import authoring, calling, doctor
from scriptool.commands.terminal import (
    Allow,
    Config,
    Folder,
    Modules,
    Weak,
    checked,
    count,
    fail,
    print_json,
    run,
    say,
    settings_of,
    show,
    with_allowance,
    with_modules,
)
from scriptool.excerpt import excerpt
from scriptool.folders.catalog import Claim
from scriptool.log import Format, Level, log_call, set_up
from scriptool.permission import Grant
from scriptool.settings import DEFAULT_PORT, OTHERS_RATE, Settings, choose_folders
from scriptool.token import read_token

cli = typer.Typer(name="scriptool", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
calling.add_to(cli)
authoring.add_to(cli)
doctor.add_to(cli)

_log = logging.getLogger("scriptool.cli")

"""Calls a second for each caller where others than this machine can reach the server."""

Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[DIR]...", help="Folders of tools; the first that has a name wins.", file_okay=False),
]
TokenFile = Annotated[
    Path | None, typer.Option(help="File with the bearer token to ask for; else SCRIPTOOL_TOKEN.", metavar="FILE")
]
RateLimit = Annotated[
    float | None, typer.Option(help="Calls a second for each caller; else 50 where others can reach it.", min=0.1)
]
Poll = Annotated[bool, typer.Option("--poll", help="Look for changes instead of listening (network drives).")]


def main() -> None:
    """Run the command line."""
    cli()


def _show_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@cli.callback()
def _scriptool(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """A folder of Python files as a live, sandboxed tool server."""


@cli.command()
def serve(
    folders: Folders = None,
    port: Annotated[int, typer.Option(help="Port to serve on; 0 takes a free one.", min=0, max=65535)] = DEFAULT_PORT,
    host: Annotated[str, typer.Option(help="Address to serve on; any but loopback needs a token.")] = "127.0.0.1",
    stdio: Annotated[bool, typer.Option("--stdio", help="Serve MCP on the standard streams, not HTTP.")] = False,
    no_shared: Annotated[bool, typer.Option("--no-shared", help="Leave out the folder all projects share.")] = False,
    project: Annotated[Path | None, typer.Option(help="Project whose own tools are served; else this folder.")] = None,
    allow_host: Annotated[list[str] | None, typer.Option(help="Further name this server is called by.")] = None,
    allow_origin: Annotated[list[str] | None, typer.Option(help="Web origin whose pages may use it.")] = None,
    token_file: TokenFile = None,
    rate_limit: RateLimit = None,
    allow: Allow = None,
    config: Config = None,
    poll: Poll = False,
    module: Modules = None,
    weak_sandbox: Weak = False,
    log_level: Annotated[Level, typer.Option(help="Least important messages to log.")] = Level.warning,
    log_format: Annotated[Format, typer.Option(help="How to log, on the error output.")] = Format.text,
) -> None:
    """Serve folders of tools over HTTP and MCP; an edit counts from the next call on."""
    set_up(log_level, log_format)
    chosen = choose_folders(_named(folders), project=project or Path.cwd(), shared=not no_shared)
    update = {
        "host": host,
        "port": port,
        "allowed_hosts": tuple(allow_host or ()),
        "allowed_origins": tuple(allow_origin or ()),
        "token": _token(token_file, host, stdio=stdio),
        "rate": rate_limit if rate_limit is not None or _is_local(host) else OTHERS_RATE,
        "poll": poll,
        "weak_sandbox": weak_sandbox,
    }
    chosen = with_modules(chosen.model_copy(update=update), module)
    run(_serve(with_allowance(chosen, config, allow), stdio=stdio))


def _named(folders: list[Path] | None) -> list[Path]:
    """Give the named folders. One may come later, but more often its name was mistyped."""
    named = folders or []
    for folder in named:
        if not folder.is_dir():
            _log.warning("%s is no folder yet; its tools are served as soon as it is there", folder)
    return named


@cli.command("list")
def list_tools(
    folder: Folder,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything known of each tool.")] = False,
    module: Modules = None,
    weak_sandbox: Weak = False,
) -> None:
    """List the tools of a folder."""
    catalog = run(checked(with_modules(settings_of(folder, weak_sandbox), module)))
    if as_json:
        print_json([tool.listing() for tool in catalog.tools.values()])
        return
    width = max((len(tool.name) for tool in catalog.tools.values()), default=0)
    for tool in catalog.tools.values():
        about = tool.description.partition("\n")[0] if tool.blocked is None else f"broken: {tool.blocked.message}"
        show(f"{tool.name:<{width}}  {about}")
    if catalog.problems:
        say(f"{count(len(catalog.problems), 'problem')}; `scriptool check {folder}` shows them.")


@cli.command()
def check(
    folder: Folder, allow: Allow = None, config: Config = None, module: Modules = None, weak_sandbox: Weak = False
) -> None:
    """Check every file of a folder; exits 1 if one is wrong and says where and how to mend it.

    Says also what each tool asks to reach, and whether that is granted.
    """
    settings = with_allowance(with_modules(settings_of(folder, weak_sandbox), module), config, allow)
    catalog = run(checked(settings))
    for problem in catalog.problems:
        show("\n".join(excerpt(problem.to_json())))
    for tool in catalog.tools.values():
        for warning in tool.warnings:
            show(f"{tool.file}: warning: {warning}")
    for claim in catalog.claims.values():
        for line in _grants(claim, settings):
            show(line)
    tools = count(len(catalog.tools.values()), "tool")
    if catalog.problems:
        say(f"{count(len(catalog.problems), 'problem')} in {tools}.")
        raise typer.Exit(1)
    say(f"{tools}, nothing wrong.")


def _grants(claim: Claim, settings: Settings) -> Iterator[str]:
    """Say of each thing a tool asks for whether it is granted."""
    tool = claim.tool
    grant = Grant(tool.name, tool.permissions, settings.rules.allowed(tool.name), claim.path.parent)
    for kind, entry, granted in grant.standing():
        verdict = "granted" if granted else f"not granted (--allow {kind}={entry})"
        yield f"{tool.file or claim.shown}: asks for {kind} {entry}: {verdict}"


async def _serve(settings: Settings, *, stdio: bool) -> None:
    # The web stack takes over a second to import, which the other commands need not wait for.
    from scriptool import web

    async with App(settings) as app:
        app.history.listeners.append(log_call)
        if stdio:
            await web.serve_stdio(app)
            return
        try:
            await web.serve(app, lambda line: print(line, flush=True))
        except OSError as error:
            fail(f"cannot serve on {settings.host} port {settings.port}: {error.strerror}. Try --port 0.")


def _token(file: Path | None, host: str, *, stdio: bool) -> str | None:
    try:
        token = read_token(file, os.environ)
    except (OSError, ValueError) as error:
        fail(f"the token cannot be used: {error}")
    if token is None and not stdio and not _is_local(host):
        fail(f"{host} can be reached by others: name a bearer token with --token-file or SCRIPTOOL_TOKEN.")
    return token


def _is_local(host: str) -> bool:
    return host in ("127.0.0.1", "localhost", "::1")
