"""Ask one thing after the other."""

name = ctx.ask_all({"step1": {"ask": "Step 1: What is your name?", "schema": {"name": {"type": "string"}}}})["step1"]
color = ctx.ask_all({"step2": {"ask": "Step 2: What is your favorite color?", "schema": {"color": {"type": "string"}}}})
return f"{name.get('name')} likes {color['step2'].get('color')}"
