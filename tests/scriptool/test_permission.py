"""What the operator allows, how it is written, and where it is read from."""

from pathlib import Path
from typing import Any

import pytest

from scriptool.allowance import decided, read_config
from scriptool.capability.address import covers, names
from scriptool.permission import Grant, Permissions, Rules, read_allowance
from scriptool.settings import Settings

CONFIG = b"""
[permissions]
net = ["api.example.com"]
read = ["data/"]

[permissions."cart_*"]
secrets = ["SHOP_KEY"]
net = ["shop.example.com"]

[permissions.write]
tools = ["*"]
"""


def test_a_configuration_allows_by_pattern() -> None:
    rules, _ = read_config(CONFIG)
    assert rules.allowed("weather") == Permissions(net=("api.example.com",), read=("data/",))
    assert rules.allowed("cart_add").to_json() == {
        "net": ["api.example.com", "shop.example.com"],
        "read": ["data/"],
        "secrets": ["SHOP_KEY"],
    }
    assert rules.allowed("write").tools == ("*",)  # a tool may be called so


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[permision]", 'there is no section [permision]. Did you mean "permissions"?'),
        ("permissions = 1", "permissions is a section, [permissions]"),
        ("[permissions]\nnett = []", "[permissions] has no 'nett'. Did you mean \"net\"?"),
        ('[permissions."a"]\nnet = "x"', 'net in [permissions."a"] is a list of texts'),
        ('[permissions]\nnet = ["", 1]', "net in [permissions] is a list of texts"),
    ],
)
def test_what_is_wrong_in_a_configuration_is_said(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_config(text.encode())
    assert str(caught.value) == message


def test_an_option_allows_for_all_or_for_some() -> None:
    rules = Rules((read_allowance("net=a.example:8080"), read_allowance("cart_*:read=/srv/a=b")))
    assert rules.allowed("x") == Permissions(net=("a.example:8080",))
    assert rules.allowed("cart_x").read == ("/srv/a=b",)


@pytest.mark.parametrize("text", ["", "net", "net=", "=x", ":net=x", "nett=x", "a:b"])
def test_an_option_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_allowance(text)


@pytest.mark.parametrize(
    ("entry", "host", "covered", "named"),
    [
        ("api.example.com", "api.example.com:443", True, True),
        ("API.example.com", "api.EXAMPLE.com:443", True, True),
        ("api.example.com", "api.example.com.:443", True, True),
        ("api.example.com", "xapi.example.com:443", False, False),
        ("api.example.com:443", "api.example.com:80", False, False),
        ("*.example.com", "api.example.com:443", True, False),
        ("*.example.com", "a.b.example.com:1", True, False),
        ("*.example.com", "example.com:443", False, False),
        ("*.example.com", "badexample.com:443", False, False),
        ("*", "anything.test:1", True, False),
        ("*:443", "anything.test:443", True, False),
        ("*:443", "anything.test:80", False, False),
        ("*.0.0.1", "127.0.0.1:80", False, False),
        ("[::1]:80", "[::1]:80", True, True),
        ("::1", "[::1]:80", True, True),
        ("exa?ple.com", "example.com:80", False, False),
    ],
)
def test_which_hosts_an_entry_covers_and_which_it_names(entry: str, host: str, covered: bool, named: bool) -> None:
    assert (covers(entry, host), names(entry, host)) == (covered, named)


def test_a_grant_says_of_each_entry_whether_it_stands() -> None:
    asked = Permissions(net=("a.example.com", "b.test"), read=("data/x",), write=("out/",), tools=("cart_*",))
    allowed = Permissions(net=("*.example.com",), read=("data",), write=("/srv/tools/out",), tools=("cart_a*",))
    grant = Grant("tool", asked, allowed, Path("/srv/tools"))
    assert [granted for _, _, granted in grant.standing()] == [True, False, True, True, False]


@pytest.fixture
def working(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


def test_the_configuration_of_the_working_directory_counts(settings: Settings, working: Path) -> None:
    (working / "scriptool.toml").write_bytes(CONFIG)
    chosen = decided(settings, None, ["secrets=A"], working)
    assert chosen.rules.allowed("x").to_json() == {
        "net": ["api.example.com"],
        "read": ["data/"],
        "secrets": ["A"],
    }
    assert chosen.config == working / "scriptool.toml"
    assert chosen.secret_files == (working / "secrets.toml", settings.data / "secrets.toml")


def test_nothing_is_allowed_by_default(settings: Settings, working: Path) -> None:
    assert not decided(settings, None, [], working).rules.allowed("x")


def test_a_configuration_in_a_tools_folder_is_not_read(settings: Settings, folder: Path, caplog: Any) -> None:
    (folder / "scriptool.toml").write_bytes(CONFIG)
    chosen = decided(settings, None, [], folder)
    assert (chosen.rules, chosen.config) == (Rules(), None)
    assert "is not read, since this is a tools folder" in caplog.text
    with pytest.raises(ValueError, match="lies in a tools folder"):
        decided(settings, folder / "scriptool.toml", [], folder)


def test_a_link_into_a_tools_folder_is_no_way_round(settings: Settings, folder: Path, working: Path) -> None:
    (folder / "lib").mkdir()
    (folder / "lib/scriptool.toml").write_bytes(CONFIG)
    (working / "scriptool.toml").symlink_to(folder / "lib/scriptool.toml")
    assert decided(settings, None, [], working).config is None


def test_a_named_configuration_must_be_there_and_right(settings: Settings, working: Path) -> None:
    with pytest.raises(FileNotFoundError):
        decided(settings, working / "other.toml", [], working)
    (working / "other.toml").write_text("[nonsense]")
    with pytest.raises(ValueError, match=r"other\.toml: there is no section"):
        decided(settings, working / "other.toml", [], working)


def test_secrets_that_others_can_read_are_warned_of(settings: Settings, working: Path, caplog: Any) -> None:
    (working / "secrets.toml").write_text("")
    (working / "secrets.toml").chmod(0o644)
    decided(settings, None, [], working)
    assert "can be read by others" in caplog.text
    caplog.clear()
    (working / "secrets.toml").chmod(0o600)
    decided(settings, None, [], working)
    assert caplog.text == ""
