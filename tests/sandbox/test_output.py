"""What a script prints is captured line by line, bounded, and never lost."""

from sandbox.limits import Limits
from sandbox.runtime.output import Output
from tests.sandbox.scripts import Recorder, run


def test_each_line_is_told_when_it_ends() -> None:
    ran = run("print('a')\nprint('b', end='')\nprint('c', 1, sep='-')\nprint('unfinished', end='')\nreturn 1")

    assert ran.told == [("print", "a\n"), ("print", "bc-1\n"), ("print", "unfinished")]


def test_output_survives_a_failure() -> None:
    ran = run("print('before')\n1 / 0\nreturn 1")

    assert (ran.printed, ran.error["type"]) == ("before\n", "ZeroDivisionError")


def test_more_than_the_limit_is_dropped_and_counted() -> None:
    ran = run("for i in range(5000):\n    print('x' * 9)\nreturn 'done'", limits=Limits(output_kb=1))

    notice = "output is limited to 1 kB: 48976 bytes were dropped"
    assert ran.value == "done"
    assert ran.ending["warnings"] == [notice]
    assert ran.printed.endswith(f"xxx...\n[{notice}]\n")
    assert len(ran.printed) < 1200


def test_a_character_is_not_cut_in_half() -> None:
    recorder = Recorder()
    output = Output(recorder, 1)
    output.write("a" + "ü" * 1000 + "\n")
    output.finish()

    assert recorder.told[0] == ("print", "a" + "ü" * 511 + "...\n")


def test_a_line_without_an_end_is_told_in_parts() -> None:
    ran = run("for i in range(100):\n    print('x' * 1000, end='')\nreturn 1")

    assert len(ran.told) == 2
    assert ran.printed == "x" * 100_000


def test_lone_surrogates_are_printed_as_escapes() -> None:
    assert run("print('a\\ud800b')\nreturn 1").printed == "a\\ud800b\n"


def test_everything_that_prints_is_captured() -> None:
    text = """\
import logging, pprint, sys, traceback, warnings
print("to stderr", file=sys.stderr)
sys.stdout.write("written\\n")
pprint.pprint({"b": 1, "a": 2})
logging.warning("careful %s", "now")
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
logging.getLogger("mine").info("%(a)s", {"a": 1})
logging.getLogger("mine").debug("not this")
try:
    1 / 0
except ZeroDivisionError:
    traceback.print_exc()
    logging.exception("failed")
return 1
"""
    trace = (
        'Traceback (most recent call last):\n  File "script.py", line 10, in <module>\n    1 / 0\n'
        "ZeroDivisionError: division by zero\n"
    )
    assert run(text).printed == (
        "to stderr\nwritten\n{'a': 2, 'b': 1}\nWARNING:root:careful now\nINFO 1\n" + trace + "ERROR failed\n" + trace
    )


def test_warnings_come_beside_the_result() -> None:
    text = """\
import warnings
warnings.warn("old")
warnings.warn("old")
warnings.simplefilter("ignore")
warnings.warn("unheard", DeprecationWarning)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("collected")
warnings.filterwarnings("error", category=RuntimeWarning)
try:
    warnings.warn("raised", RuntimeWarning)
except RuntimeWarning as warning:
    return [str(warning), len(caught), str(caught[0].message)]
"""
    ran = run(text)

    assert (ran.value, ran.ending["warnings"]) == (["raised", 1, "collected"], ["UserWarning: old"])


def test_print_takes_what_cpython_takes_and_refuses_the_rest() -> None:
    text = """\
import io
target = io.StringIO()
print(1, 2, sep=None, end=None, file=target, flush=True)
class Shouts:
    log = print
Shouts().log("unbound")
try:
    print(1, sep=2)
except TypeError as error:
    return [target.getvalue(), str(error)]
"""
    ran = run(text)

    assert ran.value == ["1 2\n", "sep must be None or a string, not int"]
    assert ran.printed == "unbound\n"
