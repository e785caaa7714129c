"""Have the client's model answer a question."""

return ctx.ask_all({"capital_question": {"sample": "What is the capital of France?", "max_tokens": 100}})[
    "capital_question"
]
