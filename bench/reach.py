"""Reach: what brokering a request costs the server, beside httpx making it."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx

from bench.measure import Call
from scriptool.capability.network import Network
from scriptool.permission import Grant, Permissions

_HERE = Permissions(net=("127.0.0.1",))


@contextmanager
def requests(url: str) -> Iterator[Mapping[str, Call]]:
    """Give the same GET by both, each over a connection it keeps."""
    grant = Grant("bench", _HERE, _HERE)
    wish: dict[str, Any] = {"method": "GET", "url": url, "headers": [], "cookies": {}, "auth": None, "timeout": None}
    wish |= {"follow": True, "body": None}
    network, client = Network(), httpx.AsyncClient(trust_env=False, follow_redirects=True)
    with asyncio.Runner() as runner:
        yield {
            "ours": partial(_run, runner, lambda: network.send(grant, wish)),
            "peer": partial(_run, runner, lambda: client.get(url)),
        }
        runner.run(network.close())
        runner.run(client.aclose())


def _run(runner: asyncio.Runner, ask: Any) -> Any:
    return runner.run(ask())
