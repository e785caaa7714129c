"""How often each word of a text occurs: dicts, strings, a sort of pairs."""

LINE = "the quick brown fox jumps over the lazy dog while the slow green turtle sleeps under a warm stone"


def main() -> object:
    counts: dict[str, int] = {}
    for number in range(1500):
        for word in (LINE + " w" + str(number % 50)).split():
            counts[word] = counts.get(word, 0) + 1
    pairs = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [pairs[0][0], pairs[0][1], len(pairs)]
