"""Peer: FastMCP serving a folder of files it reads again at every request. Run as `python folder.py PORT FOLDER`."""

import sys
from pathlib import Path

from fastmcp import FastMCP
from fastmcp.server.providers import FileSystemProvider

server = FastMCP("folder", providers=[FileSystemProvider(Path(sys.argv[2]), reload=True)])
server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="warning")
