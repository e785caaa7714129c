"""Ask the person at the other end for their name."""

ctx.progress(1, 2, "asking")
return f"Hello, {ctx.ask('What is your name?', {'name': {'type': 'string'}}).get('name', 'stranger')}!"
