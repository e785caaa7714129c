"""Tables as Markdown."""


def table(rows, columns):
    """Give *rows*, which are dicts, as a Markdown table with these *columns*."""
    lines = [columns, ["---"] * len(columns)]
    lines += [[cell(row.get(column)) for column in columns] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cell(value):
    if value is None:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    return str(value).replace("|", "\\|").replace("\n", " ")
