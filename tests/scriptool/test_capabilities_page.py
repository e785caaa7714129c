"""docs/capabilities.md, run: its files served as it says, its calls made and compared."""

import json
import tomllib
from collections.abc import Iterator

import pytest

from scriptool import surroundings
from scriptool.errors import STATUS
from tests.secrecy import secret
from tests.server import Server, serving
from tests.test_docs import ROOT, blocks

PAGE = ROOT / "docs/capabilities.md"
CALLS = [text.strip() for head, text in blocks(PAGE) if head == "call"]
GREETING = secret(tomllib.loads(dict(blocks(PAGE))["toml secrets"])["GREETING"])
BESIDE = {"toml config": "scriptool.toml", "toml secrets": "secrets.toml"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    work = tmp_path_factory.mktemp("page")
    for head, text in blocks(PAGE):
        _, _, said = head.partition(" ")
        kind, equals, name = said.partition("=")
        if head in BESIDE:
            path = work / BESIDE[head]
        elif equals:
            path = work / "tools" / (f"{name}.py" if kind == "tool" else name)
        else:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
    with serving(work / "tools", "--config", str(work / "scriptool.toml")) as one:
        yield one


@pytest.mark.timeout(60)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.split("\n")[0])
def test_a_call_gives_what_the_page_says(server: Server, call: str) -> None:
    request, expected = call.split("\n")
    tool, arguments = request.split(" ", 1)
    answer = server.call(tool, **json.loads(arguments))
    code, *words = expected.split(" ")
    if code in STATUS:
        error = json.dumps(answer["error"])
        assert (answer["error"]["code"], [word for word in words if word not in error]) == (code, [])
    else:
        assert (answer.get("error"), answer["result"]) == (None, json.loads(expected))


@pytest.mark.timeout(60)
def test_the_secret_of_the_page_is_masked(server: Server) -> None:
    answer = server.call("shout", name="today.txt")
    assert answer["output"] == "***\n"
    assert GREETING not in json.dumps(server.get("/debug/calls"))


def test_every_method_on_the_page_is_there() -> None:
    text = PAGE.read_text()
    methods = [name for name in vars(surroundings.Files) if name[:1] != "_"]
    assert [name for name in methods if name not in text] == []
