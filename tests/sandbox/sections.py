"""Tables of scripts in one text file: `### name (3.12)` begins one and says which Python first has its syntax."""

import re
import sys
from pathlib import Path

_HEADING = re.compile(r"^### (.*?)(?: \((\d+)\.(\d+)\))?\n", re.MULTILINE)


def read_sections(name: str) -> dict[str, str]:
    """Give the scripts of the file *name* that this Python can read, by their headings."""
    _, *parts = _HEADING.split((Path(__file__).parent / name).read_text())
    rows = zip(parts[0::4], parts[1::4], parts[2::4], parts[3::4], strict=True)
    return {
        heading: text.strip("\n")
        for heading, major, minor, text in rows
        if major is None or sys.version_info >= (int(major), int(minor))
    }
