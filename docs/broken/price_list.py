import subprocess


def main(prices: dict[str, float]) -> list[str]:
    """List prices, one line each."""
    print(prices.__class__.__subclasses__())
    return [f"{name}: {price:.2f}" for name, price in sorted(prices.items())]
