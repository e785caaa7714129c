"""Small objects made, changed and asked by the thousand."""


class Vector:
    def __init__(self, x: int, y: int) -> None:
        self.x = x
        self.y = y

    def plus(self, other: "Vector") -> "Vector":
        return Vector(self.x + other.x, self.y + other.y)


class Account:
    fee = 1

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.balance = 0
        self.moves = 0

    def deposit(self, amount: int) -> None:
        self.balance += amount
        self.moves += 1

    def withdraw(self, amount: int) -> bool:
        if self.balance < amount + self.fee:
            return False
        self.balance -= amount + self.fee
        self.moves += 1
        return True


class Premium(Account):
    fee = 0

    def deposit(self, amount: int) -> None:
        super().deposit(amount + 1)


def main() -> object:
    place, step = Vector(0, 0), Vector(1, 2)
    for _ in range(8000):
        place = place.plus(step)
    accounts = [Premium("a"), Account("b"), Account("c")]
    refused = 0
    for turn in range(12000):
        account = accounts[turn % 3]
        account.deposit(turn % 10)
        if not account.withdraw(4):
            refused += 1
    return [place.x, place.y, refused, sum(account.balance + account.moves for account in accounts)]
