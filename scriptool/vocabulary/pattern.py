"""Pattern: regular expressions of authors, searched for in bounded time: Python's own engine has no end for some.

All ways to match are followed at once, character by character, and what was found out about a set of ways is kept.
"""

import functools
import re
from collections.abc import Callable, Iterable
from re import _constants as op  # type: ignore[attr-defined]  # so that patterns are read as Python reads them
from re import _parser  # type: ignore[attr-defined]  # the same
from typing import Any, Final

from scriptool.vocabulary.effort import spend

_MOST_NODES: Final = 5000
_MOST_KEPT: Final = 20_000
"""Nodes in all the sets that are kept of one pattern."""

_FLAGS: Final = re.UNICODE | re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE

_START, _LINE_END, _WORD, _OTHER = range(4)
"""What stands before a place in the text."""

_CATEGORIES: Final[dict[Any, Callable[[str], bool]]] = {
    op.CATEGORY_DIGIT: str.isdecimal,
    op.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    op.CATEGORY_WORD: lambda char: _is_word(char),
    op.CATEGORY_NOT_WORD: lambda char: not _is_word(char),
}


class NoPattern(ValueError):
    """The text is no regular expression, or one that cannot be searched for in bounded time."""


@functools.lru_cache(maxsize=128)
def compiled(text: str) -> "Pattern":
    """Give the pattern that *text* is. Raises NoPattern."""
    return Pattern(text)


class Pattern:
    """One regular expression in the syntax of `re`, without references back and without looking back."""

    def __init__(self, text: str) -> None:
        try:
            parsed = _parser.parse(text)
        except (re.error, OverflowError, RecursionError) as error:
            raise NoPattern(f"is no regular expression: {error}") from None
        self._flags = parsed.state.flags
        if self._flags & ~_FLAGS:
            raise NoPattern("may have the flags i, m, s and x only")
        self._nodes: list[Any] = []
        self._kept: dict[Any, tuple[bool, frozenset[int]]] = {}
        self._weight = 0
        self._looks_ahead = False
        match = self._add((op.SUCCESS,))
        try:
            self._start = self._built(parsed, match)
        except RecursionError:
            raise NoPattern("is nested too deeply") from None

    @property
    def size(self) -> int:
        """Give how many nodes it has."""
        return len(self._nodes)

    def found_in(self, text: str) -> bool:
        """Say whether the pattern matches somewhere in *text*, as `re.search` does. Raises TooMuchEffort."""
        spend(len(text) // 16)
        return self._matches(text, 0, self._start, anchored=False)

    def _matches(self, text: str, begin: int, start: int, *, anchored: bool) -> bool:
        first = frozenset((start,))
        states, before = first, _kind(text[begin - 1]) if begin else _START
        for place in range(begin, len(text) + 1):
            char = text[place] if place < len(text) else ""
            key = (states, before, char, place == len(text) - 1)
            step = self._kept.get(key)
            if step is None:
                step = self._stepped(text, place, states, before, char)
                if not self._looks_ahead:
                    self._keep(key, step)
            matched, states = step
            if matched:
                return True
            if not anchored:
                states |= first
            elif not states:
                return False
            before = _kind(char)
        return False

    def _keep(self, key: tuple[frozenset[int], int, str, bool], step: tuple[bool, frozenset[int]]) -> None:
        self._weight += 1 + len(key[0]) + len(step[1])
        if self._weight > _MOST_KEPT:
            self._kept.clear()
            self._weight = 0
        self._kept[key] = step

    def _stepped(
        self, text: str, place: int, states: frozenset[int], before: int, char: str
    ) -> tuple[bool, frozenset[int]]:
        """Give whether one of *states* is a match at *place*, else the states after *char*."""
        todo, seen, after = list(states), set(states), set()
        while todo:
            spend()
            kind, *about = self._nodes[todo.pop()]
            if kind is op.SUCCESS:
                return True, frozenset()
            if kind is op.IN:
                test, following = about
                if char and test(char):
                    after.add(following)
                continue
            if kind is op.BRANCH:
                reached = about[0]
            elif kind is op.AT:
                reached = about[1:] if self._is_at(about[0], before, char, place == len(text) - 1) else ()
            else:
                start, wanted, following = about
                ahead = self._matches(text, place, start, anchored=True)
                reached = (following,) if ahead is wanted else ()
            new = [node for node in reached if node not in seen]
            seen.update(new)
            todo += new
        return False, frozenset(after)

    def _is_at(self, what: Any, before: int, char: str, is_last: bool) -> bool:
        lines = self._flags & re.MULTILINE
        match what:
            case op.AT_BEGINNING:
                return before == _START or bool(lines and before == _LINE_END)
            case op.AT_BEGINNING_STRING:
                return before == _START
            case op.AT_END:
                return not char or (char == "\n" and bool(lines or is_last))
            case op.AT_END_STRING:
                return not char
            case op.AT_BOUNDARY:
                return (before == _WORD) != _is_word(char)
            case _:  # no place in an empty text is within or between words, as Python has it
                return bool(char or before != _START) and (before == _WORD) == _is_word(char)

    # from the tree that `re` parses a text to, to nodes that name those which may come next

    def _add(self, node: tuple[Any, ...]) -> int:
        if len(self._nodes) >= _MOST_NODES:
            raise NoPattern("is too large once its repetitions are written out")
        self._nodes.append(node)
        return len(self._nodes) - 1

    def _built(self, items: Iterable[Any], following: int) -> int:
        for kind, about in reversed(list(items)):
            following = self._built_one(kind, about, following)
        return following

    def _built_one(self, kind: Any, about: Any, following: int) -> int:
        match kind:
            case op.LITERAL | op.NOT_LITERAL | op.IN | op.ANY | op.CATEGORY:
                return self._add((op.IN, self._test(kind, about), following))
            case op.BRANCH:
                return self._add((op.BRANCH, [self._built(one, following) for one in about[1]]))
            case op.SUBPATTERN if not about[1] and not about[2]:
                return self._built(about[3], following)
            case op.MAX_REPEAT | op.MIN_REPEAT:
                least, most, items = about
                return self._repeated(least, most, items, following)
            case op.AT:
                return self._add((op.AT, about, following))
            case op.ASSERT | op.ASSERT_NOT if about[0] > 0:
                self._looks_ahead = True
                start = self._built(about[1], self._add((op.SUCCESS,)))
                return self._add((op.ASSERT, start, kind is op.ASSERT, following))
        raise NoPattern(f"uses {str(kind).lower()}, which is not available here")

    def _repeated(self, least: int, most: Any, items: Any, following: int) -> int:
        if most is op.MAXREPEAT:
            loop = self._add((op.BRANCH, []))
            self._nodes[loop] = (op.BRANCH, [self._built(items, loop), following])
            following = loop
        else:
            end = following
            for _ in range(int(most) - int(least)):
                following = self._add((op.BRANCH, [self._built(items, following), end]))
        for _ in range(int(least)):
            before, following = following, self._built(items, following)
            if following == before:
                break  # nothing, any number of times
        return following

    def _test(self, kind: Any, about: Any) -> Callable[[str], bool]:
        plain = _plain_test(kind, about, bool(self._flags & re.DOTALL))
        if not self._flags & re.IGNORECASE:
            return plain
        if kind is op.NOT_LITERAL or (kind is op.IN and about[0][0] is op.NEGATE):
            return lambda char: all(map(plain, {char, char.lower(), char.upper()}))
        return lambda char: any(map(plain, {char, char.lower(), char.upper()}))


def _plain_test(kind: Any, about: Any, dotall: bool) -> Callable[[str], bool]:
    match kind:
        case op.LITERAL:
            literal = chr(about)
            return lambda char: char == literal
        case op.NOT_LITERAL:
            literal = chr(about)
            return lambda char: char != literal
        case op.RANGE:
            low, high = chr(about[0]), chr(about[1])
            return lambda char: low <= char <= high
        case op.CATEGORY:
            return _CATEGORIES[about]
        case op.ANY:
            return lambda char: dotall or char != "\n"
    negated = about[0][0] is op.NEGATE
    tests = [_plain_test(one, what, dotall) for one, what in about[negated:]]
    return lambda char: any(test(char) for test in tests) is not negated


def _kind(char: str) -> int:
    return _LINE_END if char == "\n" else _WORD if _is_word(char) else _OTHER


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
