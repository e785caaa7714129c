"""Ask only what the client can answer."""

asked = {}
if ctx.client.can_ask:
    asked["confirm"] = {"ask": "Please confirm", "schema": {"ok": {"type": "boolean"}}}
if ctx.client.can_sample:
    asked["greeting"] = {"sample": "Generate a greeting", "max_tokens": 50}
return f"Answered: {sorted(ctx.ask_all(asked))}" if asked else "Nothing can be asked of this client"
