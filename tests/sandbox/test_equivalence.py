"""A random program means in the sandbox what it means to CPython; a random text gives code or diagnostics."""

import io
import tokenize
import warnings
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from sandbox.language.compiler import Refused, compile_module
from tests.sandbox.random_programs import Author
from tests.sandbox.scripts import run

SETTINGS = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # a program that ends otherwise is short enough to be read as it is
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
CHOICES = st.randoms(use_true_random=False)

pytestmark = [
    pytest.mark.timeout(120),
    # programs make coroutines and drop them
    pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


def ending_under_cpython(text: str) -> Any:
    """Give the log that *text* leaves under CPython, or the name of what it raised."""
    names: dict[str, Any] = {"__name__": "script"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is written oddly on purpose
        try:
            code = compile(text, "plain", "exec")
        except SyntaxError:
            assume(False)
        try:
            exec(code, names)
        except Exception as error:
            return names["class_of"](error)
        return [*names["log"]]


def ending_in_the_sandbox(text: str) -> Any:
    ending = run(text).ending
    if ending["ok"]:
        return ending["value"]
    return ending["error"]["type"].replace("UnboundLocalError", "NameError")


@given(CHOICES)
@settings(SETTINGS, max_examples=90)
def test_a_random_program_ends_as_under_cpython(choice: Random) -> None:
    text = Author(choice).program()
    expected = ending_under_cpython(text)

    assert ending_in_the_sandbox(f"{text}\nreturn [*log]") == expected


@given(CHOICES)
@settings(SETTINGS, max_examples=60)
def test_a_random_program_in_a_module_with_a_main_function_ends_as_under_cpython(choice: Random) -> None:
    text = Author(choice).program()
    expected = ending_under_cpython(text)

    assert ending_in_the_sandbox(f"{text}\ndef main(): return [*log]") == expected


@given(CHOICES)
@settings(SETTINGS, max_examples=90)
def test_a_damaged_program_gives_code_or_diagnostics(choice: Random) -> None:
    text = damaged(Author(choice).program(), choice)

    try:
        compile_module(text.encode())
    except Refused as refused:
        assert all(one["line"] >= 1 and one["column"] >= 1 and one["hint"] for one in refused.diagnostics)


def damaged(text: str, choice: Random) -> str:
    """Give *text* with a few of its words dropped, doubled or in each other's place."""
    words = [token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    words = words[choice.randrange(len(words)) :][:200]
    for _ in range(choice.randint(1, 5)):
        first, second = choice.randrange(len(words)), choice.randrange(len(words))
        words[first : first + choice.randint(0, 2)] = words[second : second + choice.randint(0, 3)] or ["("]
    return " ".join(words)
