"""Peer: FastMCP calling a plain function of its own process. Run as `python plain.py PORT`."""

import sys

from fastmcp import FastMCP

server = FastMCP("plain")


@server.tool
def add(a: int, b: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="warning")
