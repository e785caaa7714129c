from datetime import date


def main(guest: str, day: date | None = None) -> str:
    """Write an invitation; asks for the day where none is given and the caller can be asked.

    Args:
        guest: Who is invited.
        day: When; asked for if it is not given.
    """
    if day is None and ctx.client.can_ask:
        answer = ctx.ask(f"When shall {guest} come?", {"day": {"type": "string", "format": "date", "title": "Day"}})
        if not answer:
            return "No invitation was written."
        day = date.fromisoformat(answer["day"])
    when = f"on {day:%A, %d %B}" if day else "one of these days"
    return f"Dear {guest},\n\nplease come {when}.\n"
