"""The tables of docs/language.md, made from the policy. `python -m tests.sandbox.language_page` writes them there."""

from collections.abc import Iterable
from pathlib import Path

from sandbox.language.modules import LEFT_OUT, NAMES
from sandbox.language.policy import FOREIGN_NAMES, RULES
from sandbox.language.rules import ATTRIBUTE_HINTS, MISSING_BUILTINS, MODULE_HINTS, REFUSED_BUILTINS, WARNING_RULES

END = "<!-- end -->"
PAGE = Path(__file__).parents[2] / "docs" / "language.md"


def tables() -> dict[str, str]:
    """Give each generated table by its name on the page."""
    return {
        "refusals": rules(RULES.keys() - WARNING_RULES),
        "warnings": rules(WARNING_RULES),
        "attributes": rows(("attribute", "instead"), named(ATTRIBUTE_HINTS.items())),
        "builtins": rows(("builtin", "instead"), named([*REFUSED_BUILTINS.items(), *MISSING_BUILTINS.items()])),
        "foreign names": rows(("names", "here"), grouped(FOREIGN_NAMES.items())),
        "modules": rows(("module", "left out, and why"), modules()),
        "other modules": rows(("module", "instead"), named(MODULE_HINTS.items())),
    }


def filled(page: str) -> str:
    """Give the text of the *page* with every table as the policy has it now."""
    for name, table in tables().items():
        before, mark, after = page.partition(f"<!-- {name} -->\n")
        assert mark, f"the page has no place for {name}"
        page = before + mark + table + END + after.partition(END)[2]
    return page


def rows(head: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ("---",) * len(head), *lines])


def rules(names: Iterable[str]) -> str:
    lines = ((code(name), RULES[name].reason, RULES[name].hint) for name in sorted(names))
    return rows(("rule", "why", "instead"), lines)


def named(items: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(code(name), text) for name, text in sorted(items)]


def grouped(items: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Give the names that share a text in one row."""
    by_text: dict[str, list[str]] = {}
    for name, text in items:
        by_text.setdefault(text, []).append(code(name))
    return [(" ".join(names), text) for text, names in by_text.items()]


def modules() -> list[tuple[str, str]]:
    def left_out(name: str) -> str:
        return "; ".join(f"{what}: {why}" for what, why in LEFT_OUT.get(name, {}).items())

    return [(code(name), left_out(name).replace("|", "\\|")) for name in sorted(NAMES)]


def code(name: str) -> str:
    return f"`{name}`"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
