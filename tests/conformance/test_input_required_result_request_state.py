"""Ask for a confirmation, and remember something meanwhile."""

remembered = "state-ok"
answer = ctx.ask_all({"confirm": {"ask": "Please confirm", "schema": {"ok": {"type": "boolean"}}}})["confirm"]
return f"{remembered}: {answer.get('ok')}"
