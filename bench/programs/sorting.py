"""Sorts with keys: a function of the script called by C."""


def main() -> object:
    seed, rows = 42, []
    for number in range(6000):
        seed = (seed * 1103515245 + 12345) % 2147483648
        rows.append((seed % 1000, f"name {seed % 97}", number))
    by_first = sorted(rows, key=lambda row: row[0])
    by_both = sorted(rows, key=lambda row: (row[1], -row[0]))
    by_both.sort(key=lambda row: row[2] % 100, reverse=True)
    return [by_first[0][2], by_both[0][2], max(rows, key=lambda row: row[0] * 31 % 1009)[2]]
