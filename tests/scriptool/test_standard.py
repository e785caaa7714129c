"""What the operator fixes for every tool in `scriptool.toml`."""

from pathlib import Path
from typing import Any

import pytest

from sandbox import Limits
from scriptool.allowance import read_config
from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.settings import Settings
from scriptool.standard import CEILING, GROUPS, Standard

CONFIG = b"""
groups = ["finance"]

[limits]
seconds = 5

[ceiling]
seconds = 7.5
memory_mb = 64
"""

WRONG = [
    ("groups = 1", 'groups is a list of names, as in groups = ["finance"]'),
    ('scripts = ["here"]', 'scripts is a list of whole paths, as in scripts = ["/srv/scripts"]'),
    ("limits = 1", "limits is a section, [limits]"),
    ("[limits]\nsecond = 1", "[limits] has no 'second'. Did you mean \"seconds\"?"),
    ("[ceiling]\nmemory_mb = 1.5", "memory_mb in [ceiling] is a whole number over 0"),
    ("[limits]\nseconds = nan", "seconds in [limits] is a number over 0"),
    ("[ceiling]\nseconds = inf", "seconds in [ceiling] is a number over 0"),
    ("[limits]\nseconds = 0", "seconds in [limits] is a number over 0"),
    ("[ceiling]\nseconds = 10", "seconds is 30 in [limits] and over 10, its ceiling"),
    ("x = " + "[" * 3000, "it is nested too deeply"),
    ("[limit]", 'there is no section [limit]. Did you mean "limits"?'),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_is_wrong_is_said_in_words_for_the_operator(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_config(text.encode())
    assert str(caught.value) == message


def test_nothing_said_is_the_usual() -> None:
    assert read_config(b"")[1] == Standard(Limits(), CEILING, GROUPS)


async def test_groups_and_limits_of_the_operator_hold_for_every_tool(
    settings: Settings, folder: Path, write_tool: Any
) -> None:
    text = CONFIG.replace(b"memory_mb = 64", b"memory_mb = 256")
    settings = settings.model_copy(update={"standard": read_config(text)[1]})
    write_tool("finance_total.py", "# /// tool\n# title = 'Total'\n# ///\nreturn 1")
    write_tool("tax.py", "# /// tool\n# group = 'finance'\n# [limits]\n# seconds = 100\n# ///\nreturn 1")
    write_tool("odd.py", "# /// tool\n# group = 'finanze'\n# ///\nreturn 1")
    async with App(settings) as app:
        tools = (await app.library.fresh()).tools
        assert (tools["finance_total"].group, tools["tax"].group) == ("finance", "finance")
        assert (tools["finance_total"].limits.seconds, tools["tax"].limits.seconds) == (5, 7.5)
        error = (await app.dispatcher.call(Call("odd", {}, Caller("test")))).error
        assert error is not None and 'Did you mean "finance"?' in error["hint"]


def test_a_usual_limit_over_the_ceiling_is_refused() -> None:
    with pytest.raises(ValueError, match="memory_mb is 256"):
        read_config(CONFIG)
