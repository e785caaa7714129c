def main(prompt: str) -> str:
    """Have the client's model answer a prompt.

    Args:
        prompt: What the model is asked.
    """
    return f"LLM response: {ctx.sample(prompt, max_tokens=100)}"
