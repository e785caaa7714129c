"""Ask for a form whose fields have defaults."""

answer = ctx.ask(
    "Please review and update the form fields with defaults",
    {
        "name": {"type": "string", "description": "User name", "default": "John Doe"},
        "age": {"type": "integer", "description": "User age", "default": 30},
        "score": {"type": "number", "description": "User score", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "description": "Verification status", "default": True},
    },
)
return f"Elicitation completed: action={answer.action}, content={dict(answer)}"
