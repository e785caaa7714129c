"""Cut: a text that is too long ends in `...`, so that whoever hides secrets knows where one may have been cut."""

MARK = "..."


def cut(text: str, most: int) -> str:
    """Give *text*, or the first of it and the mark: *most* characters."""
    return text if len(text) <= most else text[: most - len(MARK)] + MARK
