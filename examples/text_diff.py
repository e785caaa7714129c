"""Show what changed from the text `before` to the text `after`, as a unified diff; `context` lines around (3)."""

import difflib

# The body form: no function, `args` holds the arguments, `return` ends the tool.
before = args["before"].splitlines()
after = args["after"].splitlines()
lines = list(difflib.unified_diff(before, after, "before", "after", lineterm="", n=args.get("context", 3)))

return {
    "same": not lines,
    "added": sum(line.startswith("+") for line in lines[2:]),
    "removed": sum(line.startswith("-") for line in lines[2:]),
    "diff": "\n".join(lines),
}
