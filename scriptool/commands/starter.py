"""Starter: the first text of a new tool, prompt or resource, to be changed into what is wanted."""

import json
from collections.abc import Mapping
from typing import Final

_SCRIPT: Final = '''\
# /// tool
# [[tests]]
# args = {{ text = "hello", times = 2 }}
# result = {{ said = "hello hello" }}
# ///


def main(text: str, times: int = 1) -> dict:
    """{words}: say here when a caller should use it.

    Args:
        text: What to say.
        times: How often.
    """
    if times < 1:
        raise ToolError("times must be 1 or more")
    return {{"said": " ".join([text] * times)}}
'''

_PROMPT: Final = """\
+++
description = "{words}: say here what it is for."

[inputs.topic]
type = "string"
description = "What it is about."
required = true
+++

Write three sentences about {{topic}}.
"""


def files_of(kind: str, name: str) -> Mapping[str, str]:
    """Give the texts of the files of a new tool (`script`), `prompt` or `resource`, by their names."""
    words = name.replace("_", " ").capitalize()
    match kind:
        case "prompt":
            return {f"{name}.md": _PROMPT.format(words=words)}
        case "resource":
            definition = {"name": name, "kind": "resource", "description": f"{words}: say here what one reads."}
            text = json.dumps(definition | {"file": f"data/{name}.md"}, indent=2)
            return {f"{name}.json": text + "\n", f"data/{name}.md": f"# {words}\n"}
        case _:
            return {f"{name}.py": _SCRIPT.format(words=words)}
