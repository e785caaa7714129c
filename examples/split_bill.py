from decimal import ROUND_DOWN, Decimal
from typing import Annotated

CENT = Decimal("0.01")


def main(
    total: Annotated[Decimal, "What is on the bill"],
    people: Annotated[list[str], "Who pays; the first pays the odd cents"],
    tip_percent: Annotated[Decimal, "Tip on top of the bill"] = Decimal(0),
) -> dict:
    """Split a bill evenly, to the cent, so that the shares add up to exactly what is due."""
    if not people:
        raise ToolError("nobody is there to pay")
    due = (total * (1 + tip_percent / 100)).quantize(CENT)
    share = (due / len(people)).quantize(CENT, ROUND_DOWN)
    odd = due - share * len(people)
    print(f"{len(people)} shares of {share}, {odd} left over")
    return {"due": due, "shares": {name: share + (odd if name == people[0] else 0) for name in people}}
