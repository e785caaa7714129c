"""The ways in: HTTP, MCP and debug JSON. A facade translates and decides nothing."""
