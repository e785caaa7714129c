"""Log three messages."""

import time

for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
    ctx.log.info(message)
    time.sleep(0.05)
return "Tool with logging executed successfully"
