"""Planets that attract each other: floats in lists."""

SUN = 39.47841760435743
YEAR = 365.24


def bodies() -> list[list[float]]:
    return [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, SUN],
        [4.841, -1.16, -0.103, 0.00166 * YEAR, 0.0077 * YEAR, -0.000069 * YEAR, 0.000954 * SUN],
        [8.343, 4.125, -0.403, -0.00276 * YEAR, 0.00499 * YEAR, 0.000023 * YEAR, 0.000285 * SUN],
        [12.894, -15.111, -0.223, 0.00296 * YEAR, 0.00237 * YEAR, -0.000029 * YEAR, 0.0000436 * SUN],
        [15.379, -25.919, 0.179, 0.00268 * YEAR, 0.00162 * YEAR, -0.000095 * YEAR, 0.0000515 * SUN],
    ]


def advance(system: list[list[float]], pairs: list[tuple[list[float], list[float]]], step: float) -> None:
    for one, other in pairs:
        x, y, z = one[0] - other[0], one[1] - other[1], one[2] - other[2]
        pull = step * (x * x + y * y + z * z) ** -1.5
        heavy, light = other[6] * pull, one[6] * pull
        one[3] -= x * heavy
        one[4] -= y * heavy
        one[5] -= z * heavy
        other[3] += x * light
        other[4] += y * light
        other[5] += z * light
    for body in system:
        body[0] += step * body[3]
        body[1] += step * body[4]
        body[2] += step * body[5]


def main() -> object:
    system = bodies()
    pairs = [(system[i], system[j]) for i in range(5) for j in range(i + 1, 5)]
    for _ in range(2500):
        advance(system, pairs, 0.001)
    return round(sum(body[0] for body in system), 6)
