# /// tool
# permissions = {read = ["data/"], write = ["out/"]}
# ///
import csv
import io

from lib.markdown import table

from scriptool import ToolError, ctx


def main(folder: str = "data", save: bool = False) -> dict:
    """Report on the CSV files of a folder: rows, columns and the sum of every column that holds numbers.

    Args:
        folder: Folder under data/.
        save: Also write the report to out/report.md.
    """
    names = [name for name in ctx.files.list(folder) if name.endswith(".csv")]
    if not names:
        raise ToolError(f"there are no CSV files in {folder}")
    files = []
    for done, name in enumerate(names, 1):
        files.append(facts(name, ctx.files.read_text(f"{folder}/{name}")))
        ctx.progress(done, len(names), name)
    if save:
        with open("out/report.md", "w") as report:
            print(table(files, ["file", "rows", "sums"]), file=report)
    return {"files": files, "saved": "out/report.md" if save else None}


def facts(name, text):
    rows = list(csv.DictReader(io.StringIO(text)))
    columns = list(rows[0]) if rows else []
    sums = {column: total(rows, column) for column in columns}
    return {
        "file": name,
        "rows": len(rows),
        "columns": columns,
        "sums": {column: value for column, value in sums.items() if value is not None},
    }


def total(rows, column):
    try:
        return round(sum(float(row[column]) for row in rows), 2)
    except ValueError:
        return None
