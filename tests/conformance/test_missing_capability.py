"""Need the client's model."""

return ctx.sample("Say something", max_tokens=10)
