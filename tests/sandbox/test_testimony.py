"""What a child says, read as what it may be."""

import copy
import json
import random
from typing import Any

import pytest

from sandbox.language import compiler
from sandbox.process import testimony
from sandbox.process.worker import WorkerLost

SOURCE = b'''
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal
from lib.shapes import area

class Colour(Enum):
    RED = "red"

@dataclass
class Order:
    """What is bought."""
    colour: Colour
    count: int = 1

def main(order: Order, mode: Literal["a", "b"] | None = None, *rest: int, tags: Annotated[list[str], ""] = []) -> dict:
    """Do it."""
    return {"area": area(order.count)}
'''


def compiled() -> dict[str, Any]:
    """Give what an honest compiler child says."""
    honest = compiler.compile_module(SOURCE)
    answer: dict[str, Any] = json.loads(json.dumps({"outline": honest.outline, "warnings": honest.warnings}))
    return answer


def read(answer: Any) -> Any:
    return testimony.compiled(json.dumps(answer).encode())


def test_what_the_compiler_says_is_of_the_right_shape() -> None:
    answer = compiled()
    assert read(answer) == (answer["outline"], answer["warnings"])


LIES: dict[str, Any] = {
    "form": "other",
    "doc": 3,
    "takes_args": 1,
    "parameters": [{"name": "x"}],
    "returns": "int",
    "classes": {"A": {"kind": "enum"}},
    "functions": [1],
    "imports": ["os"],
}


@pytest.mark.parametrize("part", LIES)
def test_an_outline_with_a_part_of_a_wrong_shape_is_no_outline(part: str) -> None:
    answer = compiled()
    answer["outline"][part] = LIES[part]
    with pytest.raises(WorkerLost):
        read(answer)
    del answer["outline"][part]
    if part not in ("doc", "returns"):
        with pytest.raises(WorkerLost):
            read(answer)


@pytest.mark.parametrize("name", ["lib/../etc", "lib.a.", ".lib", "library.x", "lib.a b", "lib.a\n", "lib..a"])
def test_an_import_that_could_name_another_file_is_refused(name: str) -> None:
    answer = compiled()
    answer["outline"]["imports"] = [name]
    with pytest.raises(WorkerLost):
        read(answer)


def test_an_annotation_nested_without_end_is_refused() -> None:
    answer = compiled()
    annotation: dict[str, Any] = {"name": "int"}
    for _ in range(150):
        annotation = {"union": [annotation]}
    answer["outline"]["returns"] = annotation
    with pytest.raises(WorkerLost):
        read(answer)


def test_mutated_outlines_are_refused_or_keep_their_types() -> None:
    chance = random.Random(1)
    honest = compiled()
    types = {key: type(value) for key, value in honest["outline"].items()}
    for _ in range(2_000):
        answer = copy.deepcopy(honest)
        mutate(chance, answer)
        try:
            outline, _ = read(answer)
        except WorkerLost:
            continue
        assert {key: type(outline[key]) for key in ("form", "takes_args", "parameters", "classes")} == {
            key: types[key] for key in ("form", "takes_args", "parameters", "classes")
        }


def mutate(chance: random.Random, content: Any) -> None:
    """Put something else at a random place."""
    while True:
        places = list(content) if isinstance(content, dict) else list(range(len(content)))
        place = chance.choice(places)
        if not isinstance(content[place], dict | list) or not content[place] or chance.random() < 0.2:
            content[place] = chance.choice([None, 0, True, "x", [], {}, ["x"], {"name": 3}, {"value": 1}])
            return
        content = content[place]


@pytest.mark.parametrize(
    "diagnostics",
    [
        {},
        [1],
        [{"rule": "x"}],
        [{"rule": "x", "severity": "fatal", "message": "", "line": 1, "column": 1}],
        [{"rule": "x", "severity": "error", "message": "", "line": -1, "column": 1}],
        [{"rule": "x", "severity": "error", "message": "", "line": 1, "column": 1, "more": []}],
    ],
)
def test_diagnostics_of_a_wrong_shape_are_refused(diagnostics: Any) -> None:
    with pytest.raises(WorkerLost):
        testimony.diagnostics(diagnostics)
