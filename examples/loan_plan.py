from dataclasses import dataclass
from decimal import Decimal

CENT = Decimal("0.01")


@dataclass
class Payment:
    month: int
    payment: Decimal
    interest: Decimal
    repaid: Decimal
    left: Decimal


def main(amount: Decimal, yearly_percent: Decimal, months: int) -> dict:
    """Plan a loan with equal monthly payments: what each month costs, and all of it together.

    Args:
        amount: What is borrowed.
        yearly_percent: Interest a year, as 4.5.
        months: How many payments.
    """
    if months < 1:
        raise ToolError("a loan needs at least one payment", months=months)
    rate = yearly_percent / 1200
    payment = (amount / months if not rate else amount * rate / (1 - (1 + rate) ** -months)).quantize(CENT)
    plan = list(payments(amount, rate, payment, months))
    return {
        "monthly": payment,
        "total_interest": sum((month.interest for month in plan), Decimal(0)),
        "plan": plan,
    }


def payments(left: Decimal, rate: Decimal, payment: Decimal, months: int):
    for month in range(1, months + 1):
        interest = (left * rate).quantize(CENT)
        paid = payment if month < months else left + interest  # the last one settles what rounding left
        left += interest - paid
        yield Payment(month, paid, interest, paid - interest, left)
