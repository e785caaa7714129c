"""Hand over a document."""

return ctx.content.resource("test://embedded-resource", "This is an embedded resource content.")
