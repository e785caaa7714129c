"""Records to JSON text and back: the work is the library's."""

import json


def main() -> object:
    records = [
        {"id": number, "name": f"item {number}", "tags": ["a", "b", str(number)], "price": number / 7, "stock": None}
        for number in range(400)
    ]
    size = 0
    for _ in range(12):
        text = json.dumps(records)
        records = json.loads(text)
        size += len(text)
    return [size, len(records)]
