"""Contextlib."""

import contextlib, io
log = []
@contextlib.contextmanager
def block(name):
    log.append(f"in {name}")
    try: yield name
    finally: log.append(f"out {name}")
with block("a") as a, block("b"), contextlib.suppress(KeyError):
    {}["x"]
with contextlib.ExitStack() as stack:
    stack.enter_context(block("s")); stack.callback(log.append, "called")
with contextlib.redirect_stdout(io.StringIO()) as captured:
    print("hidden", 1, sep="-")
result = [log, captured.getvalue()]
