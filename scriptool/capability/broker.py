"""Broker: answers what running scripts ask, each by what its tool was granted."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from sandbox import Ask, Fault
from scriptool.call import Context
from scriptool.capability.files import Files
from scriptool.capability.vault import Vault
from scriptool.permission import Grant

if TYPE_CHECKING:
    from scriptool.capability.network import Network

Name = Callable[[str], str]
"""Gives the name a tool goes by now, for a former name of it."""


class Broker:
    """Answers what scripts ask. An async context manager; lives as long as the server."""

    def __init__(self, files: Files, vault: Vault, name: Name) -> None:
        self._files = files
        self._name = name
        self._network: Network | None = None
        self._opening = asyncio.Lock()
        self.vault = vault

    async def __aenter__(self) -> "Broker":
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._files.close()
        if self._network is not None:
            await self._network.close()

    def answering(self, grant: Grant, context: Context) -> Ask:
        """Give what answers the asks of one call."""

        async def call(_: Grant, payload: Any) -> Any:
            return await self._call(grant, context, payload)

        async def secret(_: Grant, payload: Any) -> str:
            value = await self.vault.answer(grant, payload)
            for link in context.chain():
                link.mask |= self.vault.mask
            return value

        brokers: dict[str, Callable[[Grant, Any], Awaitable[Any]]] = {
            "http": self._send,
            "files": self._files.answer,
            "secret": secret,
            "call": call,
        }

        async def answer(name: str, payload: Any) -> Any:
            if name not in brokers:
                raise Fault("permission_denied", f"{grant.tool} may not ask for {name!r}.", permission=name)
            return await brokers[name](grant, payload)

        return answer

    async def _send(self, grant: Grant, payload: Any) -> dict[str, Any]:
        async with self._opening:
            if self._network is None:
                self._network = await asyncio.to_thread(_network)
        return await self._network.send(grant, payload)

    async def _call(self, grant: Grant, context: Context, payload: Any) -> dict[str, Any]:
        """Call another tool: its result, or `{ok: false, tool, error}`, which is the script's to handle."""
        tool, args = (payload.get("tool"), payload.get("args")) if isinstance(payload, dict) else (None, None)
        if not isinstance(tool, str) or not isinstance(args, dict):
            raise Fault("bad_request", "What the script asked for is no call of a tool.")
        grant.check("tools", self._name(tool), tool)
        result = await context.nested(tool, args)
        if result.error is None:
            return {"ok": True, "result": result.value}
        return {"ok": False, "tool": tool, "error": dict(result.error)}


def _network() -> "Network":
    """Make the network; blocks, for the HTTP client takes long to import, which most servers never need."""
    from scriptool.capability.network import Network

    return Network()
