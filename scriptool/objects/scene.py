"""Scene: a tree of named nodes, and the way down it that a path names. Standard library only."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from scriptool.objects.member import has_member, members, nearest, reading
from scriptool.objects.readpath import Item, Member, ReadError, check_member


@dataclass(frozen=True)
class Scene:
    """A tree of nodes: its *top* nodes, and how to ask a node for its *name* and its *children*."""

    top: Callable[[], Iterable[Any]]
    name: Callable[[Any], str] = attrgetter("name")
    children: Callable[[Any], Iterable[Any]] = attrgetter("children")

    def find(self, steps: Sequence[Member | Item]) -> tuple[Any, Sequence[Member | Item]]:
        """Follow *steps* as far as they name nodes; give the last node (all top nodes if none) and the steps left.

        A number right behind a node's name counts, from 0, among its siblings of that name. A name that is a node's
        and a member's too means the node.

        Raises: ReadError `not_found`, `ambiguous`, `getter_failed`, `bad_path`.
        """
        left = list(steps)
        node: Any = None
        with reading("the scene"):
            nodes = list(self.top())
            while left and isinstance(step := left[0], Member):
                named = [one for one in nodes if self.name(one) == step.name]
                if not named:
                    self._check_member(node, step.name, nodes)
                    break
                number = left[1].key if len(left) > 1 and isinstance(left[1], Item) else None
                count = number if isinstance(number, int) else None
                node = _among(named, step.name, count)
                nodes = list(self.children(node))
                left = left[1 if count is None else 2 :]
        for step in left:
            if isinstance(step, Member):
                check_member(step.name)
        return (nodes if node is None else node), left

    def _check_member(self, node: Any, name: str, nodes: Iterable[Any]) -> None:
        """Let a name pass that is no node's, if it may be a member's."""
        names = [self.name(one) for one in nodes]
        if node is None:
            raise ReadError("not_found", f"the scene has no top node {name!r}", nearest(name, names))
        if not has_member(node, name):
            message = f"the node {self.name(node)!r} has no child and no member {name!r}"
            raise ReadError("not_found", message, nearest(name, [*names, *members(node)]))


def _among(named: Sequence[Any], name: str, number: int | None) -> Any:
    if number is None:
        if len(named) > 1:
            hint = f"Say which by number: {name}[0] to {name}[{len(named) - 1}]."
            raise ReadError("ambiguous", f"{len(named)} siblings are named {name!r}", hint)
        return named[0]
    if not 0 <= number < len(named):
        hint = f"There are {len(named)}, counted from 0." if len(named) > 1 else "There is one."
        raise ReadError("not_found", f"there is no {name}[{number}]", hint)
    return named[number]
