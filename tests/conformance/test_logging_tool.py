"""Log one message."""

ctx.log.info("Logged once")
return "Logged"
