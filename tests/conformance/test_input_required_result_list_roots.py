"""Ask which folders the client works in."""

roots = ctx.ask_all({"client_roots": {"roots": True}})["client_roots"]
return "Roots: " + ", ".join(root["uri"] for root in roots)
