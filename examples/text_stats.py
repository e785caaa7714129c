import re
from collections import Counter

WORDS_A_MINUTE = 230  # silent reading of prose by adults


def main(text: str, top: int = 5) -> dict:
    """Count words, sentences and paragraphs, tell the reading time and the most frequent words.

    Args:
        text: The text to measure.
        top: How many of the most frequent words to give.
    """
    words = re.findall(r"\w+(?:['’-]\w+)*", text)
    sentences = [part for part in re.split(r"[.!?…]+(?:\s|$)", text) if part.strip()]
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    frequent = Counter(word.casefold() for word in words if len(word) > 3).most_common(top)
    return {
        "words": len(words),
        "sentences": len(sentences),
        "paragraphs": len(paragraphs),
        "characters": len(text),
        "reading_minutes": round(len(words) / WORDS_A_MINUTE, 1),
        "frequent": [{"word": word, "count": count} for word, count in frequent],
    }
