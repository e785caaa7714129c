"""Requests of scripts, made by the broker against real servers that misbehave."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from sandbox import Fault
from scriptool.capability.address import is_public
from scriptool.capability.network import MAX_REDIRECTS, Network
from scriptool.permission import Grant, Permissions
from tests.loopback import Loopback, loopback
from tests.secrecy import secret

SID = secret("session-of-the-shop")

HERE = Grant("tool", Permissions(net=("127.0.0.1",)), Permissions(net=("127.0.0.1",)))
ANYWHERE = Grant("tool", Permissions(net=("*",)), Permissions(net=("*",)))


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as one:
        yield one


@pytest.fixture
async def network() -> AsyncIterator[Network]:
    one = Network()
    yield one
    await one.close()


def wish(url: str, method: str = "GET", **said: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {"headers": [], "cookies": {}, "auth": None, "timeout": 5.0, "follow": True, "body": None}
    return usual | {"method": method, "url": url} | said


def body_of(answer: dict[str, Any]) -> bytes:
    return base64.b64decode(answer["body"])


def echoed(answer: dict[str, Any]) -> Any:
    return json.loads(body_of(answer))


async def test_a_request_arrives_with_all_that_was_said(network: Network, server: Loopback) -> None:
    said = {"headers": [["X-Mine", "1"]], "cookies": {"a": "b"}, "auth": ["me", "pass"], "body": "aGVsbG8="}
    answer = await network.send(HERE, wish(server.url("/echo?q=1"), "PUT", **said))
    arrived = echoed(answer)
    assert (arrived["method"], arrived["query"], arrived["body"]) == ("PUT", {"q": "1"}, "hello")
    headers = arrived["headers"]
    assert (headers["x-mine"], headers["cookie"], headers["authorization"]) == ("1", "a=b", "Basic bWU6cGFzcw==")
    assert (answer["status"], answer["reason"], answer["version"]) == (200, "OK", "HTTP/1.1")


@pytest.mark.parametrize("asked", [(), ("example.com",), ("127.0.0.1:1",), ("*.0.0.1",)])
async def test_a_host_the_tool_did_not_ask_for_is_refused(network: Network, server: Loopback, asked: Any) -> None:
    grant = Grant("tool", Permissions(net=asked), Permissions(net=("127.0.0.1",)))
    with pytest.raises(Fault) as caught:
        await network.send(grant, wish(server.url("/echo")))
    fault = caught.value
    host = f"127.0.0.1:{server.port}"
    assert (fault.code, fault.details["permission"], fault.details["value"]) == ("permission_denied", "net", host)
    assert fault.message == f"tool may not reach '{host}': its definition does not ask for that."
    assert "allow" not in fault.details
    assert server.received == []


async def test_a_host_the_operator_does_not_allow_is_refused(network: Network, server: Loopback) -> None:
    grant = Grant("tool", Permissions(net=("127.0.0.1",)), Permissions())
    with pytest.raises(Fault) as caught:
        await network.send(grant, wish("http://127.0.0.1/echo"))
    assert caught.value.details["allow"] == "--allow net=127.0.0.1"
    assert "grant" not in caught.value.details


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"])
async def test_private_addresses_need_an_entry_by_name(network: Network, server: Loopback, host: str) -> None:
    with pytest.raises(Fault) as caught:
        await network.send(ANYWHERE, wish(server.url("/echo", host)))
    assert caught.value.code == "permission_denied"
    assert "private addresses need an entry by name" in caught.value.message
    assert server.received == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.0.0.1", False),
        ("172.16.3.4", False),
        ("192.168.1.1", False),
        ("127.8.8.8", False),
        ("0.0.0.0", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("ff02::1", False),
        ("fec0::1", False),
        ("nonsense", False),
    ],
)
def test_which_addresses_are_of_the_open_internet(address: str, public: bool) -> None:
    assert is_public(address) is public


async def test_a_redirect_is_followed_with_cookies_and_told(network: Network, server: Loopback) -> None:
    answer = await network.send(HERE, wish(server.url("/redirect?to=/echo"), auth=["a", "b"], cookies={"own": "1"}))
    assert [hop["status"] for hop in answer["history"]] == [302]
    assert (answer["url"], answer["cookies"]) == (server.url("/echo"), {"seen": "yes"})
    assert set(echoed(answer)["headers"]["cookie"].split("; ")) == {"own=1", "seen=yes"}


async def test_a_redirect_to_a_host_that_was_not_granted_is_refused(network: Network, server: Loopback) -> None:
    target = server.url("/echo", "localhost")
    with pytest.raises(Fault) as caught:
        await network.send(HERE, wish(server.url(f"/redirect?to={target}")))
    assert caught.value.details["value"] == f"localhost:{server.port}"
    assert [one.url.path for one in server.received] == ["/redirect"]


async def test_a_redirect_to_a_private_address_is_refused(network: Network, server: Loopback) -> None:
    granted = Permissions(net=("127.0.0.1", "*"))
    target = server.url("/echo", "localhost")
    with pytest.raises(Fault) as caught:
        await network.send(Grant("tool", granted, granted), wish(server.url(f"/redirect?to={target}")))
    assert "localhost is at" in caught.value.message
    assert [one.url.path for one in server.received] == ["/redirect"]


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"])
async def test_a_redirect_to_another_scheme_fails(network: Network, server: Loopback, target: str) -> None:
    answer = await network.send(HERE, wish(server.url(f"/redirect?to={target}")))
    assert answer["error"]["type"] == "UnsupportedProtocol"


async def test_secrets_do_not_go_where_a_redirect_leads(network: Network, server: Loopback) -> None:
    granted = Permissions(net=("127.0.0.1", "localhost"))
    target = server.url("/echo", "localhost")
    said: dict[str, Any] = {"auth": ["me", "pass"], "cookies": {"own": "1"}, "headers": [["Authorization", "Bearer x"]]}
    answer = await network.send(Grant("tool", granted, granted), wish(server.url(f"/redirect?to={target}"), **said))
    assert {"authorization", "cookie"} & set(echoed(answer)["headers"]) == set()


async def test_a_name_that_means_another_address_the_second_time_is_checked_again(server: Loopback) -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    asked: list[str] = []

    async def resolve(host: str, _port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    granted = Permissions(net=("named.test", "*"))
    named, unnamed = Grant("tool", granted, granted), ANYWHERE
    network = Network(resolve)
    first = await network.send(named, wish(server.url("/echo", "named.test")))
    assert echoed(first)["headers"]["host"] == f"named.test:{server.port}"
    # The connection made for the one that names the host is not lent to the one that does not.
    with pytest.raises(Fault) as caught:
        await network.send(unnamed, wish(server.url("/echo", "named.test")))
    assert "named.test is at 10.0.0.1" in caught.value.message
    assert asked == ["named.test", "named.test"]
    await network.close()


async def test_what_was_checked_is_what_is_connected_to(server: Loopback) -> None:
    async def resolve(_host: str, _port: int) -> list[str]:
        return ["10.255.255.1", "::1", "127.0.0.1"]

    network = Network(resolve)
    with pytest.raises(Fault):
        await network.send(ANYWHERE, wish(server.url("/echo", "example.com")))
    assert server.connections == 0
    await network.close()


async def test_connections_are_used_again_by_later_calls(network: Network, server: Loopback) -> None:
    for _ in range(5):
        await network.send(HERE, wish(server.url("/echo")))
    assert (len(server.received), server.connections) == (5, 1)


async def test_cookies_of_one_call_are_not_there_in_another(network: Network, server: Loopback) -> None:
    first = await network.send(HERE, wish(server.url("/cookie")))
    second = await network.send(HERE, wish(server.url("/cookie")))
    assert (first["cookies"], body_of(second)) == ({"session": "abc"}, b"")


async def test_a_redirect_loop_ends(network: Network, server: Loopback) -> None:
    answer = await network.send(HERE, wish(server.url("/loop")))
    assert answer["error"]["type"] == "TooManyRedirects"
    assert len(server.received) == MAX_REDIRECTS + 1


@pytest.mark.parametrize("path", ["/big", "/bomb", "/bomb?to=/echo"])
async def test_a_body_over_the_bound_is_not_read(network: Network, server: Loopback, path: str) -> None:
    answer = await network.send(HERE, wish(server.url(path)))
    assert answer["error"]["type"] == "DecodingError"
    assert "larger than 5 MB" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/silent", "ReadTimeout"),
        ("/reset", "RemoteProtocolError ReadError"),
        ("/garbage", "RemoteProtocolError"),
        ("/torn", "DecodingError"),
    ],
)
async def test_what_servers_do_wrong_has_a_name(network: Network, server: Loopback, path: str, kind: str) -> None:
    answer = await network.send(HERE, wish(server.url(path), timeout=0.3))
    assert answer["error"]["type"] in kind.split()
    assert server.url(path) in answer["error"]["message"]


async def test_nobody_at_home_is_a_connect_error(network: Network, server: Loopback) -> None:
    answer = await network.send(HERE, wish("http://127.0.0.1:1/"))
    assert answer["error"]["type"] == "ConnectError"
    granted = Permissions(net=("nowhere.invalid",))
    answer = await network.send(Grant("tool", granted, granted), wish("http://nowhere.invalid/"))
    assert answer["error"]["type"] == "ConnectError"


async def test_the_whole_request_has_an_end(server: Loopback) -> None:
    network = Network(seconds=0.2)
    answer = await network.send(HERE, wish(server.url("/silent"), timeout=None))
    assert answer["error"]["type"] in ("ReadTimeout", "PoolTimeout")
    await network.close()


async def test_bodies_arrive_whole_however_they_were_sent(network: Network, server: Loopback) -> None:
    bodies = [body_of(await network.send(HERE, wish(server.url(path)))) for path in ("/gzip", "/chunked", "/latin")]
    assert bodies == [b"plain text", b"one two", b"caf\xe9 \xff"]


@pytest.mark.parametrize("name", ["Host", "Transfer-Encoding", "Connection", "Upgrade"])
async def test_headers_of_the_connection_cannot_be_set(network: Network, server: Loopback, name: str) -> None:
    answer = await network.send(HERE, wish(server.url("/echo"), headers=[[name, "x"]]))
    assert answer["error"]["type"] == "LocalProtocolError"
    assert server.received == []


@pytest.mark.parametrize("said", [{"headers": [["X", "a\r\nY: b"]]}, {"method": "GET /x HTTP/1.1\r\nA: b"}])
async def test_a_request_cannot_be_split(network: Network, server: Loopback, said: Any) -> None:
    answer = await network.send(HERE, wish(server.url("/echo")) | said)
    assert "error" in answer
    assert server.received == []


@pytest.mark.parametrize("payload", [None, {}, {"method": 1}, [], wish("x") | {"body": "%"}, wish("x") | {"auth": 3}])
async def test_what_is_no_request_is_refused(network: Network, payload: Any) -> None:
    with pytest.raises(Fault) as caught:
        await network.send(HERE, payload)
    assert caught.value.code == "bad_request"


@pytest.mark.parametrize("url", ["", "nonsense", "http://", "http://[::1", "//127.0.0.1/x", "http://a b/"])
async def test_what_is_no_address_is_said_to_be_none(network: Network, url: str) -> None:
    try:
        answer = await network.send(ANYWHERE, wish(url))
    except Fault as fault:
        assert fault.code == "permission_denied"
    else:
        assert answer["error"]["type"] in ("InvalidURL", "UnsupportedProtocol", "ConnectError")


async def test_many_requests_run_at_once(network: Network, server: Loopback) -> None:
    answers = await asyncio.gather(*(network.send(HERE, wish(server.url("/meet?of=20"))) for _ in range(20)))
    assert [body_of(answer) for answer in answers] == [b"20"] * 20


CODINGS = ["gzip", "identity, gzip", "gzip, identity", "gzip;identity", "gzip, gzip", "gzip;gzip", "GZIP , x-gzip"]


@pytest.mark.parametrize("codings", CODINGS)
async def test_every_coding_is_taken_off_within_the_bound(network: Network, server: Loopback, codings: str) -> None:
    answer = await network.send(HERE, wish(server.url(f"/coded?of=1000&as={quote(codings)}")))
    assert body_of(answer) == b"x" * 1000
    assert "content-encoding" not in dict(answer["headers"])
    answer = await network.send(HERE, wish(server.url(f"/coded?of={100_000_000}&as={quote(codings)}")))
    assert "larger than 5 MB" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("codings", "message"),
    [
        ("br", "the body is coded as 'br', which was not asked for"),
        ("gzip, zstd", "the body is coded as 'zstd', which was not asked for"),
        ("gzip, gzip, gzip, gzip", "the body is coded 4 times over"),
    ],
)
async def test_codings_that_were_not_asked_for_are_named(
    network: Network, server: Loopback, codings: str, message: str
) -> None:
    answer = await network.send(HERE, wish(server.url(f"/coded?of=1000&as={quote(codings)}")))
    assert answer["error"]["type"] == "DecodingError"
    assert answer["error"]["message"].endswith(message)
    empty = await network.send(HERE, wish(server.url(f"/coded?of=0&as={quote('br')}")))
    assert (empty["status"], empty["body"]) == (200, "")


@pytest.mark.parametrize("path", ["/cookies", "/cookies?to=/echo"])
async def test_cookies_of_one_name_for_several_paths_are_an_answer(
    network: Network, server: Loopback, path: str
) -> None:
    answer = await network.send(HERE, wish(server.url(path)))
    assert answer["status"] == 200
    assert answer["cookies"]["a"] in ("1", "2")


@pytest.mark.parametrize("path", ["", "/redirect?to="])
async def test_a_port_that_cannot_be_is_an_invalid_url(network: Network, server: Loopback, path: str) -> None:
    url = "http://127.0.0.1:99999/"
    answer = await network.send(HERE, wish(server.url(f"{path}{url}") if path else url))
    assert answer["error"]["type"] in ("InvalidURL", "RemoteProtocolError")


async def test_what_comes_behind_an_answer_is_not_the_answer_of_the_next_call(
    network: Network, server: Loopback
) -> None:
    for _ in range(3):
        assert body_of(await network.send(HERE, wish(server.url("/twice")))) == b"due"
        assert body_of(await network.send(HERE, wish(server.url("/chunked")))) == b"one two"


@pytest.mark.parametrize(
    "large",
    [
        {"headers": [[f"a{number}", ""] for number in range(20_000)]},
        {"cookies": {f"a{number}": "" for number in range(100_000)}},
        {"headers": [["a", "x" * 70_000]]},
        {"url": "http://127.0.0.1/" + "x" * 70_000},
        {"method": "X" * 70_000},
    ],
    ids=["headers", "cookies", "long", "url", "method"],
)
async def test_a_request_with_a_huge_head_is_refused_before_anything_is_made_of_it(
    network: Network, server: Loopback, large: dict[str, Any]
) -> None:
    with pytest.raises(Fault) as caught:
        await network.send(HERE, wish(server.url("/echo")) | large)
    assert caught.value.code == "bad_request"
    assert caught.value.hint == "200 and 65536 are allowed; the rest can go into the body."
    many = wish(server.url("/echo"), headers=[[f"a{number}", "x"] for number in range(100)])
    assert echoed(await network.send(HERE, many))["headers"]["a99"] == "x"


@pytest.mark.parametrize(("first", "second"), [("shop.test", "evil.shop.test"), ("shop.test", "shop.test.evil.test")])
async def test_cookies_of_a_request_go_to_its_own_host_alone(server: Loopback, first: str, second: str) -> None:
    async def resolve(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    granted = Permissions(net=(first, second))
    network = Network(resolve)
    url = server.url(f"/redirect?to={server.url('/echo', second)}", first)
    answer = await network.send(Grant("tool", granted, granted), wish(url, cookies={"sid": SID}))
    assert SID not in body_of(answer).decode()
    assert server.received[0].headers["cookie"] == f"sid={SID}"
    await network.close()
