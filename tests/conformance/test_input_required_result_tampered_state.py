"""Ask for a confirmation."""

answer = ctx.ask_all({"confirm": {"ask": "Please confirm", "schema": {"ok": {"type": "boolean"}}}})["confirm"]
return f"Confirmed: {answer.get('ok')}"
