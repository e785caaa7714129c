"""Reshape a list of nested objects into a flat table: one row an object, one column a path such as address.city.

Give the rows as `rows`; `columns` picks and orders columns, `format` is json, csv or markdown.
"""

import csv
import io


def flatten(value, path=""):
    match value:
        case dict():
            for key, inner in value.items():
                yield from flatten(inner, f"{path}.{key}" if path else key)
        case list():
            yield path, ", ".join(str(item) for item in value)
        case _:
            yield path, value


table = [dict(flatten(row)) for row in args["rows"]]
columns = args.get("columns") or list(dict.fromkeys(key for row in table for key in row))
cells = [[row.get(column) for column in columns] for row in table]

match args.get("format", "json"):
    case "json":
        return [dict(zip(columns, row, strict=True)) for row in cells]
    case "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([columns, *cells])
        return out.getvalue()
    case "markdown":
        rows = [columns, ["---"] * len(columns), *cells]
        return "\n".join("| " + " | ".join("" if cell is None else str(cell) for cell in row) + " |" for row in rows)
    case other:
        raise ToolError(f"format {other!r} is not one of json, csv, markdown")
