from enum import Enum

# One unit of each kind in terms of the first of its row.
TABLES = [
    {"m": 1, "km": 1000, "cm": 0.01, "mi": 1609.344, "ft": 0.3048, "in": 0.0254},
    {"kg": 1, "g": 0.001, "lb": 0.45359237, "oz": 0.028349523125},
    {"l": 1, "ml": 0.001, "gal": 3.785411784, "cup": 0.2365882365},
]


class Unit(Enum):
    M = "m"
    KM = "km"
    CM = "cm"
    MI = "mi"
    FT = "ft"
    IN = "in"
    KG = "kg"
    G = "g"
    LB = "lb"
    OZ = "oz"
    L = "l"
    ML = "ml"
    GAL = "gal"
    CUP = "cup"


def main(value: float, source: Unit, target: Unit) -> dict:
    """Convert a length, a weight or a volume from one unit to another.

    Args:
        value: How many of the source unit.
        source: The unit it is in.
        target: The unit wanted.
    """
    for table in TABLES:
        if source.value in table and target.value in table:
            return {"value": round(value * table[source.value] / table[target.value], 6), "unit": target}
    raise ToolError(f"{source.value} and {target.value} do not measure the same thing")
