"""Whatever a file of a tools folder holds, the tools beside it stay as they are."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scriptool.application.attachment import Attachment
from scriptool.definitions.sources import Sources
from scriptool.folders.catalog import Catalog
from scriptool.folders.shelf import Shelf
from scriptool.host import Host
from scriptool.standard import Standard
from tests.scriptool.test_jsontext import JSON

GOOD = {"name": "good", "description": "Good.", "kind": "script", "file": "good.py"}
FIELDS = [
    *GOOD,
    "inputs",
    "inputSchema",
    "outputSchema",
    "steps",
    "reads",
    "uri",
    "limits",
    "aliases",
    "group",
    "extra",
]
VALUES = JSON | st.sampled_from(
    ["good", "other", "script", "probe", "sequence", "resource", "good.py", "../good.py", "."]
)


def catalog(folder: Path) -> Catalog:
    """Give the catalog of a folder, without compiling anything."""
    sources = Sources((folder,)).refreshed(lambda text: str(hash(text)), 100_000)
    return Shelf(Standard(), Attachment(Host()), (folder,)).catalog(sources)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(
    JSON | st.dictionaries(st.sampled_from(FIELDS), VALUES),
    st.sampled_from(["odd.json", "good2.json", "good.txt.json"]),
)
def test_any_json_beside_a_tool_gives_a_tool_or_problems_and_never_changes_the_other(value: Any, name: str) -> None:
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        (folder / "good.py").write_text("return 1\n")
        (folder / "good.json").write_text(json.dumps(GOOD))
        alone = catalog(folder)
        (folder / name).write_text(json.dumps(value))
        beside = catalog(folder)
        assert beside.tools["good"].listing() == alone.tools["good"].listing()
        told = {fault.details.get("file") for fault in beside.problems}
        assert (
            name in told or set(beside.claims) != set(alone.claims) or beside.resources or beside.prompts or off(value)
        )


def off(value: Any) -> bool:
    """Say whether a definition takes itself out."""
    return isinstance(value, dict) and value.get("enabled") is False
