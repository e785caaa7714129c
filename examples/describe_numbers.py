import statistics


def main(numbers: list[float], buckets: int = 5) -> dict:
    """Describe a list of numbers: mean, spread, quartiles, outliers and a small histogram.

    Args:
        numbers: The numbers, at least two.
        buckets: How many bars the histogram has.
    """
    if len(numbers) < 2:
        raise ToolError("needs at least two numbers", got=len(numbers))
    low, high = min(numbers), max(numbers)
    first, median, third = statistics.quantiles(numbers, n=4, method="inclusive")
    reach = 1.5 * (third - first)  # Tukey's fences
    return {
        "count": len(numbers),
        "mean": statistics.fmean(numbers),
        "deviation": statistics.stdev(numbers),
        "minimum": low,
        "quartiles": [first, median, third],
        "maximum": high,
        "outliers": [number for number in numbers if not first - reach <= number <= third + reach],
        "histogram": histogram(numbers, low, high, buckets),
    }


def histogram(numbers: list[float], low: float, high: float, buckets: int) -> list[dict]:
    width = (high - low) / buckets or 1
    counts = [0] * buckets
    for number in numbers:
        counts[min(int((number - low) / width), buckets - 1)] += 1
    return [{"from": low + index * width, "count": count} for index, count in enumerate(counts)]
