"""Ask three different things at once."""

answers = ctx.ask_all(
    {
        "user_name": {"ask": "What is your name?", "schema": {"name": {"type": "string"}}},
        "greeting": {"sample": "Generate a greeting", "max_tokens": 50},
        "client_roots": {"roots": True},
    }
)
return f"{answers['greeting']} {answers['user_name'].get('name')}, in {len(answers['client_roots'])} folders"
