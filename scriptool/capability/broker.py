"""Broker: answers what running scripts ask, each by what its tool was granted."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from sandbox import Ask, Fault
from scriptool.call import Context
from scriptool.capability.files import Files
from scriptool.capability.network import Network
from scriptool.capability.vault import Vault
from scriptool.permission import Grant

Name = Callable[[str], str]
"""Gives the name a tool goes by now, for a former name of it."""


class Broker:
    """Answers what scripts ask. An async context manager; lives as long as the server."""

    def __init__(self, network: Network, files: Files, vault: Vault, name: Name) -> None:
        self._network = network
        self._files = files
        self._name = name
        self._exits = AsyncExitStack()
        self.vault = vault

    async def __aenter__(self) -> "Broker":
        await self._exits.enter_async_context(self._network)
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._exits.aclose()

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
            "http": self._network.send,
            "files": self._files.answer,
            "secret": secret,
            "call": call,
        }

        async def answer(name: str, payload: Any) -> Any:
            if name not in brokers:
                raise Fault("permission_denied", f"{grant.tool} may not ask for {name!r}.", permission=name)
            return await brokers[name](grant, payload)

        return answer

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
