"""The application that tools are served from, as the server reaches it."""
