"""Read path: where a read of a probe looks, as text and as data. Standard library only, so that any host can use it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

RootKind = Literal["type", "scene", "id", "selection", "sceneview", "named", "bare"]


class ReadError(Exception):
    """Why one read gave no value: `not_found`, `bad_path`, `ambiguous` or `getter_failed`."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    def to_json(self) -> dict[str, str]:
        """Give `{code, message, hint?}` as it stands in an answer."""
        return {"code": self.code, "message": self.message} | ({"hint": self.hint} if self.hint else {})


@dataclass(frozen=True)
class Root:
    """Where a path begins. *name* is the type, id, view or root meant; the selection and the scene have none."""

    kind: RootKind
    name: str = ""


@dataclass(frozen=True)
class Member:
    """A member of an object, a key of a mapping or, below `@scene`, a node."""

    name: str


@dataclass(frozen=True)
class Item:
    """An item by number, from the end if negative, or by key."""

    key: int | str


@dataclass(frozen=True)
class ReadPath:
    """A path as data: a root, then the steps down from it."""

    root: Root
    steps: tuple[Member | Item, ...]


_ROOT: Final = re.compile(
    r'@(?P<word>\w*)(?P<colon>:(?P<quoted>"(?:[^"\\]|\\.)*")?(?P<rest>[^/\[]*))?|(?P<bare>[^/\[]*)'
)
_STEP: Final = re.compile(r'/(?P<name>[^/\[\]]*)|\[(?P<number>-?[0-9]{1,9})\]|\[(?P<key>"(?:[^"\\]|\\.)*")\]')
_HOLES: Final = re.compile(r'(?P<quoted>"(?:[^"\\]|\\.)*")|\{(?P<input>[^{}]*)\}')
_SEPARATORS: Final = frozenset('/[]"')
"""What ends a name in a path: a value with one of them would lead on from where its author let it stand."""

_HOLE: Final = re.compile(r"\{([^{}]*)\}")
_MOST_SHOWN: Final = 40
_NAME: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")

ROOTS: Final = (
    "Begin with @type:package.Class, @scene:/Node, @id:ID, @selection, @sceneview:VIEW, @root or a type's name."
)


def parse(text: str) -> ReadPath:
    """Give the path that *text* spells.

    Raises: ReadError `bad_path` with what is wrong and how to mend it.
    """
    match = _ROOT.match(text)
    assert match is not None  # its last branch matches anything
    root = _root(match)
    steps: list[Member | Item] = []
    place = match.end()
    while place < len(text):
        step = _STEP.match(text, place)
        if step is None:
            raise _no_step(text, place)
        place = step.end()
        if root.kind == "scene" and text[step.start() :] == "/":
            continue  # `@scene:/` is the top of the tree
        steps.append(_step(step, nodes=root.kind == "scene"))
    return ReadPath(root, tuple(steps))


def _root(match: re.Match[str]) -> Root:
    bare, word = match["bare"], match["word"]
    if bare is not None:
        if not bare:
            raise _bad("the path has no root", ROOTS)
        return Root("bare", _dotted(bare))
    name = _quoted(match["quoted"]) if match["quoted"] else match["rest"] or ""
    if match["quoted"] and match["rest"]:
        raise _bad(f"{match['rest']!r} stands behind a quoted name", 'Write it as @id:"name"/member.')
    match word:
        case "type":
            return Root("type", _dotted(_named(word, name, "@type:package.module.Class")))
        case "id":
            return Root("id", _named(word, name, "@id:ID"))
        case "sceneview":
            return Root("sceneview", _named(word, name, "@sceneview:camera"))
        case "scene":
            if name:
                raise _bad(f"a path into the scene starts at its top, not at {name!r}", f"Write @scene:/{name}.")
            return Root("scene")
        case "selection":
            return Root("selection", _nameless(word, match["colon"]))
        case _:
            _nameless(word, match["colon"])
            return Root("named", _dotted(word))


def _named(word: str, name: str, example: str) -> str:
    if not name:
        raise _bad(f"@{word} needs a name behind a colon", f"Write it as {example}.")
    return name


def _nameless(word: str, colon: str | None) -> str:
    if colon is not None:
        raise _bad(f"@{word} takes no name behind a colon", f"Write @{word}, then /member or [0].")
    return ""


def _dotted(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise _bad(f"{name!r} is not the name of a root", ROOTS)
    return name


def _step(match: re.Match[str], *, nodes: bool) -> Member | Item:
    if match["number"] is not None:
        return Item(int(match["number"]))
    if match["key"] is not None:
        return Item(_quoted(match["key"]))
    name = match["name"]
    if not name:
        raise _bad("a member's name is missing behind a /", "Take the / out, or name a member behind it.")
    if name.startswith("_"):
        raise _bad(f"{name!r} is private", "Names that begin with _ are never read.")
    if not nodes:
        check_member(name)
    return Member(name)


def check_member(name: str) -> None:
    """Let a member's name pass.

    Raises: ReadError `bad_path` for anything but a plain, public name.
    """
    if "(" in name or ")" in name:
        raise _bad(f"{name!r} is a call", "A probe only reads; to call something write a script.")
    if "." in name:
        raise _bad(f"{name!r} is not a member's name", f"Members are separated by /: {name.replace('.', '/')}.")
    if name.startswith("_"):
        raise _bad(f"{name!r} is private", "Names that begin with _ are never read.")
    if not name.isidentifier():
        raise _bad(f"{name!r} is not a member's name", f"A key of a mapping goes in brackets: [{json.dumps(name)}].")


def _no_step(text: str, place: int) -> ReadError:
    rest = text[place:]
    hint = 'Items are [0] or ["key"], the key in double quotes; members are /name.'
    rest = rest if len(rest) <= _MOST_SHOWN else f"{rest[:_MOST_SHOWN]}..."
    return _bad(f"{rest!r} is neither an item nor a member", hint)


def _quoted(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        raise _bad(f"{text} is not a JSON string", 'Use double quotes, and \\" for one inside.') from None
    return str(value)


def _bad(message: str, hint: str) -> ReadError:
    return ReadError("bad_path", message, hint)


def inputs_of(text: str) -> list[str]:
    """Give the names that stand in braces in *text*, in order."""
    return _HOLE.findall(text)


def fill(text: str, inputs: Mapping[str, Any]) -> str:
    """Put the values of *inputs* where their names stand in braces, in one pass, as text.

    A string stands as it is (escaped between quotes), every other value as JSON. Outside of quotes it fills one name.

    Raises: ReadError `bad_path` for an input that was not given, or that is more than a name.
    """

    def filled(match: re.Match[str]) -> str:
        if match["input"] is not None:
            return _as_name(match["input"], inputs)
        return _HOLE.sub(lambda hole: json.dumps(_as_text(hole[1], inputs))[1:-1], match["quoted"])

    return _HOLES.sub(filled, text)


def _as_name(name: str, inputs: Mapping[str, Any]) -> str:
    text = _as_text(name, inputs)
    if not _SEPARATORS.isdisjoint(text):
        raise _bad(f"the input {name!r} fills one name of the path", "Pass a name without slash, bracket and quote.")
    return text


def _as_text(name: str, inputs: Mapping[str, Any]) -> str:
    value = inputs.get(name)
    if value is None:
        raise _bad(f"the input {name!r} was not given", f"Call it with {name}.")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sample(text: str) -> str:
    """Fill *text* with harmless values, to see whether it can be parsed before the real ones are known."""
    return _HOLE.sub("x", re.sub(r"\[\{[^{}]*\}\]", "[0]", text))
