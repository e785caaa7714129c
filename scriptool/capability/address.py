"""Address: which hosts an entry of `net` covers, and which network addresses are nobody's business by default."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Gives the network addresses of a host, as text. Raises OSError."""

PORTS: Final = {"http": 80, "https": 443}

_MAX_LOOKUPS: Final = 16
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")


class Resolver:
    """Asks the system for addresses, in threads of its own: a name server that is slow holds up nothing else."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_MAX_LOOKUPS, "resolve")

    async def resolve(self, host: str, port: int) -> list[str]:
        """Give the addresses of *host*, in the order to try them. Raises OSError."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _addresses, host, port)

    def close(self) -> None:
        """Wait for nothing any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _addresses(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_public(address: str) -> bool:
    """Say whether an address is one of the open internet: not private, loopback, link-local, reserved or multicast.

    What an IPv6 address stands for in IPv4 counts too.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _embedded(parsed) if isinstance(parsed, ipaddress.IPv6Address) else []
    meant: Sequence[ipaddress.IPv4Address | ipaddress.IPv6Address] = inner or [parsed]
    return all(
        one.is_global and not (one.is_multicast or one.is_reserved or getattr(one, "is_site_local", False))
        for one in meant
    )


def _embedded(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """Give the IPv4 addresses that an IPv6 address leads to."""
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        server, client = address.teredo
        return [ipaddress.IPv4Address(int(server)), ipaddress.IPv4Address(int(client))]
    if address in _NAT64:
        return [ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)]
    return []


def covers(entry: str, host: str) -> bool:
    """Say whether an entry covers `HOST:PORT`: a host by name, `*.` and a domain for all names below it, or `*`.

    An entry without a port is for every port.
    """
    wanted, wanted_port = _split(entry.lower())
    name, port = _split(host.lower())
    if wanted_port and wanted_port != port:
        return False
    return wanted in ("*", name) or (wanted.startswith("*.") and name.endswith(wanted[1:]) and not _is_literal(name))


def names(entry: str, host: str) -> bool:
    """Say whether an entry covers `HOST:PORT` by its very name, as private addresses need it."""
    return "*" not in entry and covers(entry, host)


def _split(text: str) -> tuple[str, str]:
    """Split `HOST`, `HOST:PORT` or `[IPV6]:PORT` into host and port, which may be empty."""
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        return host, port.removeprefix(":")
    if text.count(":") > 1:
        return text, ""
    host, _, port = text.partition(":")
    return host.rstrip("."), port


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def joined(host: str, port: int) -> str:
    """Give `HOST:PORT`, as `covers` takes it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
