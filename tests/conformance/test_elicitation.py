def main(message: str) -> str:
    """Ask the person at the other end.

    Args:
        message: What they are asked.
    """
    username = {"type": "string", "description": "User's response"}
    email = {"type": "string", "description": "User's email address"}
    answer = ctx.ask(message, {"username": username, "email": email})
    return f"User response: action={answer.action}, content={dict(answer)}"
