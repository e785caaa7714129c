"""Doctor: the command that says what a server started here would stand on, from walls to permissions."""

import os
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sandbox import Limits
from scriptool import __version__
from scriptool.app import App
from scriptool.commands.terminal import (
    Allow,
    Config,
    Modules,
    Weak,
    count,
    print_json,
    run,
    settled,
    with_allowance,
    with_modules,
)
from scriptool.folders.catalog import Catalog
from scriptool.permission import EVERYTHING
from scriptool.settings import Settings, choose_folders

Finding = tuple[str, str]
"""What was looked at, and what it is like; lines that go on have an empty first part."""

RUNNING: Final = ("full", "strong")
"""Levels of the sandbox at which scripts run without `--weak-sandbox`."""

_LEVELS: Final[Mapping[str, str]] = {
    "full": "full: every wall stands",
    "strong": "strong: scripts run, though a wall is missing",
    "weak": "weak: a wall is missing that scripts must stay behind",
    "none": "none: its processes do not start",
}


def add_to(cli: typer.Typer) -> None:
    """Add the command to the command line."""
    cli.command()(doctor)


def doctor(
    folders: Annotated[list[Path] | None, typer.Argument(metavar="[DIR]...", help="Folders of tools.")] = None,
    no_shared: Annotated[bool, typer.Option("--no-shared", help="Leave out the folder all projects share.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    module: Modules = None,
    allow: Allow = None,
    config: Config = None,
    weak_sandbox: Weak = False,
) -> None:
    """Say what a server started here would stand on; exits 1 if it would not run scripts."""
    chosen = choose_folders(folders or [], project=Path.cwd(), shared=not no_shared)
    chosen = with_modules(chosen.model_copy(update={"watch": False, "weak_sandbox": weak_sandbox}), module)
    settings = with_allowance(chosen, config, allow)
    report, catalog = run(_examined(settings))
    if as_json:
        print_json(described(settings, report, catalog))
    else:
        found = list(findings(settings, report, catalog))
        width = max(len(what) for what, _ in found)
        for what, like in found:
            print(f"{what:<{width}}  {like}".rstrip())
    if not runs(settings, report):
        raise typer.Exit(1)


def runs(settings: Settings, report: Mapping[str, Any]) -> bool:
    """Say whether scripts run behind the walls that *report* tells of."""
    return report["level"] in RUNNING or (report["level"] == "weak" and settings.weak_sandbox)


def findings(settings: Settings, report: Mapping[str, Any], catalog: Catalog) -> Iterator[Finding]:
    """Give what is known, line by line, for people."""
    yield "scriptool", f"{__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield "sandbox", _LEVELS[report["level"]]
    for layer, state in report["layers"].items():
        yield "", f"{layer}: {state}"
    through = [name for name, got_through in report["attempts"].items() if got_through]
    if report["attempts"]:
        tried = count(len(report["attempts"]), "attempt")
        yield "self-test", f"{tried} to get out, {', '.join(through) + ' GOT THROUGH' if through else 'all refused'}"
    if not runs(settings, report):
        yield "", "scripts do not run; --weak-sandbox lets them" if report["level"] == "weak" else report["refusal"]
    yield "limits", f"a call has {_limits(settings.standard.limits)}"
    yield "", f"a definition may raise that to {_limits(settings.standard.ceiling)}"
    yield "", f"{report['workers']} calls run at once"
    yield "modules", ", ".join(settings.modules) or "none beside those of the language"
    for number, folder in enumerate(settings.folders):
        yield "" if number else "folders", f"{folder}: {_folder(folder)}"
    yield "", f"{count(len(catalog.tools), 'tool')}, {count(len(catalog.problems), 'problem')}"
    yield "permissions", _config(settings)
    for rule in settings.rules.rules:
        whom = "every tool" if rule.pattern == EVERYTHING else rule.pattern
        yield "", f"{whom}: {', '.join(f'{kind} {entry}' for kind, entry in rule.allowed.items())}"
    yield "secrets", ", ".join(str(file) for file in settings.secret_files if file.exists()) or "none"


def described(settings: Settings, report: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """Give what is known as JSON."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "runs_scripts": runs(settings, report),
        "sandbox": {name: report[name] for name in ("level", "layers", "missing", "attempts", "workers")},
        "limits": vars(settings.standard.limits),
        "ceiling": vars(settings.standard.ceiling),
        "modules": list(settings.modules),
        "folders": [{"path": str(folder), "state": _folder(folder)} for folder in settings.folders],
        "tools": len(catalog.tools),
        "problems": len(catalog.problems),
        "config": str(settings.config) if settings.config is not None and settings.config.exists() else None,
        "permissions": [{"tools": rule.pattern, **rule.allowed.to_json()} for rule in settings.rules.rules],
        "secret_files": [str(file) for file in settings.secret_files if file.exists()],
    }


async def _examined(settings: Settings) -> tuple[Mapping[str, Any], Catalog]:
    async with App(settings) as app:
        report = app.sandbox.report()
        return report, await settled(app) if runs(settings, report) else await app.library.fresh()


def _limits(limits: Limits) -> str:
    return (
        f"{limits.seconds:g} s, {limits.memory_mb} MB of memory, {limits.output_kb} KB of output, "
        f"{limits.result_kb} KB of result, {limits.source_kb} KB of source"
    )


def _folder(folder: Path) -> str:
    if not folder.exists():
        return "not there (yet)"
    if not folder.is_dir():
        return "no folder"
    if not os.access(folder, os.R_OK | os.X_OK):
        return "cannot be read"
    return "open to be written by everybody on this machine" if folder.stat().st_mode & 0o002 else "readable"


def _config(settings: Settings) -> str:
    if settings.config is not None and settings.config.exists():
        return f"{settings.config}"
    return "no scriptool.toml" if settings.rules.rules else "no scriptool.toml, so that tools reach nothing"
