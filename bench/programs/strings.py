"""Texts put together piece by piece: f-strings, joins, replacements."""


def main() -> object:
    total = 0
    for number in range(6000):
        cells = [f"{number:05d}", f"{number * 3 % 17:>4}", "x" * (number % 5), str(number)]
        line = " | ".join(cells)
        line = line.replace("0", "o").upper().strip()
        if line.startswith("O") and "X" in line:
            line += "!"
        total += len(line)
    return total
