"""Pancakes turned over until the first lies on top: small lists, sliced and swapped."""


def main() -> object:
    size = 7
    first = list(range(size))
    counts = [0] * size
    most = checksum = turn = 0
    left = size
    while True:
        while left != 1:
            counts[left - 1] = left
            left -= 1
        flips, row = 0, first[:]
        top = row[0]
        while top:
            row[: top + 1] = row[top::-1]
            flips += 1
            top = row[0]
        most = max(most, flips)
        checksum += flips if turn % 2 == 0 else -flips
        turn += 1
        while True:
            if left == size:
                return [checksum, most]
            first.insert(left, first.pop(0))
            counts[left] -= 1
            if counts[left] > 0:
                break
            left += 1
        left = max(left, 1)
