"""Report progress in three steps."""

import time

for done in (0, 50, 100):
    ctx.progress(done, 100, f"Completed step {done} of 100")
    time.sleep(0.06)
return "Tool with progress executed successfully"
