import csv
import io
import re

# "007", "1_000" and "nan" are texts, though int and float would take them.
INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
FRACTION = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+([eE][+-]?[0-9]+)?")


def main(text: str, delimiter: str | None = None, numbers: bool = True) -> dict:
    """Turn CSV text with a header line into a list of objects.

    Args:
        text: The CSV text.
        delimiter: What parts the cells; found out from the text if left out.
        numbers: Whether cells that look like numbers become numbers.
    """
    try:
        dialect = csv.Sniffer().sniff(text.partition("\n")[0], ",;\t|") if delimiter is None else None
    except csv.Error:
        dialect = None  # a single column has no delimiter to find
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter or (dialect.delimiter if dialect else ","))
    rows = []
    for line, row in enumerate(reader, 2):
        if None in row or None in row.values():
            raise ToolError(f"row {line} has another number of cells than the header", row=line)
        rows.append({key: number(cell) if numbers else cell for key, cell in row.items()})
    return {"columns": reader.fieldnames or [], "rows": rows}


def number(cell: str) -> int | float | str:
    if INTEGER.fullmatch(cell):
        return int(cell)
    return float(cell) if FRACTION.fullmatch(cell) else cell
