"""The attempts of the self-test: through without layers, held under them."""

import os
import resource

import pytest

from sandbox.kernel import attempts
from sandbox.kernel.confine import Confinement
from tests.sandbox.forked import as_root_and_user, in_child, needs_namespaces


@needs_namespaces
@as_root_and_user
@pytest.mark.parametrize("name", attempts.ATTEMPTS)
def test_each_attempt_is_held_in_a_confined_child(name: str, identity: str) -> None:
    ending = in_child(lambda: attempt_in_child(name), identity)
    assert ending.value == "held"


def attempt_in_child(name: str) -> str:
    confinement = Confinement()
    confinement.confine_zygote()
    os.environ.clear()
    child = os.fork()
    if child == 0:
        through = False
        try:
            confinement.confine_child()
            through = not attempts.held(attempts.ATTEMPTS[name])
        finally:
            os._exit(through)
    exit_code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return "through" if exit_code > 0 else "held"


@pytest.mark.parametrize("name", attempts.ATTEMPTS)
def test_each_attempt_gets_through_where_no_layer_is_on(name: str) -> None:
    def work() -> bool:
        os.environ["SECRET"] = "x"
        if name == "raise a limit" and not may_raise_limits():
            return True
        return not attempts.held(attempts.ATTEMPTS[name])

    assert in_child(work).value is True


def may_raise_limits() -> bool:
    return resource.getrlimit(resource.RLIMIT_CPU)[1] == resource.RLIM_INFINITY
