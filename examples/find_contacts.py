import re

EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
LINK = re.compile(r"https?://[^\s<>\"')\]]+")
PHONE = re.compile(r"\+\d[\d ()/-]{6,}\d")


async def main(text: str) -> dict[str, list[str]]:
    """Find the e-mail addresses, links and international phone numbers in a text, each once, in order.

    Args:
        text: The text to search.
    """
    return {
        "emails": unique(EMAIL.findall(text)),
        "links": unique(link.rstrip(".,;") for link in LINK.findall(text)),
        "phones": unique(re.sub(r"[^+\d]", "", phone) for phone in PHONE.findall(text)),
    }


def unique(found):
    return list(dict.fromkeys(found))
