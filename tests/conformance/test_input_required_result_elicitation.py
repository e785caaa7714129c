"""Ask for a name."""

question = {"ask": "What is your name?", "schema": {"name": {"type": "string"}}}
answer = ctx.ask_all({"user_name": question})["user_name"]
return f"Hello, {answer.get('name', 'stranger')}!"
