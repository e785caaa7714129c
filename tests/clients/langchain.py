"""A client that uses langchain-mcp-adapters and does what each line of its input says."""

import asyncio
import json
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient


async def listed(client):
    return {tool.name: tool for tool in await client.get_tools()}


async def called(client, tool, args):
    """Call as an agent does, whose model is given a message whatever happens."""
    wish = {"type": "tool_call", "id": "1", "name": tool, "args": args}
    message = await (await listed(client))[tool].ainvoke(wish)
    return [message.status == "error", message.text]


async def main():
    client = MultiServerMCPClient({"scriptool": {"transport": "streamable_http", "url": sys.argv[1]}})
    for line in sys.stdin:
        wish = json.loads(line)
        if wish["do"] == "list":
            answer = sorted(await listed(client))
        else:
            answer = await called(client, wish["tool"], wish["args"])
        print(json.dumps(answer), flush=True)


asyncio.run(main())
