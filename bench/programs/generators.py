"""Generators that feed each other: yield, yield from, expressions."""

from collections.abc import Iterator


def numbers(limit: int) -> Iterator[int]:
    number = 0
    while number < limit:
        yield number
        number += 1


def pairs(source: Iterator[int]) -> Iterator[tuple[int, int]]:
    before = 0
    for number in source:
        yield before, number
        before = number


def tree(depth: int) -> Iterator[int]:
    if depth:
        yield from tree(depth - 1)
        yield depth
        yield from tree(depth - 1)


def main() -> object:
    total = sum(one * other for one, other in pairs(numbers(25000)) if other % 3)
    return [total, sum(tree(11))]
